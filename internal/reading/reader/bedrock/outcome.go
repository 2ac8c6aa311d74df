package bedrock

import (
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"onefold/internal/reading/reader"
)

// The reasons that a person or an operator may see.
const (
	reasonGuardrail  = "reader_guardrail"   // the guardrail stopped the message or the answer
	reasonFiltered   = "reader_filtered"    // the model's own filter did
	reasonTruncated  = "reader_truncated"   // the answer ran into MaxTokens
	reasonTooLong    = "reader_too_long"    // message and answer do not fit the model
	reasonStopped    = "reader_stopped"     // the model stopped where it should not, or for a reason not known here
	reasonGarbled    = "reader_garbled"     // the answer is no record of the schema
	reasonThrottled  = "reader_throttled"   // the account's rate is used up
	reasonNotReady   = "reader_not_ready"   // the model is being loaded, or the service has no room
	reasonDenied     = "reader_denied"      // credentials, permission, or access to the model
	reasonBadRequest = "reader_bad_request" // the request is not one for this model
	reasonNoModel    = "reader_no_model"    // no such model, profile or guardrail
	reasonQuota      = "reader_quota"       // a quota of the account that only a person can raise
	reasonFault      = "reader_fault"       // the model or the service failed
	reasonSilent     = "reader_silent"      // no answer came, or none that could be read
)

// stopped is the outcome of an answer that did not stop as it should (API
// Reference, Converse, "stopReason", read 2026-11). What was said up to there is
// not looked at.
func stopped(reason types.StopReason) *reader.NoAnswer {
	no := func(o reader.Outcome, reason string) *reader.NoAnswer {
		return &reader.NoAnswer{Outcome: o, Reason: reason}
	}
	switch reason {
	case types.StopReasonGuardrailIntervened:
		return no(reader.Refused, reasonGuardrail)
	case types.StopReasonContentFiltered:
		return no(reader.Refused, reasonFiltered)
	case types.StopReasonMaxTokens:
		return no(reader.CutShort, reasonTruncated)
	case types.StopReasonModelContextWindowExceeded:
		return no(reader.CutShort, reasonTooLong)
	case types.StopReasonMalformedModelOutput, types.StopReasonMalformedToolUse:
		return no(reader.Garbled, reasonGarbled)
	case types.StopReasonEndTurn, types.StopReasonToolUse:
		// Text where a tool was forced, or a tool where none was offered.
		return no(reader.Garbled, reasonGarbled)
	case types.StopReasonStopSequence:
		return no(reader.Refused, reasonStopped) // none was given
	default:
		return no(reader.Refused, reasonStopped)
	}
}

// failed is the outcome of a call that brought no answer.
func failed(err error) *reader.NoAnswer {
	var api smithy.APIError
	if errors.As(err, &api) {
		if no, known := refusal(api.ErrorCode()); known {
			return no
		}
	}
	var resp *smithyhttp.ResponseError
	if errors.As(err, &resp) {
		return byStatus(resp.HTTPStatusCode())
	}
	return &reader.NoAnswer{Outcome: reader.Unknown, Reason: reasonSilent}
}

// refusal knows the errors that Converse documents (API Reference, Converse,
// "Errors", and Amazon Bedrock User Guide, "Troubleshooting API error codes",
// read 2026-11). A conflict is a 400 that the service gives no cure for; a
// quota exceeded is not the rate, which is throttling.
func refusal(code string) (*reader.NoAnswer, bool) {
	table := map[string]reader.NoAnswer{
		"ThrottlingException":           {Outcome: reader.Busy, Reason: reasonThrottled},
		"ModelNotReadyException":        {Outcome: reader.Busy, Reason: reasonNotReady},
		"ServiceUnavailableException":   {Outcome: reader.Busy, Reason: reasonNotReady},
		"AccessDeniedException":         {Outcome: reader.Misconfigured, Reason: reasonDenied},
		"ValidationException":           {Outcome: reader.Misconfigured, Reason: reasonBadRequest},
		"ConflictException":             {Outcome: reader.Misconfigured, Reason: reasonBadRequest},
		"ResourceNotFoundException":     {Outcome: reader.Misconfigured, Reason: reasonNoModel},
		"ServiceQuotaExceededException": {Outcome: reader.Misconfigured, Reason: reasonQuota},
		"ModelTimeoutException":         {Outcome: reader.Unknown, Reason: reasonSilent},
		"ModelErrorException":           {Outcome: reader.Unknown, Reason: reasonFault},
		"InternalServerException":       {Outcome: reader.Unknown, Reason: reasonFault},
	}
	no, known := table[code]
	return &no, known
}

// byStatus judges an error that is not documented, such as one of the
// signature, by its status alone.
func byStatus(status int) *reader.NoAnswer {
	switch {
	case status == http.StatusTooManyRequests:
		return &reader.NoAnswer{Outcome: reader.Busy, Reason: reasonThrottled}
	case status == http.StatusServiceUnavailable:
		return &reader.NoAnswer{Outcome: reader.Busy, Reason: reasonNotReady}
	case status == http.StatusRequestTimeout, status == http.StatusFailedDependency:
		return &reader.NoAnswer{Outcome: reader.Unknown, Reason: reasonFault}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &reader.NoAnswer{Outcome: reader.Misconfigured, Reason: reasonDenied}
	case status >= 400 && status < 500:
		return &reader.NoAnswer{Outcome: reader.Misconfigured, Reason: reasonBadRequest}
	case status >= 500:
		return &reader.NoAnswer{Outcome: reader.Unknown, Reason: reasonFault}
	}
	return &reader.NoAnswer{Outcome: reader.Unknown, Reason: reasonSilent} // a 2xx that cannot be read
}
