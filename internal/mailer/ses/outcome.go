package ses

import (
	"context"
	"errors"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"onefold/internal/mailer"
)

// The reasons that are not a code of SES.
const (
	reasonTooLate      = "too_little_time"
	reasonTimeout      = "timeout"
	reasonCanceled     = "canceled"
	reasonNoRequest    = "no_request"         // the SDK stopped before the network, e.g. no credentials
	reasonNoConnection = "no_connection"      // name, dial or TLS handshake
	reasonLost         = "connection_lost"    // after a connection was obtained
	reasonServerError  = "server_error"       // 5xx
	reasonRedirect     = "redirect"           // 3xx
	reasonUndecoded    = "undecoded_refusal"  // 4xx that is no known error of SES
	reasonNoMessageID  = "no_message_id"      // 2xx without the ID
	reasonBadAnswer    = "undecoded_response" // 2xx that is not JSON
)

// answered is the result of a 2xx that was read. Without a message ID the
// provider's events could not be brought back to this mail, and what answered
// may not have been SES.
func answered(messageID, requestID string) mailer.Result {
	if messageID == "" {
		return mailer.Result{Outcome: mailer.Unknown, RequestID: word(requestID), Reason: reasonNoMessageID}
	}
	return mailer.Result{Outcome: mailer.Accepted, MessageID: messageID, RequestID: word(requestID)}
}

// failed tells the outcomes of an error apart. The order is the rule: first
// the proof that nothing left, then a refusal that SES itself wrote, and all
// else may have been sent.
func failed(err error, f *flight, callErr error) mailer.Result {
	if !f.connected.Load() {
		return mailer.Result{Outcome: mailer.NotBegun, Reason: whyNotBegun(f, callErr)}
	}
	var answer *awshttp.ResponseError
	if !errors.As(err, &answer) || answer.HTTPStatusCode() == 0 {
		reason := reasonLost
		if callErr != nil {
			reason = ended(callErr)
		}
		return mailer.Result{Outcome: mailer.Unknown, Reason: reason}
	}
	result := mailer.Result{Outcome: mailer.Unknown, RequestID: word(answer.ServiceRequestID())}
	switch status := answer.HTTPStatusCode(); {
	case status >= 500:
		result.Reason = reasonServerError
	case status >= 400:
		result.Reason = reasonUndecoded
		var api smithy.APIError
		if errors.As(err, &api) {
			if r, ok := find(api.ErrorCode(), api.ErrorMessage()); ok {
				result.Outcome, result.Halt, result.Reason = r.outcome, r.halt, r.reason
			}
		}
	case status >= 300:
		result.Reason = reasonRedirect
	default:
		result.Reason = reasonBadAnswer
	}
	return result
}

func whyNotBegun(f *flight, callErr error) string {
	switch {
	case callErr != nil:
		return ended(callErr)
	case f.trips.Load() == 0:
		return reasonNoRequest
	default:
		return reasonNoConnection
	}
}

// ended names why a context ended.
func ended(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return reasonTimeout
	}
	return reasonCanceled
}

// word keeps a request ID that looks like one and drops anything else, since
// what answered need not be SES.
func word(s string) string {
	if len(s) > 128 {
		return ""
	}
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' {
			return ""
		}
	}
	return s
}
