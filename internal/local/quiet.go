package local

import (
	"context"
	"fmt"
	"strings"
	"time"

	"onefold/internal/app"
	"onefold/internal/ledger"
	"onefold/internal/record/claim"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// WaitQuiet waits until nothing is left that would move by itself soon: no
// worker is busy, no event is undecided, no operation is due within the
// horizon, no submission is under way, and every event of the provider has
// been handed out. Rows that wait for a person or a later moment are quiet.
func (s *System) WaitQuiet(ctx context.Context, horizon time.Duration) error {
	var left []string
	for {
		if err := s.fakes.ses.Flush(ctx); err != nil {
			return fmt.Errorf("wait for the provider's events: %w", err)
		}
		if s.busy.quietFor() > 250*time.Millisecond {
			var err error
			if left, err = s.moving(ctx, horizon); err != nil {
				return err
			}
			if len(left) == 0 && s.busy.quietFor() > 250*time.Millisecond {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the system did not become quiet in time; still moving: %s", strings.Join(left, ", "))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// moving names rows, by kind and state, that have something to do soon.
func (s *System) moving(ctx context.Context, horizon time.Duration) ([]string, error) {
	soon := utc.At(app.Clock().Add(horizon)).String()
	var left []string
	for _, t := range []schema.Table{schema.Events, schema.Outbox, schema.Ledger} {
		for cursor := ""; ; {
			page, err := s.Opened.Store.Scan(ctx, ledger.Scan{Table: t, Segments: 1, Cursor: cursor, Limit: 500})
			if err != nil {
				return nil, err
			}
			for _, it := range page.Items {
				if isMoving(it, soon) {
					left = append(left, it.Text(schema.Entity)+" "+it.Text("kind")+" "+it.Text(machine.StateAttr)+" "+it.Text(machine.ReasonAttr))
				}
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
	}
	return left, nil
}

func isMoving(it ledger.Item, soon string) bool {
	switch ledger.Entity(it.Text(schema.Entity)) {
	case ledger.Event:
		return it.Text(machine.StateAttr) == inbound.Recorded && it.Text(claim.NotBeforeAttr) <= soon
	case ledger.Operation:
		state := it.Text(machine.StateAttr)
		return (state == outbox.Open || state == outbox.Waiting) && it.Text(claim.NotBeforeAttr) <= soon
	case ledger.Intent:
		return it.Text(machine.StateAttr) == followup.Sending
	default:
		return false
	}
}
