package crmsync

import (
	"context"
	"fmt"
	"time"

	"onefold/internal/crm"
	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

// WaitAgain is when a waiting operation first looks for itself. It looks again
// when it is twice as old, and hourly in the end.
const (
	WaitAgain     = 2 * time.Minute
	waitAtMost    = time.Hour
	GiveUpWaiting = 24 * time.Hour // then it is parked, and released all the same
	askAgain      = 6 * time.Hour  // longer than the tries of the operation that brings the contact
)

// waitForContact puts a note or task aside until its contact is in the CRM. It
// burns no attempt. not_before moves with due_at: the change of this very write
// comes to this worker, which must not find the row due again.
func (s at) waitForContact(ctx context.Context, op outbox.Operation, person contact.Contact, m *crm.Mapping, conn *outbox.Connection) error {
	since := op.CreatedAt
	if conn != nil && since.Before(conn.Since) {
		since = conn.Since // until then nothing could come
	}
	age := s.now().Sub(since)
	again := s.now().Add(min(max(age, WaitAgain), waitAtMost))
	set := ledger.Item{"waits_for": waitsFor(op.Tenant, person.ID), claim.NotBeforeAttr: again, schema.DueAt: again, claim.NudgesAttr: 0, machine.ReasonAttr: "contact_not_in_crm"}
	if op.State == outbox.Open {
		var c ledger.Commit
		if _, err := c.Move(ledger.Step{
			Name: "operation", Key: operationKey(op), Machine: outbox.Machine(), From: op.State, Transition: op.Transition,
			Event: "wait", Set: set, If: ledger.AtVersion(op.Version), Audit: s.audit(op, "contact_not_in_crm"),
		}); err != nil {
			return err
		}
		if err := s.commit(ctx, c, "wait"); err != nil {
			return err
		}
		// The contact's operation may have finished between the read and the
		// wait, and then released nobody: look once more.
		if _, m, err := s.person(ctx, op); err == nil && m != nil && m.CRMID != "" {
			return s.release(ctx, operationKey(op), "contact_in_crm")
		}
		return nil
	}
	if age >= GiveUpWaiting {
		return s.parkWaiting(ctx, op)
	}
	if m == nil || m.CRMID == "" && age >= askAgain {
		if err := s.askForContact(ctx, op, person, m); err != nil {
			return err
		}
	}
	var c ledger.Commit
	if err := c.Update("operation", operationKey(op), ledger.All(ledger.AtVersion(op.Version), ledger.Is(machine.StateAttr, outbox.Waiting)), set); err != nil {
		return err
	}
	return s.commit(ctx, c, "wait on")
}

// askForContact makes the operation that brings a contact into the CRM. The
// contact may be older than the tenant's CRM, and then no decision made one; or
// the one there was ended without a record, and then each enquiry asks once more.
// Should there be one that is only late, the mapping lets one of the two through.
func (s at) askForContact(ctx context.Context, op outbox.Operation, person contact.Contact, m *crm.Mapping) error {
	of := []string{"first_sync", op.Tenant, s.CRM.Capabilities().Name, person.ID}
	if m != nil {
		of = append(of, op.ID)
	}
	ask := outbox.Operation{
		Tenant: op.Tenant, ID: digest.Parts(of...), Kind: outbox.CRMContact,
		Contact: person.ID, Event: op.Event, Revision: person.Revision,
	}
	var c ledger.Commit
	if err := decide.InsertOperation(&c, ask, s.now(), s.audit(ask, "contact_never_synced")); err != nil {
		return err
	}
	return s.commit(ctx, c, "ask for the contact")
}

// bringAlong releases what waits for the contact of an operation that ended, or
// parks it where the contact did not come.
func (s at) bringAlong(ctx context.Context, op outbox.Operation) error {
	c, m, err := s.person(ctx, op)
	if err != nil || c == nil {
		return err
	}
	in := m != nil && m.CRMID != ""
	if !in && c.Status == contact.Active && op.State != outbox.Parked && op.State != outbox.Refused {
		return nil // superseded by one that is still at it
	}
	for cursor := ""; ; {
		page, err := s.Store.Query(ctx, ledger.Query{
			Table: schema.Outbox, Index: schema.ByWaitsFor, Partition: waitsFor(op.Tenant, c.ID), Cursor: cursor, Limit: 200,
		})
		if err != nil {
			return fmt.Errorf("list waiting operations: %w", err)
		}
		for _, it := range page.Items {
			if err := s.follow(ctx, ledger.KeyOf(it), in || c.Status != contact.Active); err != nil {
				return err
			}
		}
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
}

func (s *Service) follow(ctx context.Context, k ledger.Key, released bool) error {
	if released {
		return s.release(ctx, k, "contact_in_crm")
	}
	op, err := s.operation(ctx, k)
	if err != nil || op == nil || op.State != outbox.Waiting {
		return err
	}
	return s.parkWaiting(ctx, *op)
}

// parkWaiting parks what waits and keeps waits_for, by which it is found when
// the contact comes after all.
func (s *Service) parkWaiting(ctx context.Context, op outbox.Operation) error {
	set := timerless()
	delete(set, "waits_for")
	set[machine.ReasonAttr] = "contact_not_in_crm"
	return s.leave(ctx, op, "park", set, "contact_not_in_crm")
}

// release gives an operation that waited, or was parked while it waited, back
// to its worker.
func (s *Service) release(ctx context.Context, k ledger.Key, reason string) error {
	op, err := s.operation(ctx, k)
	if err != nil || op == nil || op.WaitsFor == "" {
		return err
	}
	event := "wake"
	switch op.State {
	case outbox.Waiting:
	case outbox.Parked:
		event = "reopen"
	default:
		return nil
	}
	now := s.now()
	return s.leave(ctx, *op, event, ledger.Item{
		"waits_for": "", machine.ReasonAttr: "", claim.NotBeforeAttr: now, claim.NudgesAttr: 0,
		schema.DueAt: now.Add(WaitAgain), schema.DueShard: schema.Shard(op.ID),
	}, reason)
}

func waitsFor(tenantID, contactID string) string { return tenantID + "#crm_contact#" + contactID }
