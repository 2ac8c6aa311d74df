// Command feedback is the function that takes the provider's events about mail
// that was sent.
//
// Trigger: the queue of events. A crash leaves a message that comes again, and
// finds on the ledger what is done.
package main

import (
	"context"
	"os"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
)

func main() {
	if err := lambdaio.Run(app.Feedback(context.Background())); err != nil {
		os.Exit(1)
	}
}
