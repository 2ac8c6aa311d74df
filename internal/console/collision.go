package console

import (
	"context"
	"fmt"
	"slices"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// reasonToMerge is what a question about two people under one key says once a
// person has answered that they are one.
const reasonToMerge = "to_be_merged"

// answerCollision carries out what a person said of two people who are one
// under the identity rule that comes next.
//
// That they are two: their common key names nobody from now on. That they are
// one: this page joins nobody, so the question stays open, and ends by itself
// when the two have been merged.
func (s *Service) answerCollision(ctx context.Context, t review.Task, a Form) error {
	var c ledger.Commit
	r := audit.Record{At: utc.At(s.Now()), By: a.By, Reasons: []string{t.Kind, a.Action}, Contact: t.Contact}
	if a.Action == Reject {
		reasons := t.Reasons
		if !slices.Contains(reasons, reasonToMerge) {
			reasons = append(slices.Clone(reasons), reasonToMerge)
		}
		_, err := c.Move(ledger.Step{
			Key: taskKey(t.Tenant, t.ID), Machine: review.Machine(), From: t.State, Transition: t.Transition, Event: review.Refresh,
			Set: ledger.Item{review.ReasonsAttr: reasons}, Audit: r,
		})
		if err == nil {
			err = s.commit(ctx, c)
		}
		if err != nil {
			return err
		}
		return ErrStillOpen
	}
	k := ledger.ContactKey.At(t.Tenant, t.Key)
	it, err := s.Store.Get(ctx, k)
	if err != nil {
		return fmt.Errorf("read a contact key: %w", err)
	}
	one, err := s.oneNow(ctx, t)
	if err != nil {
		return err
	}
	if it == nil || one {
		return ErrMoved
	}
	if err := c.Update("contact_key", k, ledger.AtVersion(it.Version()), ledger.Item{contact.SharedAttr: true}); err != nil {
		return err
	}
	if err := decide.MoveTask(&c, t, "approve", a.By, r); err != nil {
		return err
	}
	return s.commit(ctx, c)
}

// oneNow tells whether the people of a question have become one meanwhile.
func (s *Service) oneNow(ctx context.Context, t review.Task) (bool, error) {
	first := ""
	for _, id := range t.Candidates {
		var c contact.Contact
		for range 20 { // as far as merges are followed elsewhere
			c = contact.Contact{}
			found, err := s.get(ctx, ledger.Contact.At(t.Tenant, id), &c)
			if err != nil {
				return false, err
			}
			if !found || c.Status != contact.Merged {
				break
			}
			id = c.MergedInto
		}
		if first != "" && id != first {
			return false, nil
		}
		first = id
	}
	return true, nil
}
