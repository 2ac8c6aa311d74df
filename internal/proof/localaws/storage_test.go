package localaws_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"onefold/internal/proof/localaws/localawstest"
)

func newBucket(t *testing.T) (client *s3.Client, bucket *string) {
	t.Helper()
	stack := localawstest.ForTest(t)
	account := stack.NewAccount()
	client = s3.NewFromConfig(stack.Config(account), func(o *s3.Options) { o.UsePathStyle = true })
	// Bucket names are taken for all accounts, so they carry the account's.
	bucket = aws.String("raw-" + account)
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: bucket}); err != nil {
		t.Fatal(err)
	}
	return client, bucket
}

func TestAnObjectComesBackByteForByte(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t)
	body := "From: a@example.com\r\n\r\n\x00\xff raw bytes\r\n"
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: bucket, Key: aws.String("tenant/event/hash +ü"), Body: strings.NewReader(body),
		Metadata: map[string]string{"fingerprint": "f1"}, ChecksumAlgorithm: s3types.ChecksumAlgorithmSha256,
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.GetObject(t.Context(), &s3.GetObjectInput{
		Bucket: bucket, Key: aws.String("tenant/event/hash +ü"), ChecksumMode: s3types.ChecksumModeEnabled,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	got, err := io.ReadAll(out.Body)
	if err != nil || string(got) != body {
		t.Errorf("read %q, %v; want %q", got, err, body)
	}
	if out.Metadata["fingerprint"] != "f1" {
		t.Errorf("metadata %v, want fingerprint f1", out.Metadata)
	}
}

func TestAnAbsentObjectIsNoSuchKey(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t)
	_, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: aws.String("absent")})
	var none *s3types.NoSuchKey
	if !errors.As(err, &none) {
		t.Errorf("error %v, want NoSuchKey", err)
	}
}

func TestAConditionalPutDoesNotOverwrite(t *testing.T) {
	t.Parallel()
	client, bucket := newBucket(t)
	put := func(body string) error {
		_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
			Bucket: bucket, Key: aws.String("k"), Body: strings.NewReader(body), IfNoneMatch: aws.String("*"),
		})
		return err
	}
	if err := put("first"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, put("second"), "PreconditionFailed")
	out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: bucket, Key: aws.String("k")})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	if got, _ := io.ReadAll(out.Body); string(got) != "first" {
		t.Errorf("object holds %q, want first", got)
	}
}

func TestABucketNameIsTakenForAllAccounts(t *testing.T) {
	t.Parallel()
	_, bucket := newBucket(t)
	stack := localawstest.ForTest(t)
	other := s3.NewFromConfig(stack.Config(stack.NewAccount()), func(o *s3.Options) { o.UsePathStyle = true })
	_, err := other.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: bucket})
	wantCode(t, err, "BucketAlreadyExists")
}

func newQueues(t *testing.T) (client *sqs.Client, main, dead *string) {
	t.Helper()
	stack := localawstest.ForTest(t)
	client = sqs.NewFromConfig(stack.Config(stack.NewAccount()))
	create := func(name string, attributes map[string]string) *string {
		out, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(name), Attributes: attributes})
		if err != nil {
			t.Fatal(err)
		}
		return out.QueueUrl
	}
	dead = create("dead", nil)
	attributes, err := client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: dead, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameQueueArn},
	})
	if err != nil {
		t.Fatal(err)
	}
	main = create("feedback", map[string]string{
		"VisibilityTimeout": "30",
		"RedrivePolicy":     `{"deadLetterTargetArn":"` + attributes.Attributes["QueueArn"] + `","maxReceiveCount":"2"}`,
	})
	return client, main, dead
}

func receive(t *testing.T, client *sqs.Client, queue *string) []sqstypes.Message {
	t.Helper()
	out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: queue, MaxNumberOfMessages: 10,
		MessageSystemAttributeNames: []sqstypes.MessageSystemAttributeName{
			sqstypes.MessageSystemAttributeNameApproximateReceiveCount,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Messages
}

func TestAMessageIsHiddenWhileHeldReturnsWhenReleasedAndDiesAfterItsLimit(t *testing.T) {
	t.Parallel()
	client, main, dead := newQueues(t)
	if _, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: main, MessageBody: aws.String(`{"a":"ü"}`)}); err != nil {
		t.Fatal(err)
	}
	for attempt, count := range []string{"1", "2"} {
		held := receive(t, client, main)
		if len(held) != 1 || aws.ToString(held[0].Body) != `{"a":"ü"}` || held[0].Attributes["ApproximateReceiveCount"] != count {
			t.Fatalf("attempt %d: received %+v, want the message with count %s", attempt, held, count)
		}
		if again := receive(t, client, main); len(again) != 0 {
			t.Errorf("attempt %d: a held message was received again", attempt)
		}
		if _, err := client.ChangeMessageVisibility(t.Context(), &sqs.ChangeMessageVisibilityInput{
			QueueUrl: main, ReceiptHandle: held[0].ReceiptHandle, VisibilityTimeout: 0,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if more := receive(t, client, main); len(more) != 0 {
		t.Errorf("received %d times, want at most twice", 3)
	}
	if got := receive(t, client, dead); len(got) != 1 {
		t.Errorf("%d messages in the dead-letter queue, want 1", len(got))
	}
}

func TestADeletedMessageIsGone(t *testing.T) {
	t.Parallel()
	client, main, dead := newQueues(t)
	sent, err := client.SendMessageBatch(t.Context(), &sqs.SendMessageBatchInput{
		QueueUrl: main, Entries: []sqstypes.SendMessageBatchRequestEntry{
			{Id: aws.String("1"), MessageBody: aws.String("one")}, {Id: aws.String("2"), MessageBody: aws.String("two")},
		},
	})
	if err != nil || len(sent.Failed) != 0 {
		t.Fatalf("send: %v, failed %v", err, sent)
	}
	var bodies []string
	for _, m := range receive(t, client, main) {
		bodies = append(bodies, aws.ToString(m.Body))
		if _, err := client.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: main, ReceiptHandle: m.ReceiptHandle}); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(bodies)
	if want := []string{"one", "two"}; !slices.Equal(bodies, want) {
		t.Errorf("received %q, want %q", bodies, want)
	}
	if left := receive(t, client, dead); len(left) != 0 {
		t.Errorf("%d deleted messages in the dead-letter queue", len(left))
	}
}
