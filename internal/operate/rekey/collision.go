package rekey

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/machine"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// ask puts the question to a person, once for a form and one of those who would
// share it. asked: it is open already.
func (w *work) ask(ctx context.Context, c *ledger.Commit, v view) (asked bool, err error) {
	var k ledger.Key
	for n := 0; ; n++ {
		// A question that was closed, since the two had become one, may come up again.
		k = ledger.ReviewTask.At(w.p.Tenant, w.IDs.ID("task", review.IdentityCollision, w.p.Tenant, v.nextID, v.key.Contact, strconv.Itoa(n)))
		it, err := w.Store.Get(ctx, k)
		if err != nil {
			return false, fmt.Errorf("read a task: %w", err)
		}
		if it == nil {
			break
		}
		if it.Text(machine.StateAttr) == review.Open {
			return true, nil
		}
	}
	reasons := []string{match.ReasonRuleCollision}
	if v.key.Shared {
		reasons = append(reasons, match.ReasonSharedInbox)
	}
	now := utc.At(w.Now())
	t := review.Task{
		Tenant: w.p.Tenant, ID: k.ID, Kind: review.IdentityCollision, State: review.Open, Transition: 1,
		Contact: v.survivor.ID, Candidates: []string{v.survivor.ID, v.other.ID}, Reasons: reasons, Key: v.nextID,
		OpenFor: w.p.Tenant, OpenedAt: now,
	}
	c.Check("contact_key", keyNamed(w.p.Tenant, v.key.ID), ledger.AtVersion(v.key.Version))
	c.Check("next_key", keyNamed(w.p.Tenant, v.nextID), ledger.AtVersion(v.next.Version))
	return false, c.Insert(ledger.Step{
		Key: k, Machine: review.Machine(), Event: review.Put, Audit: audit.Record{At: now, By: w.By, Reasons: reasons, Contact: v.survivor.ID},
	}, t, review.Open)
}

// collisions lists the open questions of the kind. The index may lag, so each is
// read again.
func (s *Service) collisions(ctx context.Context, tenantID string) (open []review.Task, err error) {
	for cursor := ""; ; {
		pg, err := s.Store.Query(ctx, ledger.Query{
			Table: schema.Ledger, Index: schema.ByOpenReview, Partition: tenantID, Cursor: cursor, Limit: page,
		})
		if err != nil {
			return nil, fmt.Errorf("list open tasks: %w", err)
		}
		for _, it := range pg.Items {
			if it.Text("kind") != review.IdentityCollision {
				continue
			}
			var t review.Task
			if err := s.read(ctx, ledger.KeyOf(it), &t); err != nil {
				return nil, err
			}
			if t.State == review.Open {
				open = append(open, t)
			}
		}
		if cursor = pg.Next; cursor == "" {
			return open, nil
		}
	}
}

// closeIdle ends the questions that answered themselves: the two lead to one
// contact now, the form is shared, or no rule is migrated to that would make
// them one.
func (s *Service) closeIdle(ctx context.Context, p tenant.Policy) error {
	open, err := s.collisions(ctx, p.Tenant)
	if err != nil {
		return err
	}
	for _, t := range open {
		idle, err := s.idle(ctx, p, t)
		if err != nil {
			return err
		}
		if !idle {
			continue
		}
		var c ledger.Commit
		if err := decide.MoveTask(&c, t, "close", s.By, audit.Record{At: utc.At(s.Now()), By: s.By, Reasons: []string{"one_contact_now"}}); err != nil {
			return err
		}
		err = s.Store.Commit(ctx, c)
		if _, refused := ledger.AsRefused(err); err != nil && !refused && !errors.Is(err, ledger.ErrContention) {
			return fmt.Errorf("close task %s: %w", t.ID, err)
		}
	}
	return nil
}

func (s *Service) idle(ctx context.Context, p tenant.Policy, t review.Task) (bool, error) {
	if rule, _, _ := contact.EmailKey(t.Key); rule != p.NextVersion() {
		return true, nil
	}
	var next contact.Key
	if err := s.read(ctx, keyNamed(t.Tenant, t.Key), &next); err != nil || next.Shared {
		return err == nil, err
	}
	_, last, err := s.leads(ctx, t.Tenant, next.Contact)
	if err != nil {
		return false, err
	}
	for _, id := range t.Candidates {
		_, other, err := s.leads(ctx, t.Tenant, id)
		if err != nil || other.ID != last.ID {
			return false, err
		}
	}
	return true, nil
}
