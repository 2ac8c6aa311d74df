// Command ingest is the function that takes deliveries in: webhooks of the
// HTTP API, and inbound mail by its queue.
//
// Trigger: POST /v1/{tenant}/{endpoint}; the mail queue. A crash leaves content
// that no event names, which the retention rule removes, or an event that is
// durable and whose sender got no answer: he sends again, and the queue too.
package main

import (
	"context"
	"os"

	"onefold/internal/app"
	"onefold/internal/lambdaio"
)

func main() {
	if err := lambdaio.Run(app.Ingest(context.Background())); err != nil {
		os.Exit(1)
	}
}
