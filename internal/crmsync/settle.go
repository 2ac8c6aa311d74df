package crmsync

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"onefold/internal/crm"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// SettleTries is how often the write after the call is tried. When all fail,
// the claim lapses and the call is repeated with the same reference.
const SettleTries = 5

// settle writes down what is known after a call. also adds what belongs to
// the same outcome.
func (s at) settle(ctx context.Context, op outbox.Operation, res crm.Result, also func(*ledger.Commit) error) error {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "crm operation", slog.String("tenant", op.Tenant), slog.String("operation", op.ID), slog.String("kind", op.Kind),
		slog.String("outcome", string(res.Outcome)), slog.String("reason", res.Reason), slog.Int64("attempt", op.Attempt))
	var err error
	if res.Outcome != crm.Done && s.accountsFault(ctx, res) {
		if err = s.disconnect(ctx, op.Tenant, res); err != nil {
			return err // the claim lapses, and the call is repeated
		}
		res.Account = true
	}
	for try := range SettleTries {
		write, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		err = s.settleOnce(write, op, res, also)
		r, refused := ledger.AsRefused(err)
		if err != nil && !refused {
			_ = ledger.Wait(write, time.Duration(20<<try)*time.Millisecond) // the next write says that its time is over
		}
		cancel()
		if err == nil {
			return nil
		}
		if refused {
			s.fencedOff(ctx, op, res, r)
			return nil
		}
	}
	s.Log.LogAttrs(ctx, slog.LevelError, "crm outcome not stored", slog.String("tenant", op.Tenant), slog.String("operation", op.ID),
		slog.String("outcome", string(res.Outcome)), slog.String("error", err.Error()), metric.Count(schema.SettlesFailed, 1))
	return fmt.Errorf("settle operation %s: %w", op.ID, err)
}

// fencedOff: the claim is over, or this is our own write of a moment ago whose
// answer was lost. Whoever has the operation now repeats the call with the same
// reference and finds what this one made, so the outcome is only logged.
func (s *Service) fencedOff(ctx context.Context, op outbox.Operation, res crm.Result, r *ledger.Refused) {
	if f, ok := r.By("operation"); ok && f.Current.Text(claim.OwnerAttr) == op.Owner && f.Current.Text(claim.StatusAttr) != string(claim.InProgress) {
		return
	}
	s.Log.LogAttrs(ctx, slog.LevelWarn, "crm outcome came after its claim", slog.String("operation", op.ID),
		slog.String("outcome", string(res.Outcome)), slog.String("crm_id", res.ID), slog.Int64("attempt", op.Attempt))
}

func (s at) settleOnce(ctx context.Context, op outbox.Operation, res crm.Result, also func(*ledger.Commit) error) error {
	var c ledger.Commit
	step := ledger.Step{
		Name: "operation", Key: operationKey(op), Machine: outbox.Machine(), From: outbox.Open, Transition: op.Transition,
		If: idempotency.Fence(op.Record), Audit: s.audit(op, string(res.Outcome), res.Reason),
	}
	step.Audit.Details["crm_id"] = res.ID
	if res.Account {
		return s.again(ctx, &c, op, res, also)
	}
	switch res.Outcome {
	case crm.Done:
		step.Event = outbox.Finish
		step.Set = idempotency.Join(idempotency.Complete(resultWord(res), s.now()), timerless(), ledger.Item{"crm_id": res.ID, machine.ReasonAttr: ""})
	case crm.Refused:
		step.Event = outbox.Refuse
		step.Set = idempotency.Join(idempotency.Release(), timerless(), ledger.Item{machine.ReasonAttr: res.Reason})
	case crm.Conflict:
		step.Event = outbox.Park
		step.Set = idempotency.Join(idempotency.Release(), timerless(), ledger.Item{machine.ReasonAttr: "conflict_" + res.Reason})
		if op.Kind == outbox.CRMContact {
			step.Set["waits_for"] = waitsFor(op.Tenant, op.Contact) // found when it is no longer one
		}
	case crm.Busy, crm.NotBegun, crm.Unknown:
		if op.Attempt-op.Waits < MaxAttempts {
			return s.again(ctx, &c, op, res, also)
		}
		step.Event = outbox.Park
		step.Set = idempotency.Join(afterwards(res), timerless(), ledger.Item{machine.ReasonAttr: res.Reason})
	}
	if _, err := c.Move(step); err != nil {
		return err
	}
	if also != nil {
		if err := also(&c); err != nil {
			return err
		}
	}
	err := s.Store.Commit(ctx, c)
	if err == nil {
		s.logStored(ctx, op, step.Event, res)
	}
	return err
}

// again leaves the operation open for another try: after an unknown outcome
// not before the vendor can no longer be working on this one.
func (s at) again(ctx context.Context, c *ledger.Commit, op outbox.Operation, res crm.Result, also func(*ledger.Commit) error) error {
	wait := max(res.RetryAfter, backoff(op.Attempt))
	if res.Outcome == crm.Unknown {
		wait = max(wait, s.settles(op.Kind))
	}
	at := s.now().Add(wait)
	waits := op.Waits
	if res.Account {
		waits++ // no attempt of this operation's
	}
	if err := c.Update("operation", operationKey(op), ledger.All(ledger.Is(machine.StateAttr, outbox.Open), idempotency.Fence(op.Record)),
		idempotency.Join(afterwards(res), ledger.Item{claim.NotBeforeAttr: at, schema.DueAt: at, machine.ReasonAttr: res.Reason, "waits": waits})); err != nil {
		return err
	}
	if also != nil {
		if err := also(c); err != nil {
			return err
		}
	}
	err := s.Store.Commit(ctx, *c)
	if err == nil {
		s.logStored(ctx, op, "again", res)
	}
	return err
}

// afterwards is the record of work that is to be done again: known not to have
// happened, or not known.
func afterwards(res crm.Result) ledger.Item {
	if res.Outcome == crm.Unknown {
		return idempotency.Lost()
	}
	return idempotency.Release()
}

// settleContact writes the outcome to operation and mapping together, and to the
// mapping whose record was taken over: a record is one contact's. What waited
// for the contact follows from the change of the operation.
func (s at) settleContact(ctx context.Context, op outbox.Operation, m, former crm.Mapping, person contact.Contact, res crm.Result) error {
	return s.settle(ctx, op, res, func(c *ledger.Commit) error {
		mine := ledger.All(ledger.Is(crm.OwnerAttr, m.Owner), ledger.Is(crm.AttemptAttr, m.Attempt))
		if res.Outcome != crm.Done {
			// After an unknown outcome the mapping stays in flight for as long as
			// the vendor may still be at it, or what it made is not found.
			until := utc.Time{}
			if res.Outcome == crm.Unknown {
				until = s.now().Add(s.settles(op.Kind))
			}
			return c.Update("crm_mapping", mappingKey(m), mine, ledger.Item{crm.InFlightUntilAttr: until, "updated_at": s.now()})
		}
		event := "sync"
		if res.Adopted {
			event = "adopt"
		}
		reasons := []string{resultWord(res)}
		for _, f := range res.Left {
			reasons = append(reasons, "crm_left_"+string(f))
		}
		r := s.audit(op, reasons...)
		r.Details["crm_id"], r.Details["sent_version"] = res.ID, fmt.Sprint(person.Revision)
		asked, err := s.ask(c, op, m, person, res)
		if err != nil {
			return err
		}
		_, err = c.Move(ledger.Step{
			Key: mappingKey(m), Transition: m.Transition, Event: event, If: mine, Audit: r,
			Set: ledger.Item{"crm_id": res.ID, "sent_version": person.Revision, "wrote": s.wrote(m, former, person, res), crm.TriedAttr: "", "left": append([]crm.Field{}, res.Left...), "asked": asked, crm.InFlightUntilAttr: "", crm.OwnerAttr: "", "updated_at": s.now()},
		})
		if err != nil || former.CRMID != res.ID {
			return err
		}
		_, err = c.Move(ledger.Step{
			Name: "former_mapping", Key: mappingKey(former), Transition: former.Transition, Event: "give", If: ledger.AtVersion(former.Version),
			Set: ledger.Item{"crm_id": "", "updated_at": s.now()}, Audit: s.audit(op, "record_taken_over"),
		})
		return err
	})
}

func resultWord(res crm.Result) string {
	switch {
	case res.Adopted:
		return "adopted"
	case res.Created:
		return "created"
	}
	return "updated"
}

func backoff(attempt int64) time.Duration {
	d := min(2*time.Second<<min(max(attempt-1, 0), 10), 15*time.Minute)
	return d - time.Duration(rand.Int64N(int64(d)/4+1))
}
