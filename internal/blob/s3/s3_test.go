package s3_test

// Real: this package, the SDK, HTTP. Emulated: S3, by MiniStack.

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"onefold/internal/blob"
	"onefold/internal/blob/s3"
	"onefold/internal/localaws"
)

func TestMain(m *testing.M) { os.Exit(localaws.Main(m)) }

var _ blob.Store = (*s3.Store)(nil)

// newBucket is an empty bucket. Bucket names are taken for all accounts.
func newBucket(t *testing.T) (*awss3.Client, string) {
	t.Helper()
	stack := localaws.ForTest(t)
	account := stack.NewAccount()
	client := awss3.NewFromConfig(stack.Config(account), func(o *awss3.Options) { o.UsePathStyle = true })
	bucket := "raw-" + account
	if _, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	return client, bucket
}

func TestContentComesBackByteForByte(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t)
	s := s3.New(client, bucket)
	for name, content := range map[string][]byte{
		"empty":   {},
		"text":    []byte("From: ann@example.com\r\n\r\nHello\n"),
		"binary":  {0, 0xff, '\r', '\n', 0},
		"chunked": []byte("5\r\nhello\r\n0\r\n\r\n"),
		"large":   bytes.Repeat([]byte("0123456789abcdef"), 1<<18),
	} {
		ref := blob.RefOf("acme", "event-"+name, content)
		for range 2 { // putting again is one put
			if err := s.Put(t.Context(), ref, content); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		got, err := s.Get(t.Context(), ref)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: %d bytes came back, want %d (%v)", name, len(got), len(content), err)
		}
	}
}

func TestMissingContentIsToldFromAMissingBucket(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t)
	ref := blob.RefOf("acme", "e1", []byte("x"))
	if _, err := s3.New(client, bucket).Get(t.Context(), ref); !errors.Is(err, blob.ErrMissing) {
		t.Errorf("got %v, want ErrMissing", err)
	}
	if _, err := s3.New(client, bucket+"-other").Get(t.Context(), ref); err == nil || errors.Is(err, blob.ErrMissing) {
		t.Errorf("without the bucket: got %v, want an error that is not ErrMissing", err)
	}
}

func TestANameNeverGetsOtherContent(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t)
	s := s3.New(client, bucket)
	ref := blob.RefOf("acme", "e1", []byte("first"))
	if err := s.Put(t.Context(), ref, []byte("second")); !errors.Is(err, s3.ErrOther) {
		t.Errorf("put of other content: got %v, want ErrOther", err)
	}
	if _, err := s.Get(t.Context(), ref); !errors.Is(err, blob.ErrMissing) {
		t.Errorf("after the refused put: got %v, want ErrMissing", err)
	}
	// Somebody alters what is stored.
	if _, err := client.PutObject(t.Context(), &awss3.PutObjectInput{
		Bucket: &bucket, Key: aws.String(string(ref)), Body: strings.NewReader("altered")}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), ref); !errors.Is(err, s3.ErrOther) || got != nil {
		t.Errorf("altered content: got %q, %v; want ErrOther and nothing", got, err)
	}
	for _, bad := range []blob.Ref{"", "/", "acme", blob.Ref("acme/" + strings.Repeat("0", 64))} {
		if err := s.Put(t.Context(), bad, []byte("x")); !errors.Is(err, s3.ErrOther) {
			t.Errorf("put under %q: got %v, want ErrOther", bad, err)
		}
	}
}
