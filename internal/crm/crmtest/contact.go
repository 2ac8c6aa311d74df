package crmtest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"onefold/internal/crm"
)

func newContactIsCreated(t *testing.T, b bench) {
	srv, c := b.start(t)
	r := done(t, "first upsert", upsert(t, c, ann(), ""))
	rec := only(t, srv, Contacts)
	if !r.Created || r.Adopted || r.ID != rec.ID {
		t.Errorf("created %v, adopted %v, ID %q; the CRM made %q", r.Created, r.Adopted, r.ID, rec.ID)
	}
	for name, value := range map[string]string{
		Email: "ann@example.com", Company: "Example Ltd", Phone: "+441632960001", Name: "Ann Smith",
	} {
		if rec.Values[name] != value {
			t.Errorf("%s is %q, want %q", name, rec.Values[name], value)
		}
	}
}

func repeatedContactIsOneRecord(t *testing.T, b bench) {
	srv, c := b.start(t)
	first := done(t, "first", upsert(t, c, ann(), ""))
	for _, known := range []string{"", first.ID} {
		settled(srv, c, Contacts)
		r := done(t, "repeat", upsert(t, c, ann(), known))
		if r.ID != first.ID || r.Created && !replays(c, Contacts) || r.Adopted {
			t.Errorf("repeat with known %q gave ID %q, created %v, adopted %v", known, r.ID, r.Created, r.Adopted)
		}
	}
	only(t, srv, Contacts)
}

func changedContactIsUpdated(t *testing.T, b bench) {
	srv, c := b.start(t)
	first := done(t, "first", upsert(t, c, ann(), ""))
	moved := ann()
	moved.Company, moved.Email = "Example Ltd 2", "ann@example.org"
	for _, known := range []string{"", first.ID} {
		moved.Last = lastOf(first.ID, moved)
		if known == "" {
			moved.Last = lastOf(first.ID, ann())
		}
		moved.Phone += "0"
		settled(srv, c, Contacts)
		done(t, "update", upsert(t, c, moved, known))
		rec := only(t, srv, Contacts)
		if rec.Values[Company] != moved.Company || rec.Values[Phone] != moved.Phone ||
			rec.Values[Email] != moved.Email {
			t.Errorf("known %q: the record was not updated: %v", known, rec.Values)
		}
	}
}

func emptyFieldClearsNothing(t *testing.T, b bench) {
	srv, c := b.start(t)
	first := done(t, "first", upsert(t, c, ann(), ""))
	before := only(t, srv, Contacts)
	for _, known := range []string{"", first.ID} {
		settled(srv, c, Contacts)
		done(t, "update", upsert(t, c, crm.Contact{Ref: ann().Ref}, known))
		after := only(t, srv, Contacts)
		for name, value := range before.Values {
			if after.Values[name] != value {
				t.Errorf("known %q: %s became %q, was %q", known, name, after.Values[name], value)
			}
		}
	}
}

func contactWithoutAddressIsOneRecord(t *testing.T, b bench) {
	srv, c := b.start(t)
	ct := crm.Contact{Ref: "contact-phone", Phone: "+441632960002"}
	first := done(t, "first", upsert(t, c, ct, ""))
	settled(srv, c, Contacts)
	if r := done(t, "repeat", upsert(t, c, ct, "")); r.ID != first.ID {
		t.Errorf("repeat gave record %q, first %q", r.ID, first.ID)
	}
	only(t, srv, Contacts)
}

// together runs f in several goroutines at once and gives their results; of an
// adapter that may not be called so, one after the other.
func together(v Vendor, c crm.CRM, kind Kind, f func() crm.Result) []crm.Result {
	const n = 8
	results := make([]crm.Result, n)
	if !atOnce(c, kind) {
		for i := range results {
			results[i] = f()
			settled(v, c, kind)
		}
		return results
	}
	var ready, over sync.WaitGroup
	ready.Add(1)
	for i := range results {
		over.Go(func() {
			ready.Wait()
			results[i] = f()
		})
	}
	ready.Done()
	over.Wait()
	return results
}

func concurrentContactIsOneRecord(t *testing.T, b bench) {
	srv, c := b.start(t)
	results := together(srv, c, Contacts, func() crm.Result { return c.UpsertContact(context.Background(), ann(), "") })
	rec, created := only(t, srv, Contacts), 0
	for _, r := range results {
		if r = done(t, "concurrent upsert", r); r.ID != rec.ID {
			t.Errorf("a call gave record %q, the CRM has %q", r.ID, rec.ID)
		}
		if r.Created {
			created++
		}
	}
	if created > 1 && !replays(c, Contacts) {
		t.Errorf("%d calls say that they made the record", created)
	}
}

func concurrentAdoptionIsOneRecord(t *testing.T, b bench) {
	srv, c := b.start(t)
	id := srv.Put(t, map[string]string{Email: "ann@example.com"})
	settled(srv, c, Contacts)
	results := together(srv, c, Contacts, func() crm.Result { return c.UpsertContact(context.Background(), ann(), "") })
	only(t, srv, Contacts)
	settled(srv, c, Contacts)
	// A vendor may refuse a write on what has changed since it was read.
	results = slices.DeleteFunc(results, func(r crm.Result) bool { return r.Outcome == crm.Busy })
	for _, r := range append(results, upsert(t, c, ann(), "")) {
		if r = done(t, "concurrent adoption", r); r.ID != id || r.Created {
			t.Errorf("a call gave record %q (created %v), want %q adopted", r.ID, r.Created, id)
		}
	}
}
