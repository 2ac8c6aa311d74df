package crmsync

import (
	"context"
	"fmt"
	"time"

	"onefold/internal/contact"
	"onefold/internal/crm"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/outbox"
	"onefold/internal/utc"
)

// claimOperation takes the operation for this worker; also adds what must be
// claimed with it.
func (s *Service) claimOperation(ctx context.Context, op outbox.Operation, also func(c *ledger.Commit, owner string, until utc.Time) error) (outbox.Operation, bool, error) {
	owner := idempotency.NewOwner()
	until := s.now().Add(idempotency.Lease(s.Timeout))
	set, rec := idempotency.Claim(op.Record, owner, until)
	set["due_at"], set["nudges"], set["waits_for"] = until.Add(time.Second), 0, ""
	var c ledger.Commit
	cond := ledger.All(ledger.AtVersion(op.Version), ledger.Is("state", op.State))
	if op.State == outbox.Waiting {
		// Waiting ends with the claim: a transition of its own.
		if _, err := c.Move(ledger.Step{
			Name: "operation", Key: operationKey(op), Machine: outbox.Machine(), From: op.State, Transition: op.Transition,
			Event: "wake", Set: set, If: ledger.AtVersion(op.Version), Audit: s.audit(op),
		}); err != nil {
			return op, false, err
		}
		op.State = outbox.Open
		op.Transition++
	} else if err := c.Update("operation", operationKey(op), cond, set); err != nil {
		return op, false, err
	}
	if also != nil {
		if err := also(&c, owner, until); err != nil {
			return op, false, err
		}
	}
	op.Record = rec
	err := s.Store.Commit(ctx, c)
	if r, refused := ledger.AsRefused(err); refused {
		f, ok := r.By("operation")
		return op, ok && idempotency.Mine(f.Current, owner, rec.Attempt), nil
	}
	if err != nil {
		// Without an answer the claim may stand; it lapses by itself.
		return op, false, fmt.Errorf("claim operation %s: %w", op.ID, err)
	}
	return op, true, nil
}

// claimContact takes operation and mapping together: one upsert of a contact
// is in flight.
func (s *Service) claimContact(ctx context.Context, op outbox.Operation, c contact.Contact, m *crm.Mapping) (outbox.Operation, crm.Mapping, bool, error) {
	mapping := crm.Mapping{Tenant: op.Tenant, CRM: s.CRM.Capabilities().Name, Contact: c.ID, CreatedAt: s.now()}
	if m != nil {
		mapping = *m
	}
	claimed, won, err := s.claimOperation(ctx, op, func(commit *ledger.Commit, owner string, until utc.Time) error {
		mapping.Owner, mapping.Attempt, mapping.InFlightUntil, mapping.UpdatedAt = owner, mapping.Attempt+1, until, s.now()
		if m == nil {
			mapping.Transition = 1
			return commit.Born(ledger.Step{Key: mappingKey(mapping), Event: "create", Audit: s.audit(op)}, mapping, "")
		}
		return commit.Update("crm_mapping", mappingKey(mapping), ledger.AtVersion(m.Version), ledger.Item{
			"owner": owner, "attempt": mapping.Attempt, "in_flight_until": until, "updated_at": s.now(),
		})
	})
	return claimed, mapping, won, err
}

// waitForContact parks a note or task until its contact is in the CRM. It
// burns no attempt. Should the contact arrive just now, the row's own due time
// finds it.
func (s *Service) waitForContact(ctx context.Context, op outbox.Operation) error {
	due := s.now().Add(WaitAgain)
	set := ledger.Item{"waits_for": waitsFor(op.Tenant, op.Contact), "due_at": due, "reason": "contact_not_in_crm"}
	var c ledger.Commit
	if op.State == outbox.Waiting {
		if err := c.Update("operation", operationKey(op), ledger.AtVersion(op.Version), ledger.Item{"due_at": due, "nudges": 0}); err != nil {
			return err
		}
	} else if _, err := c.Move(ledger.Step{
		Name: "operation", Key: operationKey(op), Machine: outbox.Machine(), From: op.State, Transition: op.Transition,
		Event: "wait", Set: set, If: ledger.AtVersion(op.Version), Audit: s.audit(op, "contact_not_in_crm"),
	}); err != nil {
		return err
	}
	err := s.commit(ctx, c, "wait")
	if err != nil || op.State == outbox.Waiting {
		return err
	}
	// The contact's operation may have finished between the read and the wait,
	// and then woke nobody: look once more.
	if _, m, err := s.person(ctx, op); err == nil && m != nil && m.CRMID != "" {
		return s.wakeOne(ctx, operationKey(op))
	}
	return nil
}

// WaitAgain is how long a waiting operation waits before it looks for itself.
const WaitAgain = 2 * time.Minute

func waitsFor(tenantID, contactID string) string { return tenantID + "#crm_contact#" + contactID }
