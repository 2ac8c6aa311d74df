package crmsync

import (
	"context"
	"fmt"
	"time"

	"onefold/internal/crm"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// lease is how long a claim lives: until the worker is certainly dead and what
// it sent last has settled. Without the second part a killed worker's older
// contact could land on a newer one.
func (s at) lease(kind string) time.Duration {
	return idempotency.Lease(s.Timeout) + s.settles(kind)
}

// settles is how long after a call the vendor can no longer be working on it and
// what it made is found.
func (s at) settles(kind string) time.Duration {
	is := s.CRM.Capabilities()
	if s.repeat(kind) == crm.ByLooking {
		return is.InFlight + is.IndexLag
	}
	return is.InFlight
}

func (s at) repeat(kind string) crm.Repeat {
	is := s.CRM.Capabilities()
	return map[string]crm.Repeat{outbox.CRMContact: is.Contacts, outbox.CRMNote: is.Notes, outbox.CRMTask: is.Tasks}[kind]
}

// mayRepeat tells whether a call whose outcome nobody knows may be made again.
func (s at) mayRepeat(op outbox.Operation) bool {
	unknown := op.Status == claim.Unknown || op.Status == claim.InProgress
	switch s.repeat(op.Kind) {
	case crm.ByReference, crm.ByLooking:
		return true
	case crm.ByIdempotencyKey:
		// Its first call was made after it was made itself.
		return !unknown || s.now().Before(op.CreatedAt.Add(s.CRM.Capabilities().KeyLife))
	case crm.Never:
	}
	return !unknown
}

// claimOperation takes the operation for this worker, provided that the
// contact has not been erased or merged since it was read; also adds what must
// be claimed with it.
func (s at) claimOperation(ctx context.Context, op outbox.Operation, person contact.Contact, also func(c *ledger.Commit, owner string, until utc.Time) error) (outbox.Operation, bool, error) {
	owner := idempotency.NewOwner()
	until := s.now().Add(s.lease(op.Kind))
	set, rec := idempotency.Claim(op.Record, owner, until)
	set[schema.DueAt], set[claim.NudgesAttr], set["waits_for"] = until.Add(time.Second), 0, ""
	var c ledger.Commit
	if op.State == outbox.Waiting {
		// Waiting ends with the claim: a transition of its own.
		if _, err := c.Move(ledger.Step{
			Name: "operation", Key: operationKey(op), Machine: outbox.Machine(), From: op.State, Transition: op.Transition,
			Event: outbox.Wake, Set: idempotency.Join(set, ledger.Item{machine.ReasonAttr: ""}), If: ledger.AtVersion(op.Version), Audit: s.audit(op),
		}); err != nil {
			return op, false, err
		}
		op.State = outbox.Open
		op.Transition++
	} else if err := c.Update("operation", operationKey(op), ledger.All(ledger.AtVersion(op.Version), ledger.Is(machine.StateAttr, op.State)), set); err != nil {
		return op, false, err
	}
	c.Check("contact", ledger.Contact.At(person.Tenant, person.ID), ledger.Is(contact.StatusAttr, contact.Active))
	if also != nil {
		if err := also(&c, owner, until); err != nil {
			return op, false, err
		}
	}
	op.Reconciles = op.Status == claim.Unknown || op.Status == claim.InProgress
	op.Record = rec
	err := s.Store.Commit(ctx, c)
	if r, refused := ledger.AsRefused(err); refused {
		f, ok := r.By("operation")
		mine := ok && idempotency.Mine(f.Current, owner, rec.Attempt)
		if !mine {
			s.countInProgress(ctx, op, "claimed_by_another")
		}
		return op, mine, nil
	}
	if err != nil {
		// Without an answer the claim may stand; it lapses by itself.
		return op, false, fmt.Errorf("claim operation %s: %w", op.ID, err)
	}
	return op, true, nil
}

// claimContact takes operation and mapping together: one upsert of a contact
// is in flight.
func (s at) claimContact(ctx context.Context, op outbox.Operation, c contact.Contact, m *crm.Mapping) (outbox.Operation, crm.Mapping, bool, error) {
	mapping := crm.Mapping{Tenant: op.Tenant, CRM: s.CRM.Capabilities().Name, Contact: c.ID, CreatedAt: s.now()}
	if m != nil {
		mapping = *m
	}
	claimed, won, err := s.claimOperation(ctx, op, c, func(commit *ledger.Commit, owner string, until utc.Time) error {
		mapping.Tried = s.tries(mapping, c)
		mapping.Owner, mapping.Attempt, mapping.InFlightUntil, mapping.UpdatedAt = owner, mapping.Attempt+1, until, s.now()
		if m == nil {
			mapping.Transition = 1
			return commit.Insert(ledger.Step{Key: mappingKey(mapping), Event: "create", Audit: s.audit(op)}, mapping, "")
		}
		return commit.Update("crm_mapping", mappingKey(mapping), ledger.AtVersion(m.Version), ledger.Item{
			crm.OwnerAttr: owner, crm.AttemptAttr: mapping.Attempt, crm.InFlightUntilAttr: until, crm.TriedAttr: mapping.Tried, "updated_at": s.now(),
		})
	})
	return claimed, mapping, won, err
}
