package sweep_test

import (
	"fmt"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/sweep"
)

func TestOneRunIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n := range 50 {
		b.operation(fmt.Sprint("row", n), -time.Minute)
	}
	if rep := b.run(); rep.Nudged != 20 {
		t.Errorf("%d of 50 rows were moved in a run of 20", rep.Nudged)
	}
}

// Whatever is at the head of the index, and however much of it: a row that
// falls due is reached in as many runs as it takes to go once through what was
// due before it.
func TestNothingStuckHidesAFreshRow(t *testing.T) {
	t.Parallel()
	for name, stuck := range map[string]ledger.Item{
		"rows that never move":                 {"nudges": 3},
		"rows about to be parked":              {"nudges": sweep.MaxNudges},
		"final rows that kept a timer":         {"state": outbox.Done, "nudges": sweep.MaxNudges},
		"rows with a person that kept a timer": {"state": outbox.Refused, "nudges": sweep.MaxNudges},
		"rows in a state of newer code":        {"state": "negotiating", "nudges": sweep.MaxNudges},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const many, per = 1000, 100
			b := newBench(t)
			b.per = per
			for n := range many {
				b.set(b.operation(fmt.Sprint("stuck", n), -time.Hour), stuck)
			}
			fresh := b.operation("fresh", 0)
			for run := range many/per + 1 {
				b.run()
				if b.row(fresh).Int("nudges") == 1 {
					return
				}
				b.now = b.now.Add(time.Second)
				if run == many/per {
					t.Error("the fresh row was not reached")
				}
			}
		})
	}
}

func TestAFinalRowLosesATimerItKeptAndNothingElse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	k := b.operation("done", 0)
	b.set(k, ledger.Item{"state": outbox.Done})
	before := b.row(k)
	if rep := b.run(); rep != (sweep.Report{Cleared: 1}) {
		t.Errorf("%+v", rep)
	}
	after := b.row(k)
	for attr, v := range before {
		switch attr {
		case schema.DueAt, schema.DueShard:
			if after.Text(attr) != "" {
				t.Errorf("%s is still %v", attr, after[attr])
			}
		case schema.Version:
		default:
			if fmt.Sprint(after[attr]) != fmt.Sprint(v) {
				t.Errorf("%s was %v and is %v", attr, v, after[attr])
			}
		}
	}
}

func TestARowOfNewerCodeIsNudgedOnAndNeverParked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	k := b.operation("new", 0)
	b.set(k, ledger.Item{"state": "negotiating"})
	for range 2 * sweep.MaxNudges {
		b.run()
		b.now = b.now.Add(time.Hour)
	}
	if it := b.row(k); it.Text("state") != "negotiating" || it.Int("nudges") < 2*sweep.MaxNudges || it.Text(schema.DueAt) == "" {
		t.Errorf("it is %s after %d nudges, due %q", it.Text("state"), it.Int("nudges"), it.Text(schema.DueAt))
	}
}
