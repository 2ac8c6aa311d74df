package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"onefold/internal/ledger"
)

// verdict is what one failed request tells.
type verdict struct {
	means  error  // one of the ledger's errors
	detail string // DynamoDB's code or our words; never its message
	repeat bool   // the same commit may be sent again by this call
	open   bool   // the request, or an earlier one with its token, may have been written
}

// judge reads the error of a request. Only an error that DynamoDB itself gives
// with a 4xx proves that nothing was written, or that no connection was made.
func judge(err error) verdict {
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		return judgeReasons(canceled.CancellationReasons)
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		return judgeCode(api.ErrorCode(), status(err))
	}
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return verdict{means: ledger.ErrUnavailable, detail: "host not found"}
	case errors.As(err, &op) && op.Op == "dial":
		return verdict{means: ledger.ErrUnavailable, detail: "no connection made: " + op.Err.Error()}
	default:
		return verdict{means: ledger.ErrUnknown, detail: "no answer came", open: true}
	}
}

// judgeReasons reads a cancelled transaction whose conditions, if any failed,
// the caller has already decoded. What was cancelled was not written. An
// invalid action comes before a conflict: no repeat mends it.
func judgeReasons(reasons []types.CancellationReason) verdict {
	v := verdict{means: ledger.ErrUnavailable, detail: "cancelled without a known reason"}
	for _, r := range reasons {
		switch code := text(r.Code); code {
		case "ValidationError", "ItemCollectionSizeLimitExceeded":
			return verdict{means: ledger.ErrInvalid, detail: code}
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			v = verdict{means: ledger.ErrContention, detail: code, repeat: true}
		case "", "None":
		default:
			if !v.repeat {
				v.detail = code
			}
		}
	}
	return v
}

// judgeCode maps the error codes of the API Reference, "Common Errors" and
// TransactWriteItems, read 2026-11.
func judgeCode(code string, httpStatus int) verdict {
	switch code {
	case "TransactionInProgressException":
		// An earlier request with this token is still at work.
		return verdict{means: ledger.ErrUnknown, detail: code, repeat: true, open: true}
	case "IdempotentParameterMismatchException":
		// Tokens are random and a call repeats only its own request, so this is
		// a fault of the store's side; the first request may have been written.
		return verdict{means: ledger.ErrUnknown, open: true,
			detail: "the request's token is held by a request with another content, which may have been written"}
	case "TransactionConflictException", "ReplicatedWriteConflictException",
		"ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded":
		return verdict{means: ledger.ErrContention, detail: code, repeat: true}
	case "ValidationException", "SerializationException", "ItemCollectionSizeLimitExceededException":
		return verdict{means: ledger.ErrInvalid, detail: code}
	case "ResourceNotFoundException":
		return verdict{means: ledger.ErrUnavailable,
			detail: "no such table or index; is the prefix right, and is the deployment done?"}
	}
	switch {
	case httpStatus == http.StatusTooManyRequests:
		return verdict{means: ledger.ErrContention, detail: code, repeat: true}
	case httpStatus >= 400 && httpStatus < 500 && httpStatus != http.StatusRequestTimeout:
		return verdict{means: ledger.ErrUnavailable, detail: code}
	default:
		return verdict{means: ledger.ErrUnknown, detail: code, open: true}
	}
}

func status(err error) int {
	var re *smithyhttp.ResponseError
	if errors.As(err, &re) {
		return re.HTTPStatusCode()
	}
	return 0
}

// refusal decodes the failed conditions of a cancelled transaction: reasons
// stand in the order of the writes. A condition that failed is an answer, so
// it goes before whatever else was in the way. nil if none failed.
func refusal(err error, writes []ledger.Write) error {
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return nil
	}
	var failures []ledger.Failure
	for i, r := range canceled.CancellationReasons {
		if text(r.Code) != "ConditionalCheckFailed" || i >= len(writes) {
			continue
		}
		current, err := decode(r.Item)
		if err != nil {
			return fmt.Errorf("read what refused a write of %s: %w", writes[i].Key.Entity, err)
		}
		failures = append(failures, ledger.Failure{Name: writes[i].Name, Key: writes[i].Key, Current: current})
	}
	if len(failures) == 0 {
		return nil
	}
	return &ledger.Refused{Failures: failures}
}

// fault is the error that leaves the package. subject names entity and tenant
// only. A context that has ended is kept, for callers that ask.
func fault(ctx context.Context, subject string, means error, detail string) error {
	if ended := ctx.Err(); ended != nil {
		return fmt.Errorf("%s: %w: %s: %w", subject, means, detail, ended)
	}
	return fmt.Errorf("%s: %w: %s", subject, means, detail)
}

// readFault is the error of a read, which writes nothing whatever happened.
func readFault(ctx context.Context, subject string, err error) error {
	v := judge(err)
	if errors.Is(v.means, ledger.ErrUnknown) {
		v.means = ledger.ErrUnavailable
	}
	return fault(ctx, subject, v.means, v.detail)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
