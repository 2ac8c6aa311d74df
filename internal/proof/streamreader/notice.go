package streamreader

import (
	"encoding/json"
	"time"
)

// The conditions of a notice. The first is in AWS's example; the second is not
// written on that page.
const (
	RetriesExhausted = "RetryAttemptsExhausted"
	AgeExceeded      = "RecordAgeExceeded"
)

// Notice is the word of records that were given up: where they were in the
// stream, and nothing of what was in them.
type Notice struct {
	Condition   string
	Calls       int // approximately
	At          time.Time
	Shard       string
	First, Last string // sequence numbers
	FirstAt     time.Time
	LastAt      time.Time
	Records     int
}

// Document is the notice as a queue receives it ("Retain discarded records for
// a DynamoDB event source in Lambda", example invocation record, read 2026-11).
func (n Notice) Document(functionARN, streamARN string) ([]byte, error) {
	stamp := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
	type object map[string]any
	doc := object{
		"requestContext": object{
			"requestId": n.Shard + "-" + n.First, "functionArn": functionARN,
			"condition": n.Condition, "approximateInvokeCount": n.Calls,
		},
		"responseContext": object{"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
		"version":         "1.0",
		"timestamp":       stamp(n.At),
		"DDBStreamBatchInfo": object{
			"shardId": n.Shard, "startSequenceNumber": n.First, "endSequenceNumber": n.Last,
			"approximateArrivalOfFirstRecord": stamp(n.FirstAt), "approximateArrivalOfLastRecord": stamp(n.LastAt),
			"batchSize": n.Records, "streamArn": streamARN,
		},
	}
	return json.Marshal(doc)
}
