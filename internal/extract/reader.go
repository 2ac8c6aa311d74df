package extract

import (
	"context"
	"fmt"

	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// reading is what a decision stands on. For a person's answer nobody is asked:
// it is to the reading that he was shown, which is the latest that is stored;
// where none is (it was erased, or the policy of today reads what that of then
// did not), there is none, and package decide asks him about that.
func (s *Service) reading(ctx context.Context, e inbound.Event, policy tenant.Policy, f content.Facts, answered bool) (*reader.Stored, error) {
	if answered {
		return s.latest(ctx, e)
	}
	if err := s.holdFirst(ctx, e, policy, f); err != nil {
		return nil, err
	}
	return s.extraction(ctx, e, f)
}

// latest is the youngest of an event's stored answers, as the console shows it.
// An event has one for each model and prompt that has read it.
func (s *Service) latest(ctx context.Context, e inbound.Event) (*reader.Stored, error) {
	items, err := ledger.ReadAll(ctx, s.Store, ledger.Extraction.At(e.Tenant, e.ID))
	if err != nil {
		return nil, fmt.Errorf("read extractions: %w", err)
	}
	var last *reader.Stored
	for _, it := range items {
		x := new(reader.Stored)
		if err := it.Decode(x); err != nil {
			return nil, err
		}
		if last == nil || x.At.After(last.At) {
			last = x
		}
	}
	return last, nil
}

// extraction is the reader's stored answer, asked for once: what is stored is
// used, also by whoever asked at the same time and lost.
func (s *Service) extraction(ctx context.Context, e inbound.Event, f content.Facts) (*reader.Stored, error) {
	k := s.answerKey(e.Tenant, e.ID)
	it, err := s.Store.Get(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("read extraction: %w", err)
	}
	if it == nil {
		if it, err = s.ask(ctx, e, f, k); err != nil {
			return nil, err
		}
	}
	var x reader.Stored
	return &x, it.Decode(&x)
}

func (s *Service) answerKey(tenantID, id string) ledger.Key {
	return ledger.Extraction.Under(tenantID, id, s.Reader.Model()+"@"+s.Reader.PromptVersion())
}

// ask has an answer made and stored before anybody uses it. A crash between
// the two leaves nothing; the next worker asks again.
//
// One mail in two mailboxes is two events of one cause. A reader that takes
// From for the one and Reply-To for the other would make two people of it, so
// the event that is read first answers for its cause: a pointer, without a
// word of the answer, says which it is.
func (s *Service) ask(ctx context.Context, e inbound.Event, f content.Facts, k ledger.Key) (ledger.Item, error) {
	pointer := s.answerKey(e.Tenant, "cause/"+f.Cause)
	first, err := s.firstOf(ctx, pointer)
	if err != nil {
		return nil, err
	}
	stored := reader.Stored{
		Tenant: e.Tenant, Event: e.ID, Model: s.Reader.Model(), PromptVersion: s.Reader.PromptVersion(),
		At: utc.At(s.Now()), Schema: reader.StoredSchema,
	}
	// Of anything but mail the cause is the event.
	points := f.Content == tenant.ContentMail
	if first != nil {
		stored.Record, stored.Reasons, points = first.Record, first.Reasons, false
		stored.Model, stored.PromptVersion = first.Model, first.PromptVersion
	} else {
		reading, err := s.askReader(ctx, e, f.Source)
		if err != nil {
			reason, given := s.givesUp(e, err)
			if !given {
				return nil, fmt.Errorf("ask the reader: %w", err)
			}
			// No answer is no answer for the cause: its other event asks for itself.
			points = false
			reading = reader.Reading{Record: reader.Record{Intent: reader.Other, NeedsHumanReview: true}, Reasons: []string{reason}}
		}
		stored.Record, stored.Reasons = reading.Record, reading.Reasons
		if reading.Model != "" {
			stored.Model, stored.PromptVersion = reading.Model, reading.PromptVersion
		}
	}
	return s.keep(ctx, stored, k, pointer, points)
}

// firstOf is the answer of the event that was read first for a cause, or nil:
// there is none, or it has been erased.
func (s *Service) firstOf(ctx context.Context, pointer ledger.Key) (*reader.Stored, error) {
	it, err := s.Store.Get(ctx, pointer)
	if err != nil || it == nil {
		return nil, err
	}
	if it, err = s.Store.Get(ctx, s.answerKey(pointer.Tenant, it.Text("event"))); err != nil || it == nil {
		return nil, err
	}
	x := new(reader.Stored)
	return x, it.Decode(x)
}

// keep puts an answer if there is none, and with it, if it is the first of its
// cause, the pointer. Whoever loses either put uses what is stored.
func (s *Service) keep(ctx context.Context, x reader.Stored, k, pointer ledger.Key, points bool) (ledger.Item, error) {
	var c ledger.Commit
	if err := c.Create("extraction", k, x); err != nil {
		return nil, err
	}
	item := c.Writes[0].Item
	if points {
		if err := c.Create("pointer", pointer, ledger.Item{"tenant": x.Tenant, "event": x.Event}); err != nil {
			return nil, err
		}
	}
	err := s.Store.Commit(ctx, c)
	if r, refused := ledger.AsRefused(err); refused {
		if lost, ok := r.By("extraction"); ok && lost.Current != nil {
			return lost.Current, nil
		}
		if _, ok := r.By("pointer"); ok {
			first, err := s.firstOf(ctx, pointer)
			if err != nil {
				return nil, err
			}
			if first != nil {
				x.Record, x.Reasons, x.Model, x.PromptVersion = first.Record, first.Reasons, first.Model, first.PromptVersion
			}
			return s.keep(ctx, x, k, pointer, false)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("store extraction: %w", err)
	}
	return item, nil
}
