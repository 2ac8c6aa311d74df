package s3_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"onefold/internal/blob"
	"onefold/internal/blob/s3"
)

func TestAnInboxGivesObjectsUpToItsBound(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t)
	put := func(key string, content []byte, metadata map[string]string) {
		t.Helper()
		if _, err := client.PutObject(t.Context(), &awss3.PutObjectInput{
			Bucket: &bucket, Key: &key, Body: bytes.NewReader(content), Metadata: metadata}); err != nil {
			t.Fatal(err)
		}
	}
	most := bytes.Repeat([]byte("x"), 1000)
	put("in/most", most, nil)
	put("in/more", append(most, 'x'), nil)
	put("in/nothing", nil, nil)
	put("in/secret", []byte("ciphertext"), map[string]string{"x-amz-key-v2": "wrapped"})
	in := s3.NewInbox(client, bucket, 1000)
	if got, err := in.Get(t.Context(), "in/most"); err != nil || !bytes.Equal(got, most) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err := in.Get(t.Context(), "in/nothing"); err != nil || len(got) != 0 {
		t.Errorf("of an empty object %d bytes, %v", len(got), err)
	}
	for key, want := range map[string]error{"in/more": s3.ErrTooLarge, "in/secret": s3.ErrEncrypted, "in/none": blob.ErrMissing} {
		if got, err := in.Get(t.Context(), key); !errors.Is(err, want) || got != nil {
			t.Errorf("%s: %d bytes, %v, want %v", key, len(got), err, want)
		}
	}
	if _, err := s3.NewInbox(client, bucket+"-other", 1000).Get(t.Context(), "in/most"); err == nil || errors.Is(err, blob.ErrMissing) {
		t.Errorf("of a bucket that is not there: %v, want an error that is not ErrMissing", err)
	}
}

func TestAnAnswerWithoutALengthIsBoundedAllTheSame(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t, func(o *awss3.Options) {
		o.HTTPClient = lengthless{o.HTTPClient}
		o.DisableLogOutputChecksumValidationSkipped = true
	})
	for key, size := range map[string]int{"in/fits": 1000, "in/more": 1001} {
		if _, err := client.PutObject(t.Context(), &awss3.PutObjectInput{
			Bucket: &bucket, Key: aws.String(key), Body: strings.NewReader(strings.Repeat("x", size))}); err != nil {
			t.Fatal(err)
		}
	}
	in := s3.NewInbox(client, bucket, 1000)
	if got, err := in.Get(t.Context(), "in/fits"); err != nil || len(got) != 1000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err := in.Get(t.Context(), "in/more"); !errors.Is(err, s3.ErrTooLarge) || got != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// lengthless drops the length from what comes back.
type lengthless struct{ awss3.HTTPClient }

func (c lengthless) Do(r *http.Request) (*http.Response, error) {
	resp, err := c.HTTPClient.Do(r)
	if err == nil && r.Method == http.MethodGet {
		resp.ContentLength = -1
		resp.Header.Del("Content-Length")
	}
	return resp, err
}
