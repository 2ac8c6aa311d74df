package lambdaio

import (
	"context"
	"strings"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Invocation is what a log line tells of the call that it belongs to.
type Invocation struct {
	RequestID string
	TraceID   string // of X-Ray, its root; "" without tracing
	ColdStart bool   // the first call of this process
}

type invocationKey struct{}

func withInvocation(ctx context.Context, first bool) context.Context {
	i := Invocation{ColdStart: first}
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		i.RequestID = lc.AwsRequestID
	}
	// The library's key is this text.
	if header, ok := ctx.Value("x-amzn-trace-id").(string); ok {
		i.TraceID = traceRoot(header)
	}
	return context.WithValue(ctx, invocationKey{}, i)
}

// InvocationOf is the call whose context this is; zero outside of any.
func InvocationOf(ctx context.Context) Invocation {
	i, _ := ctx.Value(invocationKey{}).(Invocation)
	return i
}

// traceRoot is the trace's ID in a header such as
// "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=557abcec3ee5a047;Sampled=1"
// (X-Ray Developer Guide, "Tracing header", read 2026-11).
func traceRoot(header string) string {
	for part := range strings.SplitSeq(header, ";") {
		if root, ok := strings.CutPrefix(strings.TrimSpace(part), "Root="); ok {
			return root
		}
	}
	return ""
}
