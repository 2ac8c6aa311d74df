package local_test

import (
	"context"
	"testing"
	"time"

	"onefold/events"
	"onefold/internal/local"
)

// TestTheDemoComesToTheRightNumbers runs the samples on every ledger and
// compares with numbers that were reasoned from the rules (events/README.md).
func TestTheDemoComesToTheRightNumbers(t *testing.T) {
	for _, kind := range []string{local.LedgerMemory, local.LedgerBolt} {
		t.Run(kind, func(t *testing.T) {
			s := start(t, kind, t.TempDir(), "auto")
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if err := s.RunScript(ctx, func(name, answer string) { t.Log(name, "→", answer) }); err != nil {
				t.Fatal(err)
			}
			got, err := s.Count(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if got != events.Wanted() {
				t.Errorf("got  %+v\nwant %+v", got, events.Wanted())
			}
		})
	}
}
