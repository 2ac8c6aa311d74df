// Command sweep is the function that brings back what nobody has moved.
//
// Trigger: a schedule, each minute, with {"onefold":"sweep"}. A crash leaves
// rows whose due time has passed, for the next run.
package main

import (
	"context"
	"os"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
)

func main() {
	if err := lambdaio.Run(app.Sweep(context.Background())); err != nil {
		os.Exit(1)
	}
}
