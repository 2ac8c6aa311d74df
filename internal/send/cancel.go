package send

import (
	"context"
	"fmt"
	"log/slog"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
)

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
	rows, err := s.Store.GetMany(ctx, []ledger.Key{ledger.Guard.At(i.Tenant, i.Guard), ledger.Contact.At(i.Tenant, i.Contact)})
	if err != nil {
		return "", fmt.Errorf("read guard and contact of intent %s: %w", i.ID, err)
	}
	word := guard.Blocks(rows[0], i.Scope)
	switch {
	case word != "" && word != "opt_out_in_doubt":
		return word, nil
	case rows[1] != nil && rows[1].Int(contact.ConsentVersionAttr) != i.ConsentVersion:
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
		Event: followup.Suppress, Set: ledger.Item{machine.ReasonAttr: word}, Audit: r,
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
