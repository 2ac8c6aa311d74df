package crmtest

import (
	"context"
	"testing"

	"onefold/internal/crm"
)

// eachOperationMakesTheDeclaredCalls: what a page says of an adapter's calls is what it
// makes, at a record that is known by its ID.
func eachOperationMakesTheDeclaredCalls(t *testing.T, b bench) {
	v, c := b.start(t)
	done(t, "warm", upsert(t, c, crm.Contact{Ref: "contact-warm"}, "")) // what is asked once only
	count := func(what string, call func() crm.Result) int {
		settled(v, c, Contacts)
		before := len(v.Calls())
		done(t, what, call())
		return len(v.Calls()) - before
	}
	var got crm.Calls
	id := ""
	got.New = count("new", func() crm.Result {
		r := upsert(t, c, ann(), "")
		id = r.ID
		return r
	})
	changed, same := ann(), ann()
	changed.Phone, changed.Last, same.Last = "+441632960077", lastOf(id, ann()), lastOf(id, ann())
	got.Unchanged = count("unchanged", func() crm.Result { return upsert(t, c, same, id) })
	got.Changed = count("changed", func() crm.Result { return upsert(t, c, changed, id) })
	got.Note = count("note", func() crm.Result { return c.UpsertNote(context.Background(), noteFor(id)) })
	got.Task = count("task", func() crm.Result { return c.UpsertTask(context.Background(), taskFor(id)) })
	v.Put(t, map[string]string{Email: "bea@example.com"})
	got.Adopted = count("adopted", func() crm.Result {
		return upsert(t, c, crm.Contact{Ref: "contact-bea", Email: "bea@example.com", Name: "Bea"}, "")
	})
	if want := c.Capabilities().Calls; want == (crm.Calls{}) {
		t.Logf("it makes %+v, and declares nothing of it", got)
	} else if got != want {
		t.Errorf("the calls are %+v, and %+v is declared", got, want)
	}
}
