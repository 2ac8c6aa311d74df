// Package s3 is blob.Store on an Amazon S3 bucket.
//
// Its invariant is the port's: a name holds the content it is made of. It
// refuses to put other content under a name and to give back content that
// does not fit it. Encryption, versions and the lifecycle are the bucket's.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"onefold/internal/blob"
)

// Store is one bucket.
type Store struct {
	client *s3.Client
	bucket string
}

// New makes a store of a bucket that exists. Its role needs s3:ListBucket
// besides GetObject and PutObject, else S3 answers "access denied" for content
// that is missing (API Reference, GetObject, "Permissions").
func New(client *s3.Client, bucket string) *Store { return &Store{client: client, bucket: bucket} }

// Put implements blob.Store, with one request besides the SDK's repeats.
//
// It overwrites, and does not ask If-None-Match: the bytes are the same, and
// the new date is wanted. Content that no event names expires; if a delivery
// comes again shortly before that, the content that its event relies on must
// be as young as the event.
func (s *Store) Put(ctx context.Context, ref blob.Ref, content []byte) error {
	if _, _, _, err := ref.Parts(); err != nil {
		return fmt.Errorf("put: %w", err)
	}
	if !ref.Fits(content) {
		return fmt.Errorf("put %s: %w: another content", ref, blob.ErrInvalid)
	}
	key, kind := string(ref), "application/octet-stream"
	if _, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(content), ContentType: &kind,
	}); err != nil {
		return fmt.Errorf("put %s: %w", ref, err)
	}
	return nil
}

// Get implements blob.Store.
func (s *Store) Get(ctx context.Context, ref blob.Ref) ([]byte, error) {
	if _, _, _, err := ref.Parts(); err != nil {
		return nil, fmt.Errorf("get: %w", err)
	}
	key := string(ref)
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key})
	var missing *types.NoSuchKey
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("get %s: %w", ref, blob.ErrMissing)
	}
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", ref, err)
	}
	defer out.Body.Close()
	content, err := io.ReadAll(out.Body)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", ref, err)
	}
	if !ref.Fits(content) {
		return nil, fmt.Errorf("get %s: %w", ref, blob.ErrDamaged)
	}
	return content, nil
}
