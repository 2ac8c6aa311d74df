package lambdaio

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"

	"onefold/internal/queue"

	"github.com/aws/aws-lambda-go/events"
)

// Queue works on the messages of an SQS queue and reports those that are to
// come again: the queue shows them anew after its visibility timeout, and puts
// them into its dead-letter queue when they have come too often (Lambda
// Developer Guide, "Handling errors for an SQS event source", read 2026-11).
// What is not reported is deleted by Lambda.
//
// One message's failure, a panic included, is no other's. Where the ledger does
// not answer, or the time is over, the rest is not begun and reported too.
func Queue(handle func(context.Context, queue.Message) error, o Options) BatchHandler {
	return func(ctx context.Context, records []json.RawMessage) ([]string, error) {
		messages, err := messagesOf(records)
		if err != nil {
			return nil, err
		}
		var failed []string
		for i, m := range messages {
			if i > 0 && o.late(ctx) {
				o.outOfTime(ctx, len(messages)-i)
				return append(failed, idsOf(messages[i:])...), nil
			}
			err := o.one(ctx, func(ctx context.Context) error { return handle(ctx, m) })
			if err == nil {
				continue
			}
			o.handedBack(ctx, err, slog.String("record", m.ID), slog.Int("attempt", m.Received))
			if unreachable(err) {
				return append(failed, idsOf(messages[i:])...), nil
			}
			failed = append(failed, m.ID)
		}
		return failed, nil
	}
}

// messagesOf reads the records. A message without an ID could not be reported,
// and an empty identifier would mean the whole batch; so it is an error.
func messagesOf(records []json.RawMessage) ([]queue.Message, error) {
	messages := make([]queue.Message, len(records))
	for i, raw := range records {
		var r events.SQSMessage
		if err := json.Unmarshal(raw, &r); err != nil || r.MessageId == "" {
			return nil, errors.New("a message of the queue that is not as documented")
		}
		received, _ := strconv.Atoi(r.Attributes["ApproximateReceiveCount"]) // 0 where the queue does not say
		messages[i] = queue.Message{ID: r.MessageId, Body: []byte(r.Body), Receipt: r.ReceiptHandle, Received: received}
	}
	return messages, nil
}

func idsOf(messages []queue.Message) []string {
	ids := make([]string, len(messages))
	for i, m := range messages {
		ids[i] = m.ID
	}
	return ids
}
