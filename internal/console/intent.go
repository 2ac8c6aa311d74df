package console

import (
	"context"
	"fmt"
	"maps"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/followup"
	"onefold/internal/record/machine"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// answerIntent moves the intent and the task in one commit.
func (s *Service) answerIntent(ctx context.Context, t review.Task, a Form) error {
	it, err := s.Store.Get(ctx, ledger.Intent.At(t.Tenant, t.Intent))
	if err != nil {
		return fmt.Errorf("read intent %s: %w", t.Intent, err)
	}
	var i followup.Intent
	if it == nil {
		return ErrNotFound
	}
	if err := it.Decode(&i); err != nil {
		return err
	}
	// Whatever the answer is, it is about the mail that was shown, and given to
	// the question that the intent waits for now.
	if a.ContentHash != i.ContentHash || i.HashContent() != i.ContentHash || i.Review != t.ID {
		return ErrMoved
	}
	event, set, err := s.intentStep(t, i, a)
	if err != nil {
		return err
	}
	now := utc.At(s.Now())
	r := audit.Record{At: now, By: a.By, Reasons: []string{t.Kind, a.Action}, InboundEvent: i.Event, Contact: i.Contact, Intent: i.ID,
		Details: map[string]string{"content_hash": i.ContentHash, "task": t.ID}}
	var c ledger.Commit
	if a.Action == Approve {
		move, err := s.movesTo(ctx, i)
		if err != nil {
			return err
		}
		if move != nil {
			if err := move.write(&c, i, now); err != nil {
				return err
			}
			maps.Copy(set, move.attributes(i))
			r.Details["moved_from"], r.Contact = i.Contact, move.contact.ID
			i.Contact = move.contact.ID
		}
	}
	to, err := c.Move(ledger.Step{
		Key:     ledger.Intent.At(i.Tenant, i.ID),
		Machine: followup.IntentMachine(), From: i.State, Transition: i.Transition, Event: event, Set: set,
		If: ledger.Is(followup.ContentHashAttr, i.ContentHash), Audit: r,
	})
	if err != nil {
		return ErrMoved
	}
	taskEvent := "approve"
	if a.Action == Reject {
		taskEvent = "reject"
	}
	if err := decide.MoveTask(&c, t, taskEvent, a.By, r); err != nil {
		return err
	}
	if to == followup.Ready {
		i.Transition++
		if err := decide.InsertOperation(&c, decide.SendOperation(s.IDs, i), now, audit.Record{At: now, By: a.By, InboundEvent: i.Event}); err != nil {
			return err
		}
	}
	return s.commit(ctx, c)
}

// intentStep says what an action means for an intent.
func (s *Service) intentStep(t review.Task, i followup.Intent, a Form) (string, ledger.Item, error) {
	now := utc.At(s.Now())
	approved := ledger.Item{
		followup.ApprovedHashAttr: i.ContentHash, "approved_by": a.By, "approved_at": now, "not_after": now.Add(sendWithin(i)), machine.ReasonAttr: "",
	}
	switch {
	case a.Action == Reject:
		return followup.Refuse, ledger.Item{machine.ReasonAttr: followup.ReasonRefused}, nil
	case a.Action == CountAsSent && t.Kind == review.UnknownSend:
		return followup.Settle, ledger.Item{machine.ReasonAttr: "person_counts_as_sent", followup.AcceptedAtAttr: now}, nil
	case a.Action != Approve:
		return "", nil, ErrNoSuchAction
	case t.Kind == review.UnknownSend:
		approved[followup.ResendsAttr], approved[machine.ReasonAttr] = i.Resends+1, a.By
		return followup.Resend, approved, nil
	}
	return followup.Approve, approved, nil
}

// sendWithin is how long a mail may wait from now on before it has to be shown
// to a person again: as long as its rule gave it when it was decided.
func sendWithin(i followup.Intent) time.Duration {
	if i.SendWithin == 0 { // written by code that did not keep it
		return i.NotAfter.Sub(i.CreatedAt)
	}
	return time.Duration(i.SendWithin) * time.Millisecond
}
