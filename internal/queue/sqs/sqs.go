// Package sqs is queue.Queue on an Amazon SQS standard queue, for the local
// runner; a deployment has Lambda's event source mapping in its place.
//
// It owns nothing but the translation: visibility timeout, retention and the
// dead-letter queue are set where the queue is made. It refuses bodies with
// characters that SQS has no room for: of those, AWS's pages say that they are
// refused, or that they are replaced (SendMessage, read 2026-11).
package sqs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"onefold/internal/queue"
)

// Queue is one queue.
type Queue struct {
	client *sqs.Client
	url    string
	wait   int32
}

// New takes the queue's URL and how many seconds, 0 to 20, a Receive waits
// for the first message.
func New(client *sqs.Client, url string, waitSeconds int) (*Queue, error) {
	if url == "" || waitSeconds < 0 || waitSeconds > 20 {
		return nil, fmt.Errorf("sqs: a queue needs its URL and a wait of 0 to 20 seconds, not %d", waitSeconds)
	}
	return &Queue{client: client, url: url, wait: int32(waitSeconds)}, nil
}

// Receive implements queue.Queue.
func (q *Queue) Receive(ctx context.Context, max int) ([]queue.Message, error) {
	if max < 1 || max > queue.MaxReceive {
		return nil, fmt.Errorf("sqs: receive of %d messages", max)
	}
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &q.url, MaxNumberOfMessages: int32(max), WaitTimeSeconds: q.wait,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameApproximateReceiveCount},
	})
	if err != nil {
		return nil, fmt.Errorf("sqs: receive: %w", err)
	}
	messages := make([]queue.Message, 0, len(out.Messages))
	for _, m := range out.Messages {
		// Absent or unreadable, the count is 0: not said.
		received, _ := strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
		messages = append(messages, queue.Message{ID: text(m.MessageId), Body: []byte(text(m.Body)),
			Receipt: text(m.ReceiptHandle), Received: received})
	}
	return messages, nil
}

// Delete implements queue.Queue.
func (q *Queue) Delete(ctx context.Context, m queue.Message) error {
	if _, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: &m.Receipt}); err != nil {
		return fmt.Errorf("sqs: delete message %s: %w", m.ID, err)
	}
	return nil
}

var errBody = errors.New("a body that is empty, too long, or no text that SQS takes")

// Send implements queue.Queue.
func (q *Queue) Send(ctx context.Context, body []byte) error {
	s := string(body)
	if !carries(s) {
		return fmt.Errorf("sqs: send %d bytes: %w", len(body), errBody)
	}
	if _, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: &s}); err != nil {
		return fmt.Errorf("sqs: send %d bytes: %w", len(body), err)
	}
	return nil
}

// carries tells whether SQS takes a text: the characters that XML 1.0 allows.
func carries(s string) bool {
	if s == "" || len(s) > queue.MaxBodyBytes || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\uFFFE' || r == '\uFFFF' {
			return false
		}
	}
	return true
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
