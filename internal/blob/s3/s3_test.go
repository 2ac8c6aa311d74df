package s3_test

// Real: this package, the SDK, HTTP. Emulated: S3, by MiniStack.

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"onefold/internal/blob"
	"onefold/internal/blob/blobtest"
	"onefold/internal/blob/s3"
	"onefold/internal/proof/localaws/localawstest"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

// newBucket is an empty bucket. Bucket names are taken for all accounts.
func newBucket(t *testing.T, options ...func(*awss3.Options)) (*awss3.Client, string) {
	t.Helper()
	stack := localawstest.ForTest(t)
	account := stack.NewAccount()
	options = append(options, func(o *awss3.Options) { o.UsePathStyle = true })
	client := awss3.NewFromConfig(stack.Config(account), options...)
	bucket := "raw-" + account
	if _, err := client.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	return client, bucket
}

func TestConformance(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t)
	blobtest.Suite(t, func(*testing.T) blobtest.Opened {
		return blobtest.Opened{Store: s3.New(client, bucket), Spoil: func(t *testing.T, ref blob.Ref, content []byte) {
			t.Helper()
			if _, err := client.PutObject(t.Context(), &awss3.PutObjectInput{
				Bucket: &bucket, Key: aws.String(string(ref)), Body: bytes.NewReader(content)}); err != nil {
				t.Fatal(err)
			}
		}}
	})
}

// A bucket that is not there must not read as content that is lost.
func TestAMissingBucketIsNotMissingContent(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t)
	ref := blob.RefOf("acme", "e1", []byte("x"))
	if _, err := s3.New(client, bucket+"-other").Get(t.Context(), ref); err == nil || errors.Is(err, blob.ErrMissing) {
		t.Errorf("got %v, want an error that is not ErrMissing", err)
	}
}

func TestAPutIsOneRequest(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	client, bucket := newBucket(t, func(o *awss3.Options) { o.HTTPClient = counting{o.HTTPClient, &requests} })
	requests.Store(0)
	content := bytes.Repeat([]byte("x"), 6<<20)
	if err := s3.New(client, bucket).Put(t.Context(), blob.RefOf("acme", "e1", content), content); err != nil {
		t.Fatal(err)
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

type counting struct {
	awss3.HTTPClient
	n *atomic.Int64
}

func (c counting) Do(r *http.Request) (*http.Response, error) {
	c.n.Add(1)
	return c.HTTPClient.Do(r)
}
