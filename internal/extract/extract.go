// Package extract takes an event from recorded to decided: raw content, facts,
// the reader's answer stored before it is used, and one commit. What the answer
// means is package decide's to say.
//
// Its invariant: whatever happens in between, the event is decided by exactly
// one commit, or a review task holds it, or its own times bring it back.
package extract

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"time"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/claim"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// Service works on events. All fields are needed; of a service that is given
// answers of people alone, all but Reader.
type Service struct {
	Store    ledger.Store
	Blob     blob.Store
	Policies *versions.Book
	Reader   reader.Reader
	IDs      digest.Key
	Now      func() time.Time
	Timeout  time.Duration // after which this worker is killed
	Log      *slog.Logger
}

// MaxReaderAttempts is how often an event is tried with a reader that gives
// no answer before a person is asked.
const MaxReaderAttempts = 6

// MaxAttempts is how often an event is claimed before it is parked: some three
// hours of growing waits. A claim is progress for the sweeper, so only this
// bound ends an event that fails every time.
const MaxAttempts = 24

// Handle works on one change of the events table. It returns an error only
// when the ledger itself could not be asked, and the change should come again;
// every other fault is written on the event's row, and Handle reports success
// so that no other event waits behind this one.
//
// Deliveries, extractions, removals and states that are not this worker's
// succeed without a word.
func (s *Service) Handle(ctx context.Context, ch ledger.Change) error {
	if ch.Key.Entity != ledger.Event || ch.Item == nil || ch.Item.Text(machine.StateAttr) != inbound.Recorded {
		return nil
	}
	// The image is of the past; the row decides.
	e, err := s.event(ctx, ch.Key.Tenant, ch.Key.ID)
	if err != nil {
		return err
	}
	now := utc.At(s.Now())
	if e == nil || e.State != inbound.Recorded || now.Before(e.NotBefore) {
		return nil
	}
	switch e.Judge("", now) {
	case claim.Fresh, claim.Takeover:
		if e.Attempt-e.Waits >= MaxAttempts {
			return s.park(ctx, *e)
		}
	case claim.Running:
		s.countInProgress(ctx, *e, "running")
		return nil // due_at brings it back after the lapse
	case claim.Done, claim.Mismatch:
		return nil
	}
	claimed, won, err := s.claim(ctx, *e)
	if err == nil && !won {
		s.countInProgress(ctx, *e, "claimed_by_another")
	}
	if err != nil || !won {
		return err
	}
	return s.work(ctx, claimed)
}

// claim takes the event for this worker. A crash after it leaves in_progress
// with a lapse, and due_at behind the lapse.
func (s *Service) claim(ctx context.Context, e inbound.Event) (inbound.Event, bool, error) {
	now := utc.At(s.Now())
	owner := idempotency.NewOwner()
	until := now.Add(idempotency.Lease(s.Timeout))
	set, rec := idempotency.Claim(e.Record, owner, until)
	set[schema.DueAt] = until.Add(time.Second)
	set[claim.NudgesAttr] = 0
	var c ledger.Commit
	if err := c.Update("event", eventKey(e), ledger.All(ledger.AtVersion(e.Version), ledger.Is(machine.StateAttr, inbound.Recorded)), set); err != nil {
		return e, false, err
	}
	e.Record = rec
	err := s.Store.Commit(ctx, c)
	if r, refused := ledger.AsRefused(err); refused {
		f, _ := r.By("event")
		return e, idempotency.Mine(f.Current, owner, rec.Attempt), nil
	}
	if err != nil {
		return e, false, fmt.Errorf("claim event %s: %w", decide.LogID(e.Tenant, e.ID), err)
	}
	return e, true, nil
}

// work decides a claimed event. What cannot be had now is tried again later by
// the row's own times.
func (s *Service) work(ctx context.Context, e inbound.Event) error {
	_, err := s.decide(ctx, e, nil)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errSettled):
		s.countInProgress(ctx, e, "settled_by_another")
		return nil
	}
	if outcome, _ := reader.OutcomeOf(err); outcome == reader.Busy {
		return s.wait(ctx, e)
	}
	s.Log.LogAttrs(ctx, slog.LevelWarn, "event not decided, it is tried again",
		slog.String("event", decide.LogID(e.Tenant, e.ID)), slog.Int64("attempt", e.Attempt), slog.String("error", err.Error()),
		metric.Count(schema.EventsRetried, 1))
	return s.release(ctx, e)
}

// park takes an event that MaxAttempts claims have not decided, or not
// survived, out of the way, where a person sees it. Nothing of it is lost.
func (s *Service) park(ctx context.Context, e inbound.Event) error {
	var c ledger.Commit
	_, err := c.Move(ledger.Step{
		Key: eventKey(e), Machine: inbound.Machine(), From: e.State, Transition: e.Transition, Event: inbound.Park,
		If:  ledger.AtVersion(e.Version),
		Set: ledger.Item{schema.DueAt: "", schema.DueShard: "", claim.NotBeforeAttr: "", inbound.ReasonsAttr: []string{"attempts_exhausted"}},
		Audit: audit.Record{
			At: utc.At(s.Now()), By: "extract", Reasons: []string{"attempts_exhausted"}, InboundEvent: e.ID,
			Details: map[string]string{"attempt": strconv.FormatInt(e.Attempt, 10)},
		},
	})
	if err != nil {
		return err
	}
	err = s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil // it moves after all
	}
	if err == nil {
		s.Log.LogAttrs(ctx, slog.LevelError, "event parked", slog.String("event", decide.LogID(e.Tenant, e.ID)), slog.String("alarm", "parked"),
			metric.Count(schema.RowsParked, 1))
	}
	return err
}

// release gives the event back, due again after a growing wait. If this write
// is lost too, the claim lapses and the sweeper brings the event back.
func (s *Service) release(ctx context.Context, e inbound.Event) error {
	again := utc.At(s.Now()).Add(Backoff(e.Attempt))
	return s.giveBack(ctx, e, idempotency.Join(idempotency.Release(), ledger.Item{claim.NotBeforeAttr: again, schema.DueAt: again}))
}

// giveBack ends a claim without a decision.
func (s *Service) giveBack(ctx context.Context, e inbound.Event, set ledger.Item) error {
	// The worker's own end must not keep the event claimed until the lapse.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	var c ledger.Commit
	err := c.Update("event", eventKey(e), ledger.All(ledger.Is(machine.StateAttr, inbound.Recorded), idempotency.Fence(e.Record)), set)
	if err != nil {
		return err
	}
	err = s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil // somebody else has it
	}
	return err
}

// errSettled says that the event is no longer this worker's to decide.
var errSettled = errors.New("extract: the event was settled by another worker")

func (s *Service) event(ctx context.Context, tenantID, id string) (*inbound.Event, error) {
	e, err := ledger.Read[inbound.Event](ctx, s.Store, ledger.Event.At(tenantID, id))
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", decide.LogID(tenantID, id), err)
	}
	return e, nil
}

func eventKey(e inbound.Event) ledger.Key {
	return ledger.Event.At(e.Tenant, e.ID)
}

// Backoff is the wait before try n+1: two seconds doubled each time, at most
// ten minutes, less up to a quarter at random so that many do not come at
// once.
func Backoff(n int64) time.Duration {
	d := 2 * time.Second << min(max(n-1, 0), 9)
	d = min(d, 10*time.Minute)
	return d - time.Duration(rand.Int64N(int64(d)/4+1))
}
