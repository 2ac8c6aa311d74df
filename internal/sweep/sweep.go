// Package sweep brings back what nobody has moved: rows whose due time has
// passed.
//
// Its invariant: it makes no decision of the business. It nudges a row, which
// puts it on the stream again, or parks one that ten nudges have not moved.
// Two sweepers at once do no harm: a nudge is conditional on the due time as
// it was read, so one of them wins.
//
// No row keeps another from its turn. Rows come in the order of their due
// times, and whatever is done to one moves that time or removes it, so that it
// is never first twice. A row that cannot be dealt with is left behind and
// reported at the end.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// MaxNudges is how often a row is nudged without progress before it is parked.
const MaxNudges = 10

// Service sweeps. All fields are needed.
type Service struct {
	Store ledger.Store
	Now   func() time.Time
	// PerShard is the most rows of one shard that one run moves, so that one run
	// is bounded and no shard waits for another. It looks at ten times as many.
	PerShard int
	Log      *slog.Logger
}

// Report counts what one run did.
type Report struct {
	Nudged  int
	Parked  int
	Cleared int // timers of rows that wait for nobody, taken off
}

// tally is the report with what the run met before it did anything.
type tally struct {
	Report
	due       int           // rows that were due
	oldest    time.Duration // for how long the longest of them has made no progress
	pastLease int           // submissions whose lease had lapsed
}

// Run looks at each shard of both tables once, beginning anywhere, so that a
// run which is cut short does not always leave out the same ones. The error
// joins those of single rows and shards; the others were swept all the same.
func (s *Service) Run(ctx context.Context) (Report, error) {
	type place struct {
		table schema.Table
		shard string
	}
	var places []place
	for _, t := range []schema.Table{schema.Events, schema.Outbox} {
		for n := range schema.Shards {
			places = append(places, place{t, fmt.Sprint(n)})
		}
	}
	first := rand.IntN(len(places))
	var rep tally
	var faults []error
	for _, p := range slices.Concat(places[first:], places[:first]) {
		if err := s.shard(ctx, p.table, p.shard, &rep); err != nil {
			faults = append(faults, fmt.Errorf("sweep %s: %w", p.table, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	// In every run, so that a sweeper that does not run shows too.
	s.Log.LogAttrs(ctx, slog.LevelInfo, "swept", metric.Level(schema.RowsDue, rep.due), metric.Seconds(schema.OldestDueAge, rep.oldest),
		metric.Level(schema.SendingPastLease, rep.pastLease), metric.Count(schema.RowsNudged, rep.Nudged))
	return rep.Report, errors.Join(faults...)
}

// shard pages on past what needs nothing, so that stale entries of the index
// at its head do not hide what lies behind them.
func (s *Service) shard(ctx context.Context, t schema.Table, shard string, rep *tally) error {
	now := utc.At(s.Now())
	var faults []error
	left, looks, cursor := s.PerShard, 10*s.PerShard, ""
	for left > 0 && looks > 0 {
		page, err := s.Store.Query(ctx, ledger.Query{
			Table: t, Index: schema.ByDue, Partition: shard, UpTo: now.String(), Cursor: cursor, Limit: min(s.PerShard, looks),
		})
		if err != nil {
			return errors.Join(append(faults, err)...)
		}
		for _, hint := range page.Items {
			if left == 0 {
				break
			}
			if ctx.Err() != nil {
				return errors.Join(append(faults, ctx.Err())...)
			}
			looks--
			acted, err := s.row(ctx, ledger.KeyOf(hint), now, rep)
			switch {
			case err != nil:
				faults = append(faults, err) // and no room taken from the others
			case acted:
				left--
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	// One fault tells as much as a thousand of its kind.
	return errors.Join(faults[:min(len(faults), 5)]...)
}
