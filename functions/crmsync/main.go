// Command crmsync is the function that brings contacts, notes and tasks into
// each tenant's CRM.
//
// Trigger: the stream of the outbox table. A crash leaves an operation with a
// claim that lapses; whoever takes it over repeats the call with the same
// reference.
package main

import (
	"context"
	"os"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
)

func main() {
	if err := lambdaio.Run(app.CRMSync(context.Background())); err != nil {
		os.Exit(1)
	}
}
