package dynamo

import (
	"context"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// CountRequests is an option of a client: seen is called with the operation's
// name, such as "GetItem", once for every request that goes on the wire, the
// SDK's repeats included. seen must be safe for concurrent use.
func CountRequests(seen func(operation string)) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
			return s.Deserialize.Add(middleware.DeserializeMiddlewareFunc("OnefoldCount",
				func(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
					middleware.DeserializeOutput, middleware.Metadata, error,
				) {
					seen(awsmiddleware.GetOperationName(ctx))
					return next.HandleDeserialize(ctx, in)
				}), middleware.After)
		})
	}
}

// witness watches every request of one call, the SDK's repeats too. The call
// itself returns the last answer only, and a throttle after a lost answer must
// not read as "nothing was written".
type witness struct {
	sent bool // the present request reached the transport
	open bool // some request was sent and may have been written
}

func (w *witness) watch(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error {
		if err := s.Deserialize.Add(middleware.DeserializeMiddlewareFunc("OnefoldSent", w.mark), middleware.After); err != nil {
			return err
		}
		return s.Finalize.Insert(middleware.FinalizeMiddlewareFunc("OnefoldWitness", w.attempt), "Retry", middleware.After)
	})
}

// mark is the last step before the transport.
func (w *witness) mark(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	middleware.DeserializeOutput, middleware.Metadata, error,
) {
	w.sent = true
	return next.HandleDeserialize(ctx, in)
}

// attempt is the first step of each try of the SDK's retries.
func (w *witness) attempt(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	w.sent = false
	out, md, err := next.HandleFinalize(ctx, in)
	if err != nil && w.sent && judge(err).open {
		w.open = true
	}
	return out, md, err
}
