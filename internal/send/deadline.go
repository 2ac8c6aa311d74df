package send

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
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
		if err := c.Update("operation", operationKey(op), ledger.All(ledger.Is("state", outbox.Open), ledger.AtVersion(op.Version)),
			ledger.Item{"not_before": again, "due_at": again, "nudges": 0, "reason": "feed_not_proven"}); err != nil {
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
		Set:   ledger.Item{"resends": i.Resends + 1, "reason": reasonResend},
		Audit: s.audit(i, reasonResend),
	}); err != nil {
		return err
	}
	if err := c.Update("operation", operationKey(op), ledger.Is("state", outbox.Open),
		ledger.Item{"not_before": now, "due_at": now.Add(decide.OperationDue), "nudges": 0, "reason": ""}); err != nil {
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

// cancelAll ends what an opt-out, bounce or complaint forbids: the intents of
// the contact that still wait. The guard forbids them in any case; this makes
// it visible at once. It is safe to repeat and to leave half done.
func (s *Service) cancelAll(ctx context.Context, op outbox.Operation) error {
	if op.Contact == "" {
		return s.finish(ctx, op, "nothing_queued")
	}
	ended, cursor := 0, ""
	for {
		page, err := s.Store.Query(ctx, ledger.Query{
			Table: schema.Ledger, Index: schema.ByContact, Partition: schema.Ref(op.Tenant, op.Contact), Cursor: cursor, Limit: 100,
		})
		if err != nil {
			return fmt.Errorf("list intents: %w", err)
		}
		for _, it := range page.Items {
			// The index is a hint; the row decides.
			var i followup.Intent
			found, err := s.get(ctx, ledger.KeyOf(it), &i)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			waits, err := s.waits(ctx, i)
			if err != nil {
				return err
			}
			if !waits {
				continue
			}
			word, err := s.forbidden(ctx, i)
			if err != nil {
				return err
			}
			if word == "" {
				continue // to another address of the contact
			}
			if err := s.cancelOne(ctx, i, word); err != nil {
				return err
			}
			ended++
		}
		if cursor = page.Next; cursor == "" {
			return s.finish(ctx, op, fmt.Sprintf("ended_%d", ended))
		}
	}
}

// waits tells whether nothing of an intent can have been sent: it is ready,
// waits for approval, or was held before any submission. One whose outcome is
// not known is not ended by a stop, since ending it would hide the question.
func (s *Service) waits(ctx context.Context, i followup.Intent) (bool, error) {
	switch i.State {
	case followup.Ready, followup.Proposed:
		return true, nil
	case followup.InReview:
		var t review.Task
		found, err := s.get(ctx, ledger.ReviewTask.At(i.Tenant, i.Review), &t)
		return found && t.Kind == review.HeldSend, err
	}
	return false, nil
}

// forbidden says what forbids an intent for good: a stop of its own address,
// or the withdrawn consent of its contact; "" if nothing does. A contact may
// have several addresses, and one that bounced does not stop the others.
func (s *Service) forbidden(ctx context.Context, i followup.Intent) (string, error) {
	rows, err := s.Store.GetMany(ctx, []ledger.Key{
		{Entity: ledger.Guard, Tenant: i.Tenant, ID: i.Guard}, {Entity: ledger.Contact, Tenant: i.Tenant, ID: i.Contact},
	})
	if err != nil {
		return "", fmt.Errorf("read guard and contact of intent %s: %w", i.ID, err)
	}
	word := guard.Blocks(rows[0], i.Scope)
	switch {
	case word != "" && word != "opt_out_in_doubt":
		return word, nil
	case rows[1] != nil && rows[1].Int("consent_version") != i.ConsentVersion:
		return "consent_withdrawn", nil
	}
	return "", nil
}

// cancelOne suppresses one intent and closes the question about it. Its timer
// finds it terminal and ends.
func (s *Service) cancelOne(ctx context.Context, i followup.Intent, word string) error {
	var c ledger.Commit
	r := s.audit(i, word)
	r.Details = map[string]string{"guard": i.Guard, "guard_result": word}
	if _, err := c.Move(ledger.Step{
		Key: intentKey(i.Tenant, i.ID), Machine: followup.IntentMachine(), From: i.State, Transition: i.Transition,
		Event: followup.Suppress, Set: ledger.Item{"reason": word}, Audit: r,
	}); err != nil {
		return err
	}
	if i.State != followup.Ready && i.Review != "" {
		var t review.Task
		found, err := s.get(ctx, ledger.ReviewTask.At(i.Tenant, i.Review), &t)
		if err != nil {
			return err
		}
		if found && t.State == review.Open {
			if err := decide.MoveTask(&c, t, "close", "send", r); err != nil {
				return err
			}
		}
	}
	return s.commit(ctx, c, "cancel", intentAttr(i), slog.String("reason", word), metric.Count(schema.SuppressionBlocks, 1))
}
