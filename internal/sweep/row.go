package sweep

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// farther is how far on a row is put that newer code wrote and this code
// cannot park.
const farther = time.Hour

// row does what one row needs, and tells whether it needed anything. The index
// is a hint; the row itself decides.
func (s *Service) row(ctx context.Context, k ledger.Key, now utc.Time, rep *tally) (bool, error) {
	it, err := s.Store.Get(ctx, k)
	if err != nil {
		return false, err
	}
	due := it.Text(schema.DueAt)
	if due == "" || due > now.String() {
		return false, nil // moved on since the index saw it
	}
	rep.meet(it, now)
	m := machineOf(k.Entity)
	switch {
	case m != nil && waitsForNobody(m, it.Text(machine.StateAttr)):
		return true, s.clear(ctx, it, rep)
	case it.Int(claim.NudgesAttr) < MaxNudges:
		return true, s.nudge(ctx, it, wait(it.Int(claim.NudgesAttr)), rep)
	case m != nil && m.Can(it.Text(machine.StateAttr), "park"):
		return true, s.park(ctx, it, m, rep)
	}
	// A word that newer code wrote. It is nudged on, seldom: left as it is, it
	// would be first in every run, and some more of its kind would hide all
	// others.
	s.Log.LogAttrs(ctx, slog.LevelWarn, "row cannot be parked", slog.String("entity", string(k.Entity)), slog.String("tenant", k.Tenant), slog.String("alarm", "cannot_park"),
		metric.Count(schema.RowsUnreadable, 1))
	return true, s.nudge(ctx, it, farther, rep)
}

func machineOf(e ledger.Entity) *machine.Table {
	switch e {
	case ledger.Event:
		return inbound.Machine()
	case ledger.Operation:
		return outbox.Machine()
	default:
		return nil
	}
}

// waitsForNobody tells whether a state is final or a person's to move: such a
// row has no timer. An unknown word is neither.
func waitsForNobody(m *machine.Table, state string) bool {
	i := slices.IndexFunc(m.States, func(s machine.State) bool { return s.Name == state })
	return i >= 0 && m.States[i].Dwell == 0
}

// wait grows with each nudge, so a stuck row yields to the others.
func wait(nudges int64) time.Duration { return min(30*time.Second<<min(nudges, 8), time.Hour) }

// meet takes in a row that is due. How long it has made no progress is what it
// is late now and all that its nudges have put it off.
func (t *tally) meet(it ledger.Item, now utc.Time) {
	t.due++
	if due, err := utc.Parse(it.Text(schema.DueAt)); err == nil {
		late := now.Sub(due)
		for n := range it.Int(claim.NudgesAttr) {
			late += wait(n)
		}
		t.oldest = max(t.oldest, late)
	}
	if it.Text("kind") == outbox.SendIntent && it.Text(machine.StateAttr) == outbox.Open && it.Text(machine.ReasonAttr) == outbox.ReasonSending {
		t.pastLease++
	}
}

// nudge moves the due time and so puts the row on the stream.
func (s *Service) nudge(ctx context.Context, it ledger.Item, wait time.Duration, rep *tally) error {
	return s.update(ctx, it, ledger.Item{claim.NudgesAttr: it.Int(claim.NudgesAttr) + 1, schema.DueAt: utc.At(s.Now()).Add(wait)}, &rep.Nudged)
}

// clear takes the timer off a row that should have lost it with its last
// transition. Nothing else of the row is touched.
func (s *Service) clear(ctx context.Context, it ledger.Item, rep *tally) error {
	s.Log.LogAttrs(ctx, slog.LevelWarn, "row kept a timer that nobody needs", slog.String("entity", it.Text(schema.Entity)),
		slog.String("tenant", it.Text(schema.Tenant)), slog.String("state", it.Text(machine.StateAttr)), slog.String("alarm", "timer_left"),
		metric.Count(schema.RowsUnreadable, 1))
	return s.update(ctx, it, ledger.Item{schema.DueAt: "", schema.DueShard: ""}, &rep.Cleared)
}

func (s *Service) update(ctx context.Context, it ledger.Item, set ledger.Item, count *int) error {
	var c ledger.Commit
	// Whoever moved the row since it was read has moved its state or its due
	// time.
	cond := ledger.All(ledger.Is(schema.DueAt, it.Text(schema.DueAt)), ledger.Is(machine.StateAttr, it.Text(machine.StateAttr)))
	if err := c.Update("row", ledger.KeyOf(it), cond, set); err != nil {
		return err
	}
	return s.commit(ctx, c, count)
}

// park takes a row that does not move out of the way, where a person sees it.
func (s *Service) park(ctx context.Context, it ledger.Item, m *machine.Table, rep *tally) error {
	k := ledger.KeyOf(it)
	var c ledger.Commit
	r := audit.Record{At: utc.At(s.Now()), By: "sweep", Reasons: []string{"no_progress"}, InboundEvent: it.Text("event"), Contact: it.Text("contact"), Intent: it.Text("intent")}
	if k.Entity == ledger.Event {
		r.InboundEvent = k.ID
	}
	if _, err := c.Move(ledger.Step{
		Key: k, Machine: m, From: it.Text(machine.StateAttr), Transition: it.Int(machine.TransitionAttr), Event: "park",
		If:  ledger.Is(schema.DueAt, it.Text(schema.DueAt)),
		Set: ledger.Item{schema.DueAt: "", schema.DueShard: "", claim.NotBeforeAttr: "", machine.ReasonAttr: "no_progress"}, Audit: r,
	}); err != nil {
		return err
	}
	before := rep.Parked
	err := s.commit(ctx, c, &rep.Parked)
	if rep.Parked > before {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "row parked", slog.String("entity", string(k.Entity)), slog.String("tenant", k.Tenant), slog.String("alarm", "parked"),
			metric.Count(schema.RowsParked, 1))
	}
	return err
}

// commit writes and counts; being refused means that somebody else moved the
// row, which is what this package wants.
func (s *Service) commit(ctx context.Context, c ledger.Commit, count *int) error {
	err := s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil
	}
	if err == nil {
		*count++
	}
	return err
}
