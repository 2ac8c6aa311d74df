// Package crmsync brings contacts, notes and tasks into the CRM.
//
// # The protocol
//
// The same sandwich as for a send: claim the operation (for a contact also
// the mapping, so that one upsert of a contact is in flight), call, settle.
// The reference that is sent is made of what the operation is for, so a
// repeated call finds the record of the first. An unknown outcome is answered
// by the same call again after the vendor can no longer be working on the
// first, which the adapter declares; an adapter whose repeated call is not
// safe may not be used here.
//
// # What a crash leaves
//
// After a claim: in_progress with a lapse; the row's due_at lies behind it,
// and whoever takes over repeats the call with the same reference. After the
// call: the same. A note or task whose contact is not in the CRM yet waits
// without burning attempts, and is woken by the contact's operation, or by its
// own due time.
package crmsync

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/audit"
	"onefold/internal/blob"
	"onefold/internal/claim"
	"onefold/internal/contact"
	"onefold/internal/crm"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/outbox"
	"onefold/internal/utc"
)

// Describe makes the text of a note from a recorded event's raw content. It
// is pure; the composition supplies it, since reading mail is not this
// package's business.
type Describe func(ctx context.Context, e inbound.Event, raw []byte) (subject, text string, err error)

// Service works on CRM operations. All fields are needed.
type Service struct {
	Store    ledger.Store
	Blob     blob.Store
	CRM      crm.CRM
	Describe Describe
	Now      func() time.Time
	Timeout  time.Duration // after which this worker is killed
	CallTime time.Duration // the most one operation may take at the CRM
	Log      *slog.Logger
}

// ErrNotRepeatable means that the adapter cannot answer an unknown outcome by
// repeating the call. Such a CRM needs a look-up before each repeat.
var ErrNotRepeatable = errors.New("crmsync: the adapter does not declare that repeating is safe")

// MaxAttempts is how often a refusal that passes, or an unknown outcome, is
// tried before a person is asked.
const MaxAttempts = 12

// Handle works on one change of the outbox table. An error means that the
// ledger could not be asked; every other fault is written on the row.
func (s *Service) Handle(ctx context.Context, ch ledger.Change) error {
	if ch.Key.Entity != ledger.Operation || ch.Item == nil {
		return nil
	}
	switch ch.Item.Text("kind") {
	case outbox.CRMContact, outbox.CRMNote, outbox.CRMTask:
	default:
		return nil
	}
	if !s.CRM.Capabilities().RepeatIsSafe {
		return ErrNotRepeatable
	}
	op, err := s.operation(ctx, ch.Key)
	if err != nil || op == nil {
		return err
	}
	now := s.now()
	if (op.State != outbox.Open && op.State != outbox.Waiting) || now.Before(op.NotBefore) {
		return nil
	}
	switch op.Judge("", now) {
	case claim.Fresh, claim.Takeover:
	case claim.Done, claim.Running, claim.Mismatch:
		return nil
	}
	if op.Kind == outbox.CRMContact {
		return s.syncContact(ctx, *op)
	}
	return s.file(ctx, *op)
}

// syncContact sends the contact as it is now.
func (s *Service) syncContact(ctx context.Context, op outbox.Operation) error {
	c, m, err := s.person(ctx, op)
	if err != nil {
		return err
	}
	if c == nil || c.Status != contact.Active {
		return s.end(ctx, op, "supersede", "contact_gone", nil)
	}
	if m != nil && m.SentVersion >= op.Revision {
		return s.end(ctx, op, "supersede", "newer_version_sent", nil)
	}
	if m != nil && m.Owner != "" && s.now().Before(m.InFlightUntil) {
		return s.postpone(ctx, op, m.InFlightUntil, "another_in_flight")
	}
	claimed, mapping, won, err := s.claimContact(ctx, op, *c, m)
	if err != nil || !won {
		return err
	}
	call, cancel := context.WithTimeout(ctx, s.CallTime)
	res := s.CRM.UpsertContact(call, crm.Contact{Ref: c.ID, Email: c.Email, Name: c.Name, Company: c.Company, Phone: c.Phone}, mapping.CRMID)
	cancel()
	return s.settleContact(ctx, claimed, mapping, *c, res)
}

// file makes a note or task on the contact's record.
func (s *Service) file(ctx context.Context, op outbox.Operation) error {
	c, m, err := s.person(ctx, op)
	if err != nil {
		return err
	}
	if c == nil || c.Status == contact.Erased {
		return s.end(ctx, op, "supersede", "contact_gone", nil)
	}
	if m == nil || m.CRMID == "" {
		return s.waitForContact(ctx, op)
	}
	claimed, won, err := s.claimOperation(ctx, op, nil)
	if err != nil || !won {
		return err
	}
	note, err := s.note(ctx, claimed)
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "enquiry could not be read", slog.String("operation", op.ID), slog.String("error", err.Error()))
		return s.settle(ctx, claimed, crm.Result{Outcome: crm.NotBegun, Reason: "raw_unavailable"}, nil)
	}
	call, cancel := context.WithTimeout(ctx, s.CallTime)
	defer cancel()
	note.ContactID = m.CRMID
	var res crm.Result
	if op.Kind == outbox.CRMNote {
		res = s.CRM.UpsertNote(call, note.Note)
	} else {
		res = s.CRM.UpsertTask(call, crm.Task{Ref: op.ID, ContactID: m.CRMID, Due: note.At.Add(24 * time.Hour), Title: note.title, Body: note.Body})
	}
	return s.settle(ctx, claimed, res, nil)
}

type enquiryNote struct {
	crm.Note
	title string
}

// note reads what the enquiry said.
func (s *Service) note(ctx context.Context, op outbox.Operation) (enquiryNote, error) {
	it, err := s.Store.Get(ctx, ledger.Key{Entity: ledger.Event, Tenant: op.Tenant, ID: op.Event})
	if err != nil {
		return enquiryNote{}, err
	}
	var e inbound.Event
	if err := it.Decode(&e); err != nil {
		return enquiryNote{}, err
	}
	raw, err := s.Blob.Get(ctx, blob.Ref(e.Raw))
	if err != nil {
		return enquiryNote{}, err
	}
	subject, text, err := s.Describe(ctx, e, raw)
	if err != nil {
		return enquiryNote{}, err
	}
	title := "Answer enquiry"
	if subject != "" {
		title += ": " + subject
	}
	return enquiryNote{Note: crm.Note{Ref: op.ID, At: e.ReceivedAt.Std(), Body: text}, title: title}, nil
}

// person reads the operation's contact, through merges, and its mapping.
func (s *Service) person(ctx context.Context, op outbox.Operation) (*contact.Contact, *crm.Mapping, error) {
	id := op.Contact
	for range 20 {
		items, err := s.Store.GetMany(ctx, []ledger.Key{
			{Entity: ledger.Contact, Tenant: op.Tenant, ID: id},
			{Entity: ledger.CRMMapping, Tenant: op.Tenant, ID: id, Sub: s.CRM.Capabilities().Name},
		})
		if err != nil {
			return nil, nil, fmt.Errorf("read contact %s: %w", id, err)
		}
		if items[0] == nil {
			return nil, nil, nil
		}
		var c contact.Contact
		if err := items[0].Decode(&c); err != nil {
			return nil, nil, err
		}
		if c.Status == contact.Merged {
			id = c.MergedInto
			continue
		}
		if items[1] == nil {
			return &c, nil, nil
		}
		var m crm.Mapping
		return &c, &m, items[1].Decode(&m)
	}
	return nil, nil, fmt.Errorf("contact %s: too many merges in a row", op.Contact)
}

func (s *Service) operation(ctx context.Context, k ledger.Key) (*outbox.Operation, error) {
	it, err := s.Store.Get(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("read operation: %w", err)
	}
	if it == nil {
		return nil, nil
	}
	var op outbox.Operation
	return &op, it.Decode(&op)
}

func (s *Service) now() utc.Time { return utc.At(s.Now()) }

func (s *Service) audit(op outbox.Operation, reasons ...string) audit.Record {
	return audit.Record{At: s.now(), By: "crmsync", Reasons: reasons, InboundEvent: op.Event, Contact: op.Contact, Intent: op.Intent,
		Details: map[string]string{"attempt": fmt.Sprint(op.Attempt)}}
}

func operationKey(op outbox.Operation) ledger.Key {
	return ledger.Key{Entity: ledger.Operation, Tenant: op.Tenant, ID: op.ID}
}

func mappingKey(m crm.Mapping) ledger.Key {
	return ledger.Key{Entity: ledger.CRMMapping, Tenant: m.Tenant, ID: m.Contact, Sub: m.CRM}
}
