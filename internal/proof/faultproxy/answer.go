package faultproxy

import (
	"encoding/json"
	"net/http"
)

// The shapes and codes are those of the DynamoDB API Reference, "Common
// Errors" and TransactWriteItems, and of the Developer Guide, "Error handling"
// (read 2026-11).
const namespace = "com.amazonaws.dynamodb.v20120810#"

type problem struct {
	Type    string   `json:"__type"`
	Message string   `json:"message"`
	Reasons []reason `json:"CancellationReasons,omitempty"`
}

type reason struct {
	Code    string
	Message string
}

// answer writes DynamoDB's own words for a fault.
func answer(w http.ResponseWriter, f Fault, r Request) {
	status, body := http.StatusBadRequest, problem{}
	switch f {
	case Conflict:
		body.Type, body.Message = namespace+"TransactionCanceledException", "Transaction cancelled, please refer cancellation reasons for specific reasons"
		for range r.Items() {
			body.Reasons = append(body.Reasons, reason{"TransactionConflict", "Transaction is ongoing for the item"})
		}
	case Throttle:
		body.Type, body.Message = "com.amazon.coral.availability#ThrottlingException", "Rate of requests exceeds the allowed throughput."
	case Exceeded:
		body.Type = namespace + "ProvisionedThroughputExceededException"
		body.Message = "The level of configured provisioned throughput for the table was exceeded."
	default: // FailBefore, FailAfter
		status, body.Type, body.Message = http.StatusInternalServerError, namespace+"InternalServerError", "Internal server error"
	}
	text, err := json.Marshal(body)
	if err != nil { // unreachable: texts only
		cut(w)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone
}
