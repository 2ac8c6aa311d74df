package lambdaio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-lambda-go/events"
)

// BatchHandler works on the records of one batch, as JSON, and returns the
// identifiers of those that are to come again; none of them is empty. An error
// means all of them.
type BatchHandler func(ctx context.Context, records []json.RawMessage) (failed []string, err error)

// Function is what Lambda calls. Each field is one shape of payload that it
// takes; nil: it does not. A payload of any other shape is an error that names
// the payload's top-level keys and nothing else of it. A panic is an error
// that names the panic's type alone, since its value may quote anything.
//
// It is a lambda.Handler, and is used by pointer.
type Function struct {
	HTTP   HTTPHandler  // of an HTTP API, payload version 2.0
	Stream BatchHandler // of a DynamoDB stream: see Stream
	Queue  BatchHandler // of an SQS queue: see Queue
	// Words are commands: {"onefold":"probe"}, by the word.
	Words map[string]func(context.Context) error
	// Scheduled takes the events of EventBridge schedules that were given no
	// input of their own.
	Scheduled func(context.Context) error
	Log       *slog.Logger // required

	warm atomic.Bool
}

// Invoke works on one payload.
func (f *Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	ctx = withInvocation(ctx, !f.warm.Swap(true))
	var out []byte
	err := guarded(func() (err error) {
		out, err = f.dispatch(ctx, payload)
		return err
	})
	if err != nil {
		f.Log.LogAttrs(ctx, slog.LevelError, "the call failed", slog.String("error", err.Error()))
	}
	return out, err
}

func (f *Function) dispatch(ctx context.Context, payload []byte) ([]byte, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(payload, &top); err != nil || top == nil {
		return nil, errors.New("the payload is no JSON object")
	}
	switch shapeOf(top) {
	case "onefold":
		if do := f.Words[textOf(top["onefold"])]; do != nil {
			return []byte("null"), do(ctx)
		}
	case "scheduled":
		if f.Scheduled != nil {
			return []byte("null"), f.Scheduled(ctx)
		}
	case "http":
		if f.HTTP != nil {
			return f.http(ctx, payload)
		}
	case "aws:dynamodb":
		if f.Stream != nil {
			return batch(ctx, f.Stream, top["Records"])
		}
	case "aws:sqs":
		if f.Queue != nil {
			return batch(ctx, f.Queue, top["Records"])
		}
	}
	return nil, unknownShape(top)
}

// shapeOf names the shape of a payload: that of its records' source, "http",
// "scheduled" or "onefold"; "" is none of these.
func shapeOf(top map[string]json.RawMessage) string {
	switch {
	case top["Records"] != nil:
		return sourceOf(top["Records"])
	case top["onefold"] != nil && len(top) == 1:
		return "onefold"
	case textOf(top["version"]) == "2.0" && top["requestContext"] != nil && top["rawPath"] != nil:
		return "http"
	case textOf(top["detail-type"]) == "Scheduled Event" &&
		slices.Contains([]string{"aws.events", "aws.scheduler"}, textOf(top["source"])):
		return "scheduled"
	}
	return ""
}

// sourceOf is the source that all records share, "" where they do not.
func sourceOf(raw json.RawMessage) string {
	var records []struct {
		EventSource string `json:"eventSource"`
	}
	if err := json.Unmarshal(raw, &records); err != nil || len(records) == 0 {
		return ""
	}
	for _, r := range records[1:] {
		if r.EventSource != records[0].EventSource {
			return ""
		}
	}
	return records[0].EventSource
}

func (f *Function) http(ctx context.Context, payload []byte) ([]byte, error) {
	var r events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(payload, &r); err != nil {
		return nil, errors.New("a request of the HTTP API that is not as documented")
	}
	resp, err := f.HTTP(ctx, r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(resp)
}

// batch answers in the one form that streams and queues share (Lambda
// Developer Guide, "Implementing partial batch responses", read 2026-11).
func batch(ctx context.Context, h BatchHandler, raw json.RawMessage) ([]byte, error) {
	var records []json.RawMessage
	if err := json.Unmarshal(raw, &records); err != nil {
		return nil, errors.New("records that are no list")
	}
	failed, err := h(ctx, records)
	if err != nil {
		return nil, err
	}
	out := events.DynamoDBEventResponse{BatchItemFailures: []events.DynamoDBBatchItemFailure{}}
	for _, id := range failed {
		out.BatchItemFailures = append(out.BatchItemFailures, events.DynamoDBBatchItemFailure{ItemIdentifier: id})
	}
	return json.Marshal(out)
}

func textOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // what is no text is ""
	return s
}

// unknownShape names keys that look like a program's; whoever sends anything
// else may have put data there.
func unknownShape(top map[string]json.RawMessage) error {
	var keys []string
	for k := range top {
		if len(k) > 40 || strings.ContainsFunc(k, func(c rune) bool {
			return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
		}) {
			k = "?"
		}
		keys = append(keys, k)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	return fmt.Errorf("a payload that this function does not take, with the keys %s", strings.Join(keys[:min(len(keys), 20)], ", "))
}
