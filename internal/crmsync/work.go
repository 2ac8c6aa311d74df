package crmsync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"onefold/internal/blob"
	"onefold/internal/crm"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/record/claim"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
)

// syncContact sends the contact as it is now.
func (s at) syncContact(ctx context.Context, op outbox.Operation) error {
	c, m, err := s.person(ctx, op)
	if err != nil {
		return err
	}
	if c == nil {
		return nil // not yet: due_at brings it back, and ten times in vain park it
	}
	if c.Status != contact.Active {
		return s.supersede(ctx, op, "contact_gone")
	}
	if len(op.Ours) == 0 && m != nil && m.SentVersion >= wanted(op, *c) {
		return s.supersede(ctx, op, "newer_version_sent")
	}
	if m != nil && m.Owner != "" && s.now().Before(m.InFlightUntil) {
		s.countInProgress(ctx, op, "another_in_flight")
		return s.postpone(ctx, op, m.InFlightUntil, "another_in_flight")
	}
	former, err := s.former(ctx, *c, m)
	if err != nil {
		return err
	}
	claimed, mapping, won, err := s.claimContact(ctx, op, *c, m)
	if err != nil || !won {
		return err
	}
	sent := s.sent(*c)
	sent.Last = s.last(mapping, former)
	for _, f := range op.Ours {
		sent.Last.Ours = append(sent.Last.Ours, crm.Field(f))
	}
	res := s.call(ctx, claimed, func(ctx context.Context) crm.Result {
		return s.CRM.UpsertContact(ctx, sent, cmp.Or(mapping.CRMID, former.CRMID))
	})
	return s.settleContact(ctx, claimed, mapping, former, *c, res)
}

// former is the mapping of a contact that was merged into this one, whose record
// this one takes over, having none itself; else the zero mapping.
func (s at) former(ctx context.Context, c contact.Contact, m *crm.Mapping) (crm.Mapping, error) {
	if len(c.Absorbed) == 0 || m != nil && m.CRMID != "" {
		return crm.Mapping{}, nil
	}
	var keys []ledger.Key
	for _, id := range c.Absorbed {
		keys = append(keys, ledger.CRMMapping.Under(c.Tenant, id, s.CRM.Capabilities().Name))
	}
	items, err := s.Store.GetMany(ctx, keys)
	if err != nil {
		return crm.Mapping{}, fmt.Errorf("read the records of contacts merged into %s: %w", c.ID, err)
	}
	for _, it := range items {
		var of crm.Mapping
		if err := it.Decode(&of); it != nil && (err != nil || of.CRMID != "") {
			return of, err
		}
	}
	return crm.Mapping{}, nil
}

// wanted is the revision that the CRM has to have for the operation to be
// done. Of a contact that was merged since, it is the survivor's: revisions of
// two contacts do not compare.
func wanted(op outbox.Operation, c contact.Contact) int64 {
	if op.Contact != c.ID {
		return c.Revision
	}
	return op.Revision
}

// file makes a note or task on the contact's record.
func (s at) file(ctx context.Context, op outbox.Operation, conn *outbox.Connection) error {
	c, m, err := s.person(ctx, op)
	if err != nil {
		return err
	}
	if c == nil {
		return nil // not yet
	}
	if c.Status != contact.Active {
		return s.supersede(ctx, op, "contact_gone")
	}
	if m == nil || m.CRMID == "" {
		return s.waitForContact(ctx, op, *c, m, conn)
	}
	claimed, won, err := s.claimOperation(ctx, op, *c, nil)
	if err != nil || !won {
		return err
	}
	note, err := s.note(ctx, claimed)
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "enquiry could not be read", slog.String("operation", op.ID), slog.String("error", err.Error()))
		return s.settle(ctx, claimed, crm.Result{Outcome: crm.NotBegun, Reason: "raw_unavailable"}, nil)
	}
	note.ContactID = m.CRMID
	res := s.call(ctx, claimed, func(ctx context.Context) crm.Result {
		if op.Kind == outbox.CRMNote {
			return s.CRM.UpsertNote(ctx, note.Note)
		}
		return s.CRM.UpsertTask(ctx, crm.Task{Ref: op.ID, ContactID: m.CRMID, Due: note.At.Add(24 * time.Hour), Title: note.title, Body: note.Body})
	})
	return s.settle(ctx, claimed, res, nil)
}

// call makes the one call of a claim, within the time that the claim leaves. A
// worker that was held up until its claim is nearly over makes none: somebody
// else may be at it with newer content by the time this one would land.
func (s at) call(ctx context.Context, op outbox.Operation, do func(context.Context) crm.Result) crm.Result {
	left := op.InProgressUntil.Add(-claim.SkewMargin - s.settles(op.Kind)).Sub(s.now())
	if left <= 0 {
		return crm.Result{Outcome: crm.NotBegun, Reason: "claim_too_short"}
	}
	ctx, cancel := context.WithTimeout(ctx, min(s.CallTime, left))
	defer cancel()
	return do(ctx)
}

type enquiryNote struct {
	crm.Note
	title string
}

// note reads what the enquiry said.
func (s *Service) note(ctx context.Context, op outbox.Operation) (enquiryNote, error) {
	it, err := s.Store.Get(ctx, ledger.Event.At(op.Tenant, op.Event))
	if err != nil {
		return enquiryNote{}, err
	}
	if it == nil {
		return enquiryNote{}, errors.New("the operation's event is not there")
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
	if slices.Contains(e.Reasons, match.ReasonPhoneShared) {
		text += "\n\nPerhaps a duplicate: another contact has the same phone number and name."
	}
	title := "Answer enquiry"
	if subject != "" {
		title += ": " + subject
	}
	return enquiryNote{Note: crm.Note{Ref: op.ID, At: e.ReceivedAt.Std(), Body: text}, title: title}, nil
}

// person reads the operation's contact, through merges, and its mapping. The
// two are not of one moment: the claim conditions on the mapping as read.
func (s at) person(ctx context.Context, op outbox.Operation) (*contact.Contact, *crm.Mapping, error) {
	var mapping ledger.Item
	c, _, err := contact.Follow(op.Contact, func(id string) (*contact.Contact, error) {
		items, err := s.Store.GetMany(ctx, []ledger.Key{
			ledger.Contact.At(op.Tenant, id),
			ledger.CRMMapping.Under(op.Tenant, id, s.CRM.Capabilities().Name),
		})
		if err != nil {
			return nil, fmt.Errorf("read contact %s: %w", id, err)
		}
		if items[0] == nil {
			return nil, nil
		}
		mapping = items[1]
		var c contact.Contact
		return &c, items[0].Decode(&c)
	})
	if err != nil || c == nil || mapping == nil {
		return c, nil, err
	}
	var m crm.Mapping
	return c, &m, mapping.Decode(&m)
}
