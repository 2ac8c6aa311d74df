// Command send is the function that submits follow-ups, and probes the feed of
// the provider's events.
//
// Trigger: the stream of the outbox table; a schedule with {"onefold":"probe"}.
// A crash leaves an intent that is ready, or one in sending whose lease lapses
// and which then counts as unknown: it is not sent again without evidence, a
// person, or a policy that says so. A crash in a probe leaves nothing.
package main

import (
	"context"
	"os"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
)

func main() {
	if err := lambdaio.Run(app.Send(context.Background())); err != nil {
		os.Exit(1)
	}
}
