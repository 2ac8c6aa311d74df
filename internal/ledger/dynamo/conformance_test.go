package dynamo_test

import (
	"testing"
	"time"

	"onefold/internal/ledger/dynamo"
	"onefold/internal/ledger/ledgertest"
)

// Reopening ends the Store and the Feed, not the process: their items are in
// the tables, the checkpoints in memory. What a feed does in a new process is
// TestANewProcessIsHandedEverythingAgain.
func TestConformance(t *testing.T) {
	t.Parallel()
	tb := newTables(t)
	ledgertest.Suite(t, func(*testing.T) ledgertest.Opened { return tb.open(&dynamo.Checkpoints{}) })
}

func (tb tables) open(c *dynamo.Checkpoints) ledgertest.Opened {
	return ledgertest.Opened{
		Store: tb.store(), Feed: tb.feed(c), Lag: 5 * time.Second,
		Reopen: func(*testing.T) ledgertest.Opened { return tb.open(c) },
	}
}
