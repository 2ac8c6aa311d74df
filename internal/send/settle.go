package send

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/metric"
	"onefold/internal/record/claim"
	"onefold/internal/record/followup"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/send/evidence"
)

// SettleTries is how often the write after the call is tried. When all fail,
// the lease lapses and the outcome becomes unknown, for evidence to settle.
const SettleTries = 5

// settle writes down what is known after the call.
func (s *Service) settle(ctx context.Context, op outbox.Operation, i followup.Intent, res mailer.Result) error {
	s.logOutcome(ctx, i, res)
	var err error
	for try := range SettleTries {
		// The worker's own end must not keep the outcome from being stored. The
		// way by refusal is repeated as well: this worker alone knows the
		// outcome, and a fault while it writes it down late must not lose it.
		write, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		err = s.settleOnce(write, op, i, res, true)
		if r, refused := ledger.AsRefused(err); refused {
			err = s.settleRefused(write, op, i, res, r)
		}
		if err != nil {
			_ = ledger.Wait(write, time.Duration(20<<try)*time.Millisecond) // the next write says that its time is over
		}
		cancel()
		if err == nil {
			return nil
		}
	}
	s.Log.LogAttrs(ctx, slog.LevelError, "outcome not stored", intentAttr(i), slog.Int64("attempt", i.Attempt),
		slog.String("outcome", string(res.Outcome)), slog.String("error", err.Error()), metric.Count(schema.SettlesFailed, 1))
	return fmt.Errorf("settle intent %s: %w", i.ID, err)
}

// settleOnce makes the fenced commit. index says whether the message index is
// part of it.
func (s *Service) settleOnce(ctx context.Context, op outbox.Operation, i followup.Intent, res mailer.Result, index bool) error {
	now := s.now()
	var c ledger.Commit
	fence := ledger.All(ledger.Is(followup.OwnerAttr, i.Owner), ledger.Is(followup.AttemptAttr, i.Attempt))
	event, set := intentEvent(res), ledger.Item{machine.ReasonAttr: res.Reason}
	opSet := ledger.Item{claim.NudgesAttr: 0, machine.ReasonAttr: res.Reason}
	switch res.Outcome {
	case mailer.Accepted:
		set = ledger.Item{machine.ReasonAttr: "", followup.MessageIDAttr: res.MessageID, followup.AcceptedAtAttr: now}
	case mailer.Throttled, mailer.NotBegun:
		wait := backoff(i.Attempt)
		if res.Halt {
			wait = max(wait, 15*time.Minute)
		}
		opSet[claim.NotBeforeAttr], opSet[schema.DueAt] = now.Add(wait), now.Add(wait)
		if by := acceptedResend(i); by != "" {
			set[machine.ReasonAttr] = by // the next claim must still say who accepted a possible duplicate
		}
	case mailer.Unknown:
		set["unknown_since"] = now
		deadline := now.Add(time.Duration(i.UnknownWithin) * time.Millisecond)
		opSet[claim.NotBeforeAttr], opSet[schema.DueAt] = deadline, deadline
	case mailer.Rejected:
	}
	r := s.audit(i, string(res.Outcome))
	r.MessageRef = res.MessageID
	r.Details = map[string]string{"attempt": fmt.Sprint(i.Attempt), "response": res.Reason, "request": res.RequestID, "message_id": res.MessageID}
	if _, err := c.Move(ledger.Step{
		Key: intentKey(i.Tenant, i.ID), Machine: followup.IntentMachine(), From: followup.Sending, Transition: i.Transition,
		Event: event, If: fence, Set: set, Audit: r,
	}); err != nil {
		return err
	}
	if _, err := c.Move(ledger.Step{
		Name: "attempt", Key: ledger.AttemptKey(i.Tenant, i.ID, i.Attempt), Machine: followup.AttemptMachine(), From: followup.AttemptBegun,
		Transition: 1, Event: attemptEvent(res), Audit: s.audit(i),
		If:  ledger.Is(followup.OwnerAttr, i.Owner),
		Set: ledger.Item{followup.SettledAtAttr: now, followup.MessageIDAttr: res.MessageID, "request_id": res.RequestID, machine.ReasonAttr: res.Reason},
	}); err != nil {
		return err
	}
	if res.Outcome == mailer.Accepted && index {
		if err := evidence.IndexMessage(&c, s.Mailer.Provider(), res.MessageID, i.Tenant, i.ID, i.Attempt, now); err != nil {
			return err
		}
	}
	if err := s.moveTimer(&c, op, i, event, opSet); err != nil {
		return err
	}
	err := s.Store.Commit(ctx, c)
	if err == nil {
		s.logStored(ctx, i, res)
	}
	return err
}

// moveTimer ends the operation with the intent, or sets it to when the intent
// has to be looked at again.
func (s *Service) moveTimer(c *ledger.Commit, op outbox.Operation, i followup.Intent, event string, set ledger.Item) error {
	to, err := followup.IntentMachine().Next(followup.Sending, event)
	if err != nil {
		return err
	}
	if followup.IntentMachine().Terminal(to) {
		_, err := c.Move(s.finishStep(op, i, "intent_"+to))
		return err
	}
	return c.Update("operation", operationKey(op), ledger.Is(machine.StateAttr, outbox.Open), set)
}

// settleRefused: the claim is no longer ours, or one of the small print
// refused. The outcome itself is never thrown away.
func (s *Service) settleRefused(ctx context.Context, op outbox.Operation, i followup.Intent, res mailer.Result, r *ledger.Refused) error {
	if f, taken := r.By("message_index"); taken && len(r.Failures) == 1 && !evidence.Indexed(f.Current, i.Tenant, i.ID, i.Attempt) {
		// The alarm is for what has been stored: a fault brings this way again.
		err := s.settleOnce(ctx, op, i, res, false)
		if err == nil {
			evidence.AlarmMessageID(ctx, s.Log, i.Tenant, i.ID, i.Attempt)
		}
		return err
	}
	// Either our own write of a moment ago (its answer was lost), or the lease
	// lapsed and the outcome is evidence that came late.
	var a followup.Attempt
	found, err := s.get(ctx, ledger.AttemptKey(i.Tenant, i.ID, i.Attempt), &a)
	if err != nil || !found {
		return err
	}
	if a.State != followup.AttemptUnknown && a.State != followup.AttemptBegun {
		return nil
	}
	return s.lateResult(ctx, i, a, res)
}

// lateResult writes an outcome that came after the lease had lapsed to its
// attempt. Acceptance moves the intent too; that nothing was sent is left to
// whoever decides about the unknown outcome.
func (s *Service) lateResult(ctx context.Context, i followup.Intent, a followup.Attempt, res mailer.Result) error {
	if res.Outcome == mailer.Unknown {
		return nil
	}
	if res.Outcome == mailer.Accepted {
		return evidence.Record(ctx, s.Store, s.Log, evidence.Evidence{
			Tenant: i.Tenant, Intent: i.ID, Attempt: i.Attempt, Provider: s.Mailer.Provider(), MessageID: res.MessageID,
			Kind: evidence.Accept, At: s.now(), Now: s.now(), By: "send",
		}, nil)
	}
	var c ledger.Commit
	if _, err := c.Move(ledger.Step{
		Name: "attempt", Key: ledger.AttemptKey(i.Tenant, i.ID, i.Attempt), Machine: followup.AttemptMachine(), From: a.State,
		Transition: a.Transition, Event: attemptEvent(res), Audit: s.audit(i, "late"),
		Set: ledger.Item{followup.SettledAtAttr: s.now(), "request_id": res.RequestID, machine.ReasonAttr: res.Reason},
	}); err != nil {
		return err
	}
	// Refused: the attempt has moved since it was read, by a lapse perhaps. The
	// caller looks again; the outcome is not dropped.
	if err := s.Store.Commit(ctx, c); err != nil {
		return fmt.Errorf("late result of intent %s: %w", i.ID, err)
	}
	s.logLate(ctx, i, a, res)
	return nil
}

// acceptedResend is who accepted that this intent may go out twice, or "".
// The intent's reason says so from the acceptance on; where another reason
// has come between, it is whoever approved the mail since.
func acceptedResend(i followup.Intent) string {
	switch {
	case i.Resends == 0:
		return ""
	case i.Reason == reasonResend || strings.HasPrefix(i.Reason, "person:"):
		return i.Reason
	}
	return i.ApprovedBy
}

func intentEvent(res mailer.Result) string {
	switch res.Outcome {
	case mailer.Accepted:
		return followup.Accept
	case mailer.Rejected:
		return followup.Reject
	case mailer.Throttled, mailer.NotBegun:
		return followup.Back
	case mailer.Unknown:
	}
	return followup.Lose
}

func attemptEvent(res mailer.Result) string {
	switch res.Outcome {
	case mailer.Accepted:
		return "accept"
	case mailer.Rejected:
		return "reject"
	case mailer.Throttled:
		return "throttle"
	case mailer.NotBegun:
		return "not_begun"
	case mailer.Unknown:
	}
	return "lose"
}
