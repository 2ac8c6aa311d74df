package bottlecrm_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
)

func ann() crm.Contact {
	return crm.Contact{Ref: "contact-ann", Name: "Ann Smith", Phone: "+441632960001"}
}

func noteOf(contact string) crm.Note {
	return crm.Note{Ref: "event-1", ContactID: contact, At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Body: "Please call me back."}
}

func taskOf(contact string) crm.Task {
	return crm.Task{Ref: "event-1", ContactID: contact, Due: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Title: "Call Ann"}
}

func must(t *testing.T, what string, r crm.Result, o crm.Outcome, reason string) crm.Result {
	t.Helper()
	if r.Outcome != o || r.Reason != reason {
		t.Fatalf("%s: %s (%s), want %s (%s)", what, r.Outcome, r.Reason, o, reason)
	}
	return r
}

func count(t *testing.T, v *vendor, kind crmtest.Kind, want int) {
	t.Helper()
	if n := len(v.Records(kind)); n != want {
		t.Errorf("%d %s, want %d", n, kind, want)
	}
}

// The fault is the server's own: it makes the contact and fails then, each time.
func answerLostToAMissingPackage(t *testing.T, w *world) {
	socket, err := w.server.WithoutPackaging(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	v := w.start(t, socket)
	c := w.ready(t, v)
	must(t, "create", c.UpsertContact(w.ctx, ann(), ""), crm.Unknown, crm.ReasonServerError)
	count(t, v, crmtest.Contacts, 1)
	r := must(t, "repeat", c.UpsertContact(w.ctx, ann(), ""), crm.Done, "")
	if r.Created || r.ID != v.Records(crmtest.Contacts)[0].ID {
		t.Errorf("the repeat says %+v", r)
	}
	count(t, v, crmtest.Contacts, 1)
}

// Why the adapter declares that it looks and no more: of two calls of which
// neither has written when the other looks, each makes its record.
func twoCallsAtOnceMakeTwoRecords(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	c := w.ready(t, v)
	twice := func(call func() crm.Result) {
		goOn := held(t, v, call)
		second := call()
		first := goOn()
		if !first.Created || !second.Created || first.ID == second.ID {
			t.Errorf("the calls say %+v and %+v", first, second)
		}
	}
	twice(func() crm.Result { return c.UpsertContact(w.ctx, ann(), "") })
	count(t, v, crmtest.Contacts, 2)
	id := v.Records(crmtest.Contacts)[0].ID
	twice(func() crm.Result { return c.UpsertNote(w.ctx, noteOf(id)) })
	count(t, v, crmtest.Notes, 2)
	must(t, "contact again", c.UpsertContact(w.ctx, ann(), ""), crm.Conflict, crm.ReasonTwoRecords)
}

func fieldThatIsSwitchedOff(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	c := w.ready(t, v)
	id := must(t, "contact", c.UpsertContact(w.ctx, ann(), ""), crm.Done, "").ID
	for _, o := range v.list("/api/custom-fields/", "definitions") {
		v.do("DELETE", "/api/custom-fields/"+o.text("id")+"/", nil)
	}
	must(t, "another contact", c.UpsertContact(w.ctx, crm.Contact{Ref: "contact-bob", Name: "Bob Smith"}, ""), crm.Refused, crm.ReasonSetup)
	must(t, "task", c.UpsertTask(w.ctx, taskOf(id)), crm.Refused, crm.ReasonSetup)
	must(t, "the same contact", c.UpsertContact(w.ctx, ann(), ""), crm.Done, "")
	if err := c.SetUp(w.ctx); err == nil {
		t.Error("setting up again says nothing of a field that was switched off")
	}
	count(t, v, crmtest.Contacts, 1)
	count(t, v, crmtest.Tasks, 0)
}

// The server saves a task and links it in a second step: what a crash between
// the two leaves.
func taskWithoutItsContact(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	c := w.ready(t, v)
	contact := must(t, "contact", c.UpsertContact(w.ctx, ann(), ""), crm.Done, "").ID
	task := must(t, "task", c.UpsertTask(w.ctx, taskOf(contact)), crm.Done, "").ID
	v.do(http.MethodPatch, "/api/tasks/"+task+"/", map[string]any{"contacts": []string{}})
	must(t, "task again", c.UpsertTask(w.ctx, taskOf(contact)), crm.Done, "")
	if all := v.Records(crmtest.Tasks); len(all) != 1 || len(all[0].Contacts) != 1 || all[0].Contacts[0] != contact {
		t.Errorf("the tasks are %+v", all)
	}
}

// The server's filter by address finds any address that has the text in it.
func contactBehindManyLikeAddresses(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	c := w.ready(t, v)
	id := v.Put(t, map[string]string{crmtest.Email: "ann@example.com"})
	for n := range 12 {
		v.Put(t, map[string]string{crmtest.Email: fmt.Sprintf("jo%d.ann@example.com", n)})
	}
	ct := ann()
	ct.Email = "ann@example.com"
	if r := must(t, "contact", c.UpsertContact(w.ctx, ct, ""), crm.Done, ""); r.ID != id || !r.Adopted {
		t.Errorf("got %+v, want %s adopted", r, id)
	}
}

// The adapter reads 100 entries of a timeline at a time, the newest first.
func noteBehindALongTimeline(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	c := w.ready(t, v)
	contact := must(t, "contact", c.UpsertContact(w.ctx, ann(), ""), crm.Done, "").ID
	note := must(t, "note", c.UpsertNote(w.ctx, noteOf(contact)), crm.Done, "")
	for n := range 201 {
		v.do(http.MethodPost, "/api/interactions/", map[string]any{
			"kind": "call", "contact": contact, "subject": fmt.Sprint("call ", n), "occurred_at": "2026-03-02T09:00:00Z",
		})
	}
	before := len(v.Calls())
	if r := must(t, "note again", c.UpsertNote(w.ctx, noteOf(contact)), crm.Done, ""); r.ID != note.ID || r.Created {
		t.Errorf("got %+v, want note %s", r, note.ID)
	}
	if n := len(v.Calls()) - before; n != 3 {
		t.Errorf("%d calls for three pages", n)
	}
}

func setUpAgain(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	c := w.ready(t, v)
	before := len(v.list("/api/custom-fields/", "definitions"))
	if err := c.SetUp(w.ctx); err != nil {
		t.Fatal(err)
	}
	if after := len(v.list("/api/custom-fields/", "definitions")); before != 2 || after != before {
		t.Errorf("%d fields, then %d, want 2", before, after)
	}
}
