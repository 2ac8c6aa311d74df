package send

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/record/claim"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/send/evidence"
	"onefold/internal/utc"
)

// later leaves the intent ready and sets its timer to a later moment. No
// attempt is burnt and nothing has changed but the time, so it is no
// transition; the reason stands on the operation. Past the intent's last
// moment it goes to a person instead.
func (s *Service) later(ctx context.Context, op outbox.Operation, i followup.Intent, at utc.Time, reason string) error {
	if !i.NotAfter.IsZero() && at.After(i.NotAfter) && reason != "stopped" {
		return s.refer(ctx, op, i, reason+"_too_late")
	}
	var c ledger.Commit
	if err := c.Update("operation", operationKey(op), ledger.All(ledger.Is(machine.StateAttr, outbox.Open), ledger.AtVersion(op.Version)),
		ledger.Item{claim.NotBeforeAttr: at, schema.DueAt: at, claim.NudgesAttr: 0, machine.ReasonAttr: reason}); err != nil {
		return err
	}
	return s.commit(ctx, c, "postpone", intentAttr(i), slog.String("reason", reason), metric.Count(schema.SendsPostponed, 1))
}

// suppress ends a ready intent that something forbids.
func (s *Service) suppress(ctx context.Context, op outbox.Operation, i followup.Intent, reason string) error {
	var c ledger.Commit
	r := s.audit(i, reason)
	r.Details = map[string]string{"guard": i.Guard, "guard_result": reason}
	if _, err := c.Move(ledger.Step{
		Key: intentKey(i.Tenant, i.ID), Machine: followup.IntentMachine(), From: i.State, Transition: i.Transition,
		Event: followup.Suppress, Set: ledger.Item{machine.ReasonAttr: reason}, Audit: r,
	}); err != nil {
		return err
	}
	if _, err := c.Move(s.finishStep(op, i, "intent_"+followup.Suppressed)); err != nil {
		return err
	}
	return s.commit(ctx, c, "suppress", intentAttr(i), slog.String("reason", reason), metric.Count(schema.SuppressionBlocks, 1))
}

// refer puts a ready or unknown intent before a person and ends its timer.
func (s *Service) refer(ctx context.Context, op outbox.Operation, i followup.Intent, reason string) error {
	kind := review.HeldSend
	if i.State == followup.Unknown {
		kind = review.UnknownSend
	}
	held, err := s.Store.Get(ctx, ledger.Guard.At(i.Tenant, i.Guard))
	if err != nil {
		return fmt.Errorf("read the guard of intent %s: %w", i.ID, err)
	}
	task := review.Task{
		Tenant: i.Tenant, ID: s.IDs.ID("task", kind, i.Tenant, i.ID, fmt.Sprint(i.Transition)), Kind: kind, State: review.Open, Transition: 1,
		Event: i.Event, Intent: i.ID, Contact: i.Contact, Reasons: []string{reason}, ContentHash: i.ContentHash,
		Guard: cmp.Or(guard.Blocks(held, i.Scope), decide.GuardClear), OpenFor: i.Tenant, OpenedAt: s.now(),
	}
	var c ledger.Commit
	if _, err := c.Move(ledger.Step{
		Key: intentKey(i.Tenant, i.ID), Machine: followup.IntentMachine(), From: i.State, Transition: i.Transition,
		Event: followup.Refer, Set: ledger.Item{machine.ReasonAttr: reason, "review": task.ID}, Audit: s.audit(i, reason),
	}); err != nil {
		return err
	}
	if err := c.Insert(ledger.Step{
		Key:     ledger.ReviewTask.At(i.Tenant, task.ID),
		Machine: review.Machine(), Event: review.Put, Audit: s.audit(i, reason),
	}, task, review.Open); err != nil {
		return err
	}
	if _, err := c.Move(s.finishStep(op, i, "intent_"+followup.InReview)); err != nil {
		return err
	}
	return s.commit(ctx, c, "refer", append(referred(i, reason), intentAttr(i), slog.String("reason", reason))...)
}

// lapse makes a submission whose worker went silent unknown. Not ready: the
// provider may have it.
func (s *Service) lapse(ctx context.Context, op outbox.Operation, i followup.Intent) error {
	k := ledger.AttemptKey(i.Tenant, i.ID, i.Attempt)
	a, err := s.Store.Get(ctx, k)
	if err != nil {
		return fmt.Errorf("read attempt %d of intent %s: %w", i.Attempt, i.ID, err)
	}
	now := s.now()
	deadline := now.Add(time.Duration(i.UnknownWithin) * time.Millisecond)
	var c ledger.Commit
	if _, err := c.Move(ledger.Step{
		Key: intentKey(i.Tenant, i.ID), Machine: followup.IntentMachine(), From: i.State, Transition: i.Transition, Event: followup.Lose,
		If:  ledger.All(ledger.Is(followup.OwnerAttr, i.Owner), ledger.Is(followup.AttemptAttr, i.Attempt), ledger.AtMost(followup.LeaseUntilAttr, now)),
		Set: ledger.Item{machine.ReasonAttr: "lease_lapsed", "unknown_since": now}, Audit: s.audit(i, "lease_lapsed"),
	}); err != nil {
		return err
	}
	// An attempt whose outcome was stored although the intent could not follow
	// (its operation was moved under the worker) keeps it; the intent must
	// still get an owner.
	if a.Text(machine.StateAttr) == followup.AttemptBegun {
		if _, err := c.Move(ledger.Step{
			Name: "attempt", Key: k, Machine: followup.AttemptMachine(), From: followup.AttemptBegun,
			Transition: a.Int(machine.TransitionAttr), Event: followup.Lose, Set: ledger.Item{machine.ReasonAttr: "lease_lapsed", followup.SettledAtAttr: now}, Audit: s.audit(i, "lease_lapsed"),
		}); err != nil {
			return err
		}
	}
	if err := c.Update("operation", operationKey(op), ledger.Is(machine.StateAttr, outbox.Open),
		ledger.Item{claim.NotBeforeAttr: deadline, schema.DueAt: deadline, claim.NudgesAttr: 0, machine.ReasonAttr: "outcome_unknown"}); err != nil {
		return err
	}
	return s.commit(ctx, c, "lapse", intentAttr(i), metric.Count(schema.SendingLapsed, 1), metric.Count(schema.SendsUnknown, 1))
}

// finish ends an operation that has nothing more to do.
func (s *Service) finish(ctx context.Context, op outbox.Operation, result string) error {
	var c ledger.Commit
	if _, err := c.Move(s.finishStep(op, followup.Intent{ID: op.Intent, Contact: op.Contact, Event: op.Event}, result)); err != nil {
		return err
	}
	return s.commit(ctx, c, "finish")
}

func (s *Service) finishStep(op outbox.Operation, i followup.Intent, result string) ledger.Step {
	return evidence.Finish(operationKey(op), op.State, op.Transition, result, s.audit(i, result))
}

// commit writes a step, and then logs what it counts, if anything. Being
// refused means that somebody else moved the row: its change comes to a worker
// of its own, or the timer does.
func (s *Service) commit(ctx context.Context, c ledger.Commit, what string, counts ...slog.Attr) error {
	err := s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if len(counts) > 0 {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "intent moved", append([]slog.Attr{slog.String("step", what)}, counts...)...)
	}
	return nil
}

// backoff is the wait after a refusal that passes: 5 s doubled each time, at
// most 30 minutes.
func backoff(attempt int64) time.Duration {
	return min(5*time.Second<<min(max(attempt-1, 0), 10), 30*time.Minute)
}
