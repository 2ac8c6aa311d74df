package crmsync

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"onefold/internal/contact"
	"onefold/internal/crm"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// SettleTries is how often the write after the call is tried. When all fail,
// the claim lapses and the call is repeated with the same reference.
const SettleTries = 5

// settle writes down what is known after a call. also adds what belongs to
// the same outcome.
func (s *Service) settle(ctx context.Context, op outbox.Operation, res crm.Result, also func(*ledger.Commit) error) error {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "crm operation", slog.String("tenant", op.Tenant), slog.String("operation", op.ID), slog.String("kind", op.Kind),
		slog.String("outcome", string(res.Outcome)), slog.String("reason", res.Reason), slog.Int64("attempt", op.Attempt))
	var err error
	for try := range SettleTries {
		write, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		err = s.settleOnce(write, op, res, also)
		cancel()
		if err == nil {
			return nil
		}
		if _, refused := ledger.AsRefused(err); refused {
			return nil // fenced off, or our own write of a moment ago
		}
		time.Sleep(time.Duration(20<<try) * time.Millisecond)
	}
	return fmt.Errorf("settle operation %s: %w", op.ID, err)
}

func (s *Service) settleOnce(ctx context.Context, op outbox.Operation, res crm.Result, also func(*ledger.Commit) error) error {
	var c ledger.Commit
	step := ledger.Step{
		Name: "operation", Key: operationKey(op), Machine: outbox.Machine(), From: outbox.Open, Transition: op.Transition,
		If: idempotency.Fence(op.Record), Audit: s.audit(op, string(res.Outcome), res.Reason),
	}
	step.Audit.Details["crm_id"] = res.ID
	switch res.Outcome {
	case crm.Done:
		step.Event = "finish"
		step.Set = idempotency.Join(idempotency.Complete(resultWord(res), s.now()), ended(), ledger.Item{"crm_id": res.ID, "reason": ""})
	case crm.Refused:
		step.Event = "refuse"
		step.Set = idempotency.Join(idempotency.Release(), ended(), ledger.Item{"reason": res.Reason})
	case crm.Conflict:
		step.Event = "park"
		step.Set = idempotency.Join(idempotency.Release(), ended(), ledger.Item{"reason": "conflict_" + res.Reason})
	case crm.Busy, crm.NotBegun, crm.Unknown:
		if op.Attempt >= MaxAttempts {
			step.Event = "park"
			step.Set = idempotency.Join(idempotency.Lost(), ended(), ledger.Item{"reason": res.Reason})
			break
		}
		return s.again(ctx, &c, op, res, also)
	}
	if _, err := c.Move(step); err != nil {
		return err
	}
	if also != nil {
		if err := also(&c); err != nil {
			return err
		}
	}
	return s.Store.Commit(ctx, c)
}

// again leaves the operation open for another try: after an unknown outcome
// not before the vendor can no longer be working on this one.
func (s *Service) again(ctx context.Context, c *ledger.Commit, op outbox.Operation, res crm.Result, also func(*ledger.Commit) error) error {
	wait := max(res.RetryAfter, backoff(op.Attempt))
	attrs := idempotency.Release()
	if res.Outcome == crm.Unknown {
		attrs = idempotency.Lost()
		wait = max(wait, s.CRM.Capabilities().InFlight)
	}
	at := s.now().Add(wait)
	if err := c.Update("operation", operationKey(op), ledger.All(ledger.Is("state", outbox.Open), idempotency.Fence(op.Record)),
		idempotency.Join(attrs, ledger.Item{"not_before": at, "due_at": at, "reason": res.Reason})); err != nil {
		return err
	}
	if also != nil {
		if err := also(c); err != nil {
			return err
		}
	}
	return s.Store.Commit(ctx, *c)
}

// settleContact writes the outcome to operation and mapping together, and
// wakes what waited for the contact.
func (s *Service) settleContact(ctx context.Context, op outbox.Operation, m crm.Mapping, person contact.Contact, res crm.Result) error {
	err := s.settle(ctx, op, res, func(c *ledger.Commit) error {
		mine := ledger.All(ledger.Is("owner", m.Owner), ledger.Is("attempt", m.Attempt))
		if res.Outcome != crm.Done {
			// After an unknown outcome the mapping stays in flight for as long as
			// the vendor may still be at it.
			until := utc.Time{}
			if res.Outcome == crm.Unknown {
				until = s.now().Add(s.CRM.Capabilities().InFlight)
			}
			return c.Update("crm_mapping", mappingKey(m), mine, ledger.Item{"in_flight_until": until, "updated_at": s.now()})
		}
		event := "sync"
		if res.Adopted {
			event = "adopt"
		}
		r := s.audit(op, resultWord(res))
		r.Details["crm_id"], r.Details["sent_version"] = res.ID, fmt.Sprint(person.Revision)
		_, err := c.Move(ledger.Step{
			Key: mappingKey(m), Transition: m.Transition, Event: event, If: mine, Audit: r,
			Set: ledger.Item{"crm_id": res.ID, "sent_version": person.Revision, "in_flight_until": "", "owner": "", "updated_at": s.now()},
		})
		return err
	})
	if err != nil || res.Outcome != crm.Done {
		return err
	}
	return s.wakeAll(ctx, op.Tenant, person.ID)
}

// wakeAll gives the waiting operations of a contact back to their worker. The
// index may lag: what it does not show yet looks for itself.
func (s *Service) wakeAll(ctx context.Context, tenantID, contactID string) error {
	page, err := s.Store.Query(ctx, ledger.Query{Table: schema.Outbox, Index: schema.ByWaitsFor, Partition: waitsFor(tenantID, contactID), Limit: 200})
	if err != nil {
		return fmt.Errorf("list waiting operations: %w", err)
	}
	for _, it := range page.Items {
		if err := s.wakeOne(ctx, ledger.KeyOf(it)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) wakeOne(ctx context.Context, k ledger.Key) error {
	op, err := s.operation(ctx, k)
	if err != nil || op == nil || op.State != outbox.Waiting {
		return err
	}
	now := s.now()
	var c ledger.Commit
	if _, err := c.Move(ledger.Step{
		Name: "operation", Key: k, Machine: outbox.Machine(), From: op.State, Transition: op.Transition, Event: "wake",
		Set: ledger.Item{"waits_for": "", "reason": "", "not_before": now, "due_at": now.Add(WaitAgain), "nudges": 0}, Audit: s.audit(*op, "contact_in_crm"),
	}); err != nil {
		return err
	}
	return s.commit(ctx, c, "wake")
}

// end finishes an operation without a call.
func (s *Service) end(ctx context.Context, op outbox.Operation, event, reason string, also func(*ledger.Commit) error) error {
	var c ledger.Commit
	if _, err := c.Move(ledger.Step{
		Name: "operation", Key: operationKey(op), Machine: outbox.Machine(), From: op.State, Transition: op.Transition, Event: event,
		If:    ledger.AtVersion(op.Version),
		Set:   idempotency.Join(idempotency.Complete(reason, s.now()), ended(), ledger.Item{"reason": reason}),
		Audit: s.audit(op, reason),
	}); err != nil {
		return err
	}
	if also != nil {
		if err := also(&c); err != nil {
			return err
		}
	}
	return s.commit(ctx, c, event)
}

// postpone leaves the operation for later without a claim.
func (s *Service) postpone(ctx context.Context, op outbox.Operation, at utc.Time, reason string) error {
	var c ledger.Commit
	if err := c.Update("operation", operationKey(op), ledger.All(ledger.AtVersion(op.Version), ledger.Is("state", op.State)),
		ledger.Item{"not_before": at, "due_at": at, "reason": reason}); err != nil {
		return err
	}
	return s.commit(ctx, c, "postpone")
}

// commit writes a step; being refused means that somebody else moved the row.
func (s *Service) commit(ctx context.Context, c ledger.Commit, what string) error {
	err := s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// ended removes the timers of a row that needs none any more.
func ended() ledger.Item {
	return ledger.Item{"not_before": "", schema.DueAt: "", schema.DueShard: "", "waits_for": ""}
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
