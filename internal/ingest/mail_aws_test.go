package ingest_test

// Real: the service, the adapters of S3, SQS and DynamoDB, the SDK, HTTP.
// Emulated: AWS, by MiniStack. SES is played by hand: it puts an object and
// announces it. A message that comes again is made visible by hand.

import (
	"bytes"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"onefold/internal/blob"
	"onefold/internal/blob/s3"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/queue"
	"onefold/internal/queue/sqs"
)

func TestReceivedMailGoesFromBucketAndQueueToTheLedgerOnAWS(t *testing.T) {
	t.Parallel()
	stack := localawstest.ForTest(t)
	account := stack.NewAccount()
	cfg := stack.Config(account)
	objects := awss3.NewFromConfig(cfg, func(o *awss3.Options) { o.UsePathStyle = true })
	raws, received := "raw-"+account, "mail-"+account
	for _, bucket := range []string{raws, received} {
		if _, err := objects.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: &bucket}); err != nil {
			t.Fatal(err)
		}
	}
	tables := dynamodb.NewFromConfig(cfg)
	if err := dynamo.Create(t.Context(), tables, "onefold-"); err != nil {
		t.Fatal(err)
	}
	b := newInbox(t, dynamo.New(tables, dynamo.Options{Prefix: "onefold-"}))
	kept := s3.New(objects, raws)
	b.service.Blob = kept
	b.mail.Bucket, b.mail.Object = received, s3.NewInbox(objects, received, ingest.MaxMail).Get

	client := awssqs.NewFromConfig(cfg)
	out, err := client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: aws.String("mail")})
	if err != nil {
		t.Fatal(err)
	}
	q, err := sqs.New(client, *out.QueueUrl, 0)
	if err != nil {
		t.Fatal(err)
	}
	announced := noticeOf("s1", "hello@demo.example", "sales@demo.example").with(received, "receipt", "action", "bucketName").message()
	if err := q.Send(t.Context(), announced.Body); err != nil {
		t.Fatal(err)
	}
	receive := func() queue.Message {
		list, err := q.Receive(t.Context(), 1)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d messages, %v", len(list), err)
		}
		return list[0]
	}
	// The announcement is there before the object.
	m := receive()
	if err := b.mail.Handle(t.Context(), m); !errors.Is(err, blob.ErrMissing) {
		t.Fatalf("%v, want ErrMissing", err)
	}
	b.counts(0, 0, 0)
	if _, err := client.ChangeMessageVisibility(t.Context(), &awssqs.ChangeMessageVisibilityInput{
		QueueUrl: out.QueueUrl, ReceiptHandle: &m.Receipt, VisibilityTimeout: 0}); err != nil {
		t.Fatal(err)
	}
	large := append([]byte(rawMail), bytes.Repeat([]byte("x"), 6<<20)...)
	if _, err := objects.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: &received, Key: aws.String("in/s1"), Body: bytes.NewReader(large)}); err != nil {
		t.Fatal(err)
	}
	m = receive()
	b.takes(m)
	if err := q.Delete(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	b.takes(m) // the delete was lost
	b.counts(2, 4, 0)
	for _, it := range b.of(ledger.Event) {
		if content, err := kept.Get(t.Context(), blob.Ref(it.Text("raw"))); err != nil || !bytes.Equal(content, large) {
			t.Errorf("%d bytes kept, %v", len(content), err)
		}
	}
}
