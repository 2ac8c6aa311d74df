// Command extract is the function that reads events and decides them.
//
// Trigger: the stream of the events table. A crash leaves an event with a claim
// that lapses; its due time brings it back to another call.
package main

import (
	"context"
	"os"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
)

func main() {
	if err := lambdaio.Run(app.Extract(context.Background())); err != nil {
		os.Exit(1)
	}
}
