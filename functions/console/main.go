// Command console is the function that serves the review pages to people who
// have signed in.
//
// Trigger: /console/ of the HTTP API. A crash leaves an answer that was stored,
// or was not: the page shows which, and answering again is safe.
package main

import (
	"context"
	"os"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
)

func main() {
	if err := lambdaio.Run(app.Console(context.Background())); err != nil {
		os.Exit(1)
	}
}
