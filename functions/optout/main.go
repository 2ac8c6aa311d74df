// Command optout is the function that takes the use of opt-out links.
//
// Trigger: /optout/ of the HTTP API, by mail clients and by people. A crash
// leaves a stop that was stored, or was not: whoever used the link is told
// which, and using it again is safe.
package main

import (
	"context"
	"os"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
)

func main() {
	if err := lambdaio.Run(app.Optout(context.Background())); err != nil {
		os.Exit(1)
	}
}
