package sqs_test

// Real: this package, the SDK, HTTP. Emulated: SQS, by MiniStack. A message
// that comes again is made visible by hand, so that no test waits for a timeout.

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/queue"
	"onefold/internal/queue/sqs"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

var _ queue.Queue = (*sqs.Queue)(nil)

type bench struct {
	*testing.T
	client *awssqs.Client
	url    string
	q      *sqs.Queue
}

func newBench(t *testing.T) bench {
	t.Helper()
	stack := localawstest.ForTest(t)
	client := awssqs.NewFromConfig(stack.Config(stack.NewAccount()))
	out, err := client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: aws.String("feedback")})
	if err != nil {
		t.Fatal(err)
	}
	q, err := sqs.New(client, *out.QueueUrl, 0)
	if err != nil {
		t.Fatal(err)
	}
	return bench{t, client, *out.QueueUrl, q}
}

func (b bench) receive(max int) []queue.Message {
	b.Helper()
	ms, err := b.q.Receive(b.Context(), max)
	if err != nil {
		b.Fatal(err)
	}
	return ms
}

func (b bench) send(bodies ...string) {
	b.Helper()
	for _, body := range bodies {
		if err := b.q.Send(b.Context(), []byte(body)); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAMessageComesAgainUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.send(`{"mail":"ünï <&> \u0000"}`)
	first := b.receive(1)
	if len(first) != 1 || string(first[0].Body) != `{"mail":"ünï <&> \u0000"}` || first[0].Received != 1 {
		t.Fatalf("received %+v", first)
	}
	if hidden := b.receive(10); len(hidden) != 0 {
		t.Fatalf("a hidden message came: %+v", hidden)
	}
	// The visibility timeout ends.
	if _, err := b.client.ChangeMessageVisibility(t.Context(), &awssqs.ChangeMessageVisibilityInput{
		QueueUrl: &b.url, ReceiptHandle: &first[0].Receipt, VisibilityTimeout: 0}); err != nil {
		t.Fatal(err)
	}
	again := b.receive(10)
	if len(again) != 1 || again[0].ID != first[0].ID || again[0].Received != 2 {
		t.Fatalf("received %+v, want message %s a second time", again, first[0].ID)
	}
	// On AWS a second delete succeeds too; MiniStack refuses its receipt.
	if err := b.q.Delete(t.Context(), again[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := b.client.ChangeMessageVisibility(t.Context(), &awssqs.ChangeMessageVisibilityInput{
		QueueUrl: &b.url, ReceiptHandle: &again[0].Receipt, VisibilityTimeout: 0}); err == nil {
		t.Error("the deleted message can still be made visible")
	}
	if rest := b.receive(10); len(rest) != 0 {
		t.Errorf("after the delete came %+v", rest)
	}
}

func TestReceiveGivesAtMostWhatWasAsked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	want := []string{"a", "b", "c", "d", "e"}
	b.send(want...)
	var got []string
	for range len(want) {
		ms := b.receive(2)
		if len(ms) > 2 {
			t.Fatalf("%d messages at once, want 2 at most", len(ms))
		}
		for _, m := range ms {
			got = append(got, string(m.Body))
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("received %v, want %v", got, want)
	}
}

func TestWhatSQSCannotCarryIsRefused(t *testing.T) {
	t.Parallel()
	q, err := sqs.New(awssqs.New(awssqs.Options{}), "http://queue.invalid/", 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{
		"empty":        nil,
		"not UTF-8":    {0xff},
		"control byte": []byte("a\x00b"),
		"no character": []byte("\uFFFE"),
		"too long":     bytes.Repeat([]byte("x"), queue.MaxBodyBytes+1),
	} {
		if err := q.Send(t.Context(), body); err == nil || !strings.Contains(err.Error(), "no text") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, max := range []int{0, -1, queue.MaxReceive + 1} {
		if _, err := q.Receive(t.Context(), max); err == nil {
			t.Errorf("receive of %d was accepted", max)
		}
	}
}

func TestErrorsDoNotShowTheBody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := b.q.Send(ctx, []byte("ann@example.com"))
	if err == nil || strings.Contains(err.Error(), "ann") {
		t.Errorf("got %v", err)
	}
	if _, err := b.q.Receive(ctx, 1); err == nil {
		t.Error("receive after the end of its context was no error")
	}
}

func TestNewRefusesWhatSQSWould(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url  string
		wait int
	}{{"", 1}, {"http://queue.invalid/", -1}, {"http://queue.invalid/", 21}} {
		if _, err := sqs.New(awssqs.New(awssqs.Options{}), c.url, c.wait); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}
