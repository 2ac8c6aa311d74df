package crmsync

import (
	"context"
	"fmt"
	"strings"
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
			Event: outbox.Wait, Set: set, If: ledger.AtVersion(op.Version), Audit: s.audit(op, "contact_not_in_crm"),
		}); err != nil {
			return err
		}
		if err := s.commit(ctx, c, "wait"); err != nil {
			return err
		}
		// The contact's operation may have finished between the read and the
		// wait, and then released nobody: look once more.
		if _, m, err := s.person(ctx, op); err == nil && m != nil && m.CRMID != "" {
			return s.release(ctx, operationKey(op))
		}
		// And what was in the contact's way may have gone, as a second record that
		// was merged in the CRM: another enquiry has it looked at again.
		return s.waiting(ctx, person, func(k ledger.Key) error {
			if blocked, err := s.operation(ctx, k); err != nil || blocked == nil || blocked.Kind != outbox.CRMContact || blocked.Event == op.Event {
				return err
			}
			return s.release(ctx, k)
		})
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

// bringAlong releases what waits for the contact of an operation that ended, and
// for those that were merged into it, or parks it where the contact did not come.
func (s at) bringAlong(ctx context.Context, op outbox.Operation) error {
	c, m, err := s.person(ctx, op)
	if err != nil || c == nil {
		return err
	}
	in := m != nil && m.CRMID != ""
	if !in && c.Status == contact.Active && op.State != outbox.Parked && op.State != outbox.Refused {
		return nil // superseded by one that is still at it
	}
	return s.waiting(ctx, *c, func(k ledger.Key) error { return s.follow(ctx, k, op, in || c.Status != contact.Active) })
}

// waiting does something with each operation that waits for the contact, or for
// one that was merged into it.
func (s *Service) waiting(ctx context.Context, c contact.Contact, do func(ledger.Key) error) error {
	for _, id := range append([]string{c.ID}, c.Absorbed...) {
		for cursor := ""; ; {
			page, err := s.Store.Query(ctx, ledger.Query{
				Table: schema.Outbox, Index: schema.ByWaitsFor, Partition: waitsFor(c.Tenant, id), Cursor: cursor, Limit: 200,
			})
			if err != nil {
				return fmt.Errorf("list waiting operations: %w", err)
			}
			for _, it := range page.Items {
				if err := do(ledger.KeyOf(it)); err != nil {
					return err
				}
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
	}
	return nil
}

// follow releases or parks what waits for the contact that ended was about. An
// upsert that met a conflict is released by one that met none, else the two
// would release each other without end.
func (s *Service) follow(ctx context.Context, k ledger.Key, ended outbox.Operation, released bool) error {
	op, err := s.operation(ctx, k)
	switch {
	case err != nil || op == nil:
		return err
	case !released && op.State == outbox.Waiting:
		return s.parkWaiting(ctx, *op)
	case !released, op.Kind == outbox.CRMContact && ended.State != outbox.Done && ended.State != outbox.Superseded:
		return nil
	}
	return s.release(ctx, k)
}

// parkWaiting parks what waits and keeps waits_for, by which it is found when
// the contact comes after all.
func (s *Service) parkWaiting(ctx context.Context, op outbox.Operation) error {
	set := timerless()
	delete(set, "waits_for")
	set[machine.ReasonAttr] = "contact_not_in_crm"
	return s.leave(ctx, op, outbox.Park, set, "contact_not_in_crm")
}

// release gives an operation that waited, or was parked while it waited, back
// to its worker.
func (s *Service) release(ctx context.Context, k ledger.Key) error {
	op, err := s.operation(ctx, k)
	if err != nil || op == nil || op.WaitsFor == "" {
		return err
	}
	event, reason := outbox.Wake, "contact_in_crm"
	switch op.State {
	case outbox.Waiting:
	case outbox.Parked:
		event = outbox.Reopen
	default:
		return nil
	}
	switch {
	case strings.Contains(op.WaitsFor, connectionQueue):
		reason = "crm_connection_up"
	case op.Kind == outbox.CRMContact:
		reason = "tried_again"
	}
	now := s.now()
	return s.leave(ctx, *op, event, ledger.Item{
		"waits_for": "", machine.ReasonAttr: "", claim.NotBeforeAttr: now, claim.NudgesAttr: 0,
		schema.DueAt: now.Add(WaitAgain), schema.DueShard: schema.Shard(op.ID),
	}, reason)
}

func waitsFor(tenantID, contactID string) string { return tenantID + "#crm_contact#" + contactID }
