package console

import (
	"context"
	"fmt"

	"onefold/internal/contact"
	"onefold/internal/extract"
	"onefold/internal/flow"
	"onefold/internal/followup"
	"onefold/internal/guard"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/review"
	"onefold/internal/schema"
)

// FactsOf reads an event's raw content by rule.
type FactsOf func(ctx context.Context, e inbound.Event) (flow.Facts, error)

// View is everything a person needs to answer one task.
type View struct {
	Task       review.Task
	Event      *inbound.Event
	Facts      *flow.Facts
	FactsError string // a machine word when the content could not be read
	Extraction *extract.Stored
	Contacts   []contact.Contact // candidates
	Intent     *followup.Intent  // the mail proposed
	Guard      string            // result of the guard check, now
	Actions    []string
}

// List gives the open tasks of a tenant, oldest first.
func (s *Service) List(ctx context.Context, tenantID, cursor string) ([]review.Task, string, error) {
	page, err := s.Store.Query(ctx, ledger.Query{
		Table: schema.Ledger, Index: schema.ByOpenReview, Partition: tenantID, Cursor: cursor, Limit: 100,
	})
	if err != nil {
		return nil, "", fmt.Errorf("list tasks: %w", err)
	}
	tasks := make([]review.Task, 0, len(page.Items))
	for _, it := range page.Items {
		var t review.Task
		if err := it.Decode(&t); err != nil {
			return nil, "", err
		}
		tasks = append(tasks, t)
	}
	return tasks, page.Next, nil
}

// See gathers one task.
func (s *Service) See(ctx context.Context, tenantID, id string) (*View, error) {
	t, err := s.task(ctx, tenantID, id)
	if err != nil {
		return nil, err
	}
	v := &View{Task: *t, Actions: []string{Approve, Reject}}
	if t.Kind == review.UnknownSend {
		v.Actions = append(v.Actions, CountAsSent)
	}
	if err := s.seeEvent(ctx, v); err != nil {
		return nil, err
	}
	if err := s.seeIntent(ctx, v); err != nil {
		return nil, err
	}
	for _, cid := range append(t.Candidates, t.Contact) {
		if cid == "" {
			continue
		}
		var c contact.Contact
		found, err := s.get(ctx, ledger.Key{Entity: ledger.Contact, Tenant: tenantID, ID: cid}, &c)
		if err != nil {
			return nil, err
		}
		if found {
			v.Contacts = append(v.Contacts, c)
		}
	}
	return v, nil
}

func (s *Service) seeEvent(ctx context.Context, v *View) error {
	if v.Task.Event == "" {
		return nil
	}
	var e inbound.Event
	found, err := s.get(ctx, ledger.Key{Entity: ledger.Event, Tenant: v.Task.Tenant, ID: v.Task.Event}, &e)
	if err != nil || !found {
		return err
	}
	v.Event = &e
	shown := e
	if v.Task.Raw != "" {
		shown.Raw = v.Task.Raw // the other content that the question is about
	}
	f, err := s.Facts(ctx, shown)
	if err != nil {
		v.FactsError = "content_unreadable"
	} else {
		v.Facts = &f
	}
	page, err := s.Store.List(ctx, ledger.Key{Entity: ledger.Extraction, Tenant: e.Tenant, ID: e.ID}, "", 10)
	if err != nil || len(page.Items) == 0 {
		return err
	}
	var x extract.Stored
	v.Extraction = &x
	return page.Items[len(page.Items)-1].Decode(&x)
}

func (s *Service) seeIntent(ctx context.Context, v *View) error {
	if v.Task.Intent == "" {
		return nil
	}
	var i followup.Intent
	found, err := s.get(ctx, ledger.Key{Entity: ledger.Intent, Tenant: v.Task.Tenant, ID: v.Task.Intent}, &i)
	if err != nil || !found {
		return err
	}
	v.Intent = &i
	it, err := s.Store.Get(ctx, ledger.Key{Entity: ledger.Guard, Tenant: i.Tenant, ID: i.Guard})
	if err != nil {
		return fmt.Errorf("read guard: %w", err)
	}
	if v.Guard = guard.Blocks(it, i.Scope); v.Guard == "" {
		v.Guard = "clear"
	}
	return nil
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
