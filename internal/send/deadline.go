package send

import (
	"context"
	"fmt"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/claim"
	"onefold/internal/record/followup"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// reasonResend is the acceptance of a possible duplicate by the policy.
const reasonResend = "policy_accepts_possible_duplicate"

// deadline decides what becomes of an outcome for which no evidence came in
// time. Silence counts only while the feed is proven alive: an event of the
// deadline or later must have reached us. Otherwise the wait goes on.
func (s *Service) deadline(ctx context.Context, op outbox.Operation, i followup.Intent) error {
	// The operation may have been read before the outcome was lost, and then its
	// time is not that of the deadline. The intent's own is.
	deadline := i.UnknownSince.Add(time.Duration(i.UnknownWithin) * time.Millisecond)
	if s.now().Before(deadline) {
		return nil
	}
	// Of the deadline, not of the moment when the outcome was lost: a feed that
	// comes back has a backlog in no order, and its first events may pass ours.
	alive, err := s.feedAliveSince(ctx, deadline)
	if err != nil {
		return err
	}
	if !alive {
		again := s.now().Add(15 * time.Minute)
		var c ledger.Commit
		if err := c.Update("operation", operationKey(op), ledger.All(ledger.Is(machine.StateAttr, outbox.Open), ledger.AtVersion(op.Version)),
			ledger.Item{claim.NotBeforeAttr: again, schema.DueAt: again, claim.NudgesAttr: 0, machine.ReasonAttr: "feed_not_proven"}); err != nil {
			return err
		}
		return s.commit(ctx, c, "wait for the feed", intentAttr(i), metric.Seconds(schema.UnknownAge, s.now().Sub(i.UnknownSince)))
	}
	if i.OnUnknown != tenant.UnknownResend {
		return s.refer(ctx, op, i, "outcome_unknown")
	}
	// The policy accepts a possible duplicate, in those words. The next claim
	// asks every condition again.
	now := s.now()
	var c ledger.Commit
	if _, err := c.Move(ledger.Step{
		Key: intentKey(i.Tenant, i.ID), Machine: followup.IntentMachine(), From: i.State, Transition: i.Transition, Event: followup.Resend,
		Set:   ledger.Item{followup.ResendsAttr: i.Resends + 1, machine.ReasonAttr: reasonResend},
		Audit: s.audit(i, reasonResend),
	}); err != nil {
		return err
	}
	if err := c.Update("operation", operationKey(op), ledger.Is(machine.StateAttr, outbox.Open),
		ledger.Item{claim.NotBeforeAttr: now, schema.DueAt: now.Add(decide.OperationDue), claim.NudgesAttr: 0, machine.ReasonAttr: ""}); err != nil {
		return err
	}
	return s.commit(ctx, c, "resend", intentAttr(i), metric.Count(schema.UnknownReferred, 1))
}

// feedAliveSince tells whether an event of the provider that happened at t or
// later has come through the feed.
func (s *Service) feedAliveSince(ctx context.Context, t utc.Time) (bool, error) {
	at, err := s.feedAliveAt(ctx)
	if err != nil {
		return false, err
	}
	return !at.Before(t), nil
}

// feedAliveAt is when the latest event happened that has come through the
// feed; zero if none has.
func (s *Service) feedAliveAt(ctx context.Context) (utc.Time, error) {
	it, err := s.Store.Get(ctx, ledger.FeedProbe.At(ledger.NoTenant, "feed"))
	if err != nil {
		return utc.Time{}, fmt.Errorf("read the feed probe: %w", err)
	}
	return utc.Parse(it.Text("alive_at"))
}
