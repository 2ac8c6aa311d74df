package s3

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"onefold/internal/blob"
)

// ErrTooLarge means that an object has more bytes than its reader takes.
// Nothing of it is given; trying again does not help.
var ErrTooLarge = errors.New("s3: an object larger than is taken")

// ErrEncrypted means that an object was encrypted by who wrote it (the "KMS
// key" option of SES's S3 action), besides what the bucket does. Nothing can
// read it here: the option has to be off.
var ErrEncrypted = errors.New("s3: an object that its writer encrypted")

// Inbox reads what another service puts into a bucket. Its objects are named by
// that service, not by their content, so nothing is proved about them; it never
// writes.
type Inbox struct {
	client *s3.Client
	bucket string
	max    int64
}

// NewInbox reads a bucket, objects of up to max bytes. Its role needs
// s3:ListBucket besides GetObject, for the reason that New gives.
func NewInbox(client *s3.Client, bucket string, max int64) *Inbox {
	return &Inbox{client: client, bucket: bucket, max: max}
}

// Get reads one object whole. The error wraps blob.ErrMissing where there is
// none, ErrTooLarge or ErrEncrypted; any other may pass.
func (b *Inbox) Get(ctx context.Context, key string) ([]byte, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.bucket, Key: &key})
	var missing *types.NoSuchKey
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("get %s: %w", key, blob.ErrMissing)
	}
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	defer out.Body.Close()
	for _, name := range []string{"x-amz-key-v2", "x-amz-key"} {
		if out.Metadata[name] != "" {
			return nil, fmt.Errorf("get %s: %w", key, ErrEncrypted)
		}
	}
	size := int64(-1)
	if out.ContentLength != nil {
		size = *out.ContentLength
	}
	if size > b.max {
		return nil, fmt.Errorf("get %s, %d bytes: %w", key, size, ErrTooLarge)
	}
	if size < 0 {
		return b.unsized(key, out.Body)
	}
	// In one piece: a buffer that grows would hold a large object twice.
	content := make([]byte, size)
	if _, err := io.ReadFull(out.Body, content); err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	return content, nil
}

func (b *Inbox) unsized(key string, body io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(body, b.max+1))
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	if int64(len(content)) > b.max {
		return nil, fmt.Errorf("get %s: %w", key, ErrTooLarge)
	}
	return content, nil
}
