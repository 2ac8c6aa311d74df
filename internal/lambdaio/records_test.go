package lambdaio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"onefold/internal/lambdaio"
	"onefold/internal/ledger"
	"onefold/internal/queue"
)

// pushed is a stream record in the shape of the Lambda Developer Guide,
// "Process Amazon DynamoDB records with Lambda" (read 2026-11).
func pushed(number, operation string) string {
	return fmt.Sprintf(`{
		"eventID": "c4ca4238a0b923820dcc509a6f75849b", "eventName": "INSERT", "eventVersion": "1.1", "eventSource": "aws:dynamodb", "awsRegion": "us-east-1",
		"dynamodb": {
			"ApproximateCreationDateTime": 1479499740, "SizeBytes": 112, "StreamViewType": "NEW_IMAGE", "SequenceNumber": %q,
			"Keys": {"pk": {"S": "acme#operation#%[2]s"}, "sk": {"S": "operation"}},
			"NewImage": {"pk": {"S": "acme#operation#%[2]s"}, "sk": {"S": "operation"}, "entity": {"S": "operation"}, "tenant": {"S": "acme"}, "id": {"S": %[2]q}}
		},
		"eventSourceARN": "arn:aws:dynamodb:us-east-1:123456789012:table/onefold-test-outbox/stream/2026-11-29T00:00:00.000"
	}`, number, operation)
}

// message is a queue record in the shape of the Lambda Developer Guide, "Using
// Lambda with Amazon SQS" (read 2026-11).
func message(id, body string) string {
	return fmt.Sprintf(`{
		"messageId": %q, "receiptHandle": "handle of %[1]s", "body": %[2]q,
		"attributes": {"ApproximateReceiveCount": "3", "SentTimestamp": "1545082649183", "SenderId": "AIDAIENQZJOLO23YVJ4VO", "ApproximateFirstReceiveTimestamp": "1545082649185"},
		"messageAttributes": {}, "md5OfBody": "e4e68fb7bd0e697a0ae8f1bb342846b3", "eventSource": "aws:sqs",
		"eventSourceARN": "arn:aws:sqs:us-east-2:123456789012:my-queue", "awsRegion": "us-east-2"
	}`, id, body)
}

// raws are the records of a batch.
func raws(records ...string) []json.RawMessage {
	all := make([]json.RawMessage, len(records))
	for i, r := range records {
		all[i] = json.RawMessage(r)
	}
	return all
}

// logged has a log to read afterwards.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewJSONHandler(&b, nil)), &b
}

func options(log *slog.Logger) lambdaio.Options {
	return lambdaio.Options{Begin: 20 * time.Second, Keep: 6 * time.Second, Now: time.Now, Log: log}
}

// seen notes the operations that are worked on, and fails by name.
type seen struct {
	got   []string
	fails map[string]func() error
}

func (s *seen) change(_ context.Context, ch ledger.Change) error { return s.one(ch.Key.ID) }

func (s *seen) message(_ context.Context, m queue.Message) error { return s.one(m.ID) }

func (s *seen) one(id string) error {
	s.got = append(s.got, id)
	if fail := s.fails[id]; fail != nil {
		return fail()
	}
	return nil
}

func failsWith(err error) func() error { return func() error { return err } }

func panicking() error { panic("ann@example.org wrote this") }

func mustNotShow(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("%q is shown in %s", w, text)
		}
	}
}
