// Package sweep brings back what nobody has moved: rows whose due time has
// passed.
//
// Its invariant: it makes no decision of the business. It nudges a row, which
// puts it on the stream again, or parks one that ten nudges have not moved.
// Two sweepers at once do no harm: a nudge is conditional on the due time as
// it was read, so one of them wins.
package sweep

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/audit"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/machine"
	"onefold/internal/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// MaxNudges is how often a row is nudged without progress before it is parked.
const MaxNudges = 10

// Service sweeps. All fields are needed.
type Service struct {
	Store ledger.Store
	Now   func() time.Time
	// PerShard is the most rows of one shard in one run, so that one run is
	// bounded and no shard waits for another.
	PerShard int
	Log      *slog.Logger
}

// Report counts what one run did.
type Report struct {
	Nudged int
	Parked int
}

// Run looks at each shard of both tables once.
func (s *Service) Run(ctx context.Context) (Report, error) {
	var rep Report
	for _, t := range []schema.Table{schema.Events, schema.Outbox} {
		for n := range schema.Shards {
			if err := s.shard(ctx, t, fmt.Sprint(n), &rep); err != nil {
				return rep, fmt.Errorf("sweep %s: %w", t, err)
			}
		}
	}
	return rep, nil
}

func (s *Service) shard(ctx context.Context, t schema.Table, shard string, rep *Report) error {
	now := utc.At(s.Now())
	page, err := s.Store.Query(ctx, ledger.Query{Table: t, Index: schema.ByDue, Partition: shard, UpTo: now.String(), Limit: s.PerShard})
	if err != nil {
		return err
	}
	for _, hint := range page.Items {
		it, err := s.Store.Get(ctx, ledger.KeyOf(hint))
		if err != nil {
			return err
		}
		due := it.Text(schema.DueAt)
		if due == "" || due > now.String() {
			continue // moved on since the index saw it
		}
		if it.Int("nudges") >= MaxNudges {
			err = s.park(ctx, it, rep)
		} else {
			err = s.nudge(ctx, it, due, rep)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// nudge moves the due time and so puts the row on the stream. Each nudge waits
// longer than the one before, so a stuck row yields to the others.
func (s *Service) nudge(ctx context.Context, it ledger.Item, due string, rep *Report) error {
	n := it.Int("nudges") + 1
	next := utc.At(s.Now()).Add(min(30*time.Second<<min(n-1, 8), time.Hour))
	var c ledger.Commit
	if err := c.Update("row", ledger.KeyOf(it), ledger.Is(schema.DueAt, due), ledger.Item{"nudges": n, schema.DueAt: next}); err != nil {
		return err
	}
	err := s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil
	}
	if err == nil {
		rep.Nudged++
	}
	return err
}

// park takes a row that does not move out of the way, where a person sees it.
func (s *Service) park(ctx context.Context, it ledger.Item, rep *Report) error {
	k := ledger.KeyOf(it)
	var m *machine.Table
	switch k.Entity {
	case ledger.Event:
		m = inbound.Machine()
	case ledger.Operation:
		m = outbox.Machine()
	default:
		return nil
	}
	state := it.Text("state")
	if !m.Can(state, "park") {
		return nil
	}
	var c ledger.Commit
	r := audit.Record{At: utc.At(s.Now()), By: "sweep", Reasons: []string{"no_progress"}, Contact: it.Text("contact"), Intent: it.Text("intent")}
	if k.Entity == ledger.Event {
		r.InboundEvent = k.ID
	}
	if _, err := c.Move(ledger.Step{
		Key: k, Machine: m, From: state, Transition: it.Int("transition"), Event: "park",
		If:  ledger.Is(schema.DueAt, it.Text(schema.DueAt)),
		Set: ledger.Item{schema.DueAt: "", schema.DueShard: "", "not_before": "", "reason": "no_progress"}, Audit: r,
	}); err != nil {
		return err
	}
	err := s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil
	}
	if err == nil {
		rep.Parked++
		s.Log.LogAttrs(ctx, slog.LevelWarn, "row parked", slog.String("entity", string(k.Entity)), slog.String("tenant", k.Tenant), slog.String("alarm", "parked"))
	}
	return err
}
