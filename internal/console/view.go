package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

// FactsOf reads an event's raw content by rule.
type FactsOf func(ctx context.Context, e inbound.Event) (content.Facts, error)

// View is everything a person needs to answer one task.
type View struct {
	Task       review.Task
	Event      *inbound.Event
	Facts      *content.Facts
	Earlier    *content.Facts // what the event said first, where the question is about other content
	FactsError string         // a machine word when the content could not be read
	Extraction *reader.Stored
	Contacts   []contact.Contact // candidates
	Intent     *followup.Intent  // the mail proposed
	Address    string            // the address that the question is about, "" where there is none
	Guard      string            // result of the guard check of that address, now
	Proposal   *decide.Result    // what follows if an event's question is answered with yes; nil: not known
	Actions    []string
}

// Asks is what the task asks: its kind, or "report" where an answer says whether
// a bounce or complaint that came as mail is genuine.
func (v *View) Asks() string {
	if v.Task.Kind == review.DecideEvent && v.Facts != nil && v.Facts.Report() {
		return "report"
	}
	return v.Task.Kind
}

// Candidate reports whether the value that was read of a field is a candidate only,
// for too little confidence.
func (v *View) Candidate(field string) bool {
	return v.Event != nil && slices.Contains(v.Event.Reasons, decide.ReasonCandidate+strings.ToLower(field))
}

// See gathers one task.
func (s *Service) See(ctx context.Context, tenantID, id string) (*View, error) {
	t, err := s.task(ctx, tenantID, id)
	if err != nil {
		return nil, err
	}
	v := &View{Task: *t, Actions: actionsOf(t.Kind)}
	if err := s.seeEvent(ctx, v); err != nil {
		return nil, err
	}
	if err := s.seeIntent(ctx, v); err != nil {
		return nil, err
	}
	if err := s.seeContacts(ctx, v); err != nil {
		return nil, err
	}
	s.seeProposal(ctx, v)
	return v, s.seeGuard(ctx, v)
}

func (s *Service) seeEvent(ctx context.Context, v *View) error {
	if v.Task.Event == "" {
		return nil
	}
	var e inbound.Event
	found, err := s.get(ctx, ledger.Event.At(v.Task.Tenant, v.Task.Event), &e)
	if err != nil || !found {
		return err
	}
	v.Event = &e
	shown := e
	if v.Task.Raw != "" && v.Task.Raw != e.Raw {
		shown.Raw = v.Task.Raw // the other content that the question is about
		if f, err := s.Facts(ctx, e); err == nil {
			v.Earlier = &f
		}
	}
	f, err := s.Facts(ctx, shown)
	if err != nil {
		v.FactsError = "content_unreadable"
	} else {
		v.Facts = &f
	}
	items, err := ledger.ReadAll(ctx, s.Store, ledger.Extraction.At(e.Tenant, e.ID))
	if err != nil {
		return fmt.Errorf("read extractions: %w", err)
	}
	for _, it := range items {
		var x reader.Stored
		if err := it.Decode(&x); err != nil {
			return err
		}
		// The newest. Their order in the ledger is that of the readers' names.
		if v.Extraction == nil || x.At.After(v.Extraction.At) {
			v.Extraction = &x
		}
	}
	return nil
}

func (s *Service) seeIntent(ctx context.Context, v *View) error {
	if v.Task.Intent == "" {
		return nil
	}
	var i followup.Intent
	found, err := s.get(ctx, ledger.Intent.At(v.Task.Tenant, v.Task.Intent), &i)
	if err != nil || !found {
		return err
	}
	v.Intent = &i
	return nil
}

// seeGuard checks the address that a mail goes to, or that an event is about.
func (s *Service) seeGuard(ctx context.Context, v *View) error {
	id, scope := "", tenant.ScopeFollowUp
	switch {
	case v.Intent != nil:
		id, scope, v.Address = v.Intent.Guard, v.Intent.Scope, v.Intent.Recipient
	case v.Facts != nil:
		x := v.Extraction
		if v.Earlier != nil {
			x = nil // it was read from the earlier content
		}
		a, err := address.Parse(strings.TrimSpace(decide.AddressOf(*v.Facts, x, nil)))
		if err != nil {
			return nil
		}
		id, v.Address = decide.GuardID(s.IDs, v.Task.Tenant, a), a.String()
	default:
		return nil
	}
	it, err := s.Store.Get(ctx, ledger.Guard.At(v.Task.Tenant, id))
	if err != nil {
		return fmt.Errorf("read guard: %w", err)
	}
	if v.Guard = guard.Blocks(it, scope); v.Guard == "" {
		v.Guard = "clear"
	}
	return s.seeElsewhere(ctx, v, id, scope)
}

func (s *Service) get(ctx context.Context, k ledger.Key, noun any) (bool, error) {
	it, err := s.Store.Get(ctx, k)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", k.Entity, err)
	}
	if it == nil {
		return false, nil
	}
	return true, it.Decode(noun)
}
