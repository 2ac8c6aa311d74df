package crmtest

import (
	"context"
	"slices"
	"testing"

	"onefold/internal/crm"
)

func noteAndTaskAreAssociated(t *testing.T, b bench) {
	srv, c := b.start(t)
	contact := done(t, "contact", upsert(t, c, ann(), "")).ID
	note := done(t, "note", c.UpsertNote(context.Background(), noteFor(contact)))
	task := done(t, "task", c.UpsertTask(context.Background(), taskFor(contact)))
	n, k := only(t, srv, Notes), only(t, srv, Tasks)
	if n.ID != note.ID || !note.Created || k.ID != task.ID || !task.Created {
		t.Errorf("results %+v and %+v do not name the records made, %s and %s", note, task, n.ID, k.ID)
	}
	for _, rec := range []Record{n, k} {
		if !slices.Equal(rec.Contacts, []string{contact}) {
			t.Errorf("%s %s is associated with %v, want contact %s", "the record", rec.ID, rec.Contacts, contact)
		}
	}
	if k.Values[Done] != "" || k.Values[Title] != "Call Ann" {
		t.Errorf("the task is %v", k.Values)
	}
}

func repeatedNoteAndTaskAreOneEach(t *testing.T, b bench) {
	srv, c := b.start(t)
	contact := done(t, "contact", upsert(t, c, ann(), "")).ID
	calls := map[Kind]func() crm.Result{
		Notes: func() crm.Result { return c.UpsertNote(context.Background(), noteFor(contact)) },
		Tasks: func() crm.Result { return c.UpsertTask(context.Background(), taskFor(contact)) },
	}
	for kind, call := range calls {
		if repeat(c, kind) == crm.Never {
			done(t, "the one call", call())
			continue
		}
		for _, r := range together(srv, c, kind, call) {
			done(t, "concurrent call", r)
		}
		done(t, "repeat", call())
	}
	for _, rec := range []Record{only(t, srv, Notes), only(t, srv, Tasks)} {
		if len(rec.Contacts) != 1 {
			t.Errorf("%s is filed %d times", rec.ID, len(rec.Contacts))
		}
	}
}

func repeatKeepsWhatAPersonDid(t *testing.T, b bench) {
	srv, c := b.start(t)
	contact := done(t, "contact", upsert(t, c, ann(), "")).ID
	note := done(t, "note", c.UpsertNote(context.Background(), noteFor(contact)))
	task := done(t, "task", c.UpsertTask(context.Background(), taskFor(contact)))
	srv.Edit(t, Tasks, task.ID, map[string]string{Done: "yes"})
	srv.Edit(t, Notes, note.ID, map[string]string{Body: "called her"})
	if repeat(c, Notes) != crm.Never {
		settled(srv, c, Notes)
		done(t, "note again", c.UpsertNote(context.Background(), noteFor(contact)))
	}
	if repeat(c, Tasks) != crm.Never {
		settled(srv, c, Tasks)
		done(t, "task again", c.UpsertTask(context.Background(), taskFor(contact)))
	}
	if got := only(t, srv, Tasks).Values[Done]; got != "yes" {
		t.Errorf("a repeat set the completed task to %s", got)
	}
	if got := only(t, srv, Notes).Values[Body]; got != "called her" {
		t.Errorf("a repeat replaced the edited note by %q", got)
	}
}

func noteOfMissingContactIsRefused(t *testing.T, b bench) {
	_, c := b.start(t)
	want(t, "note", c.UpsertNote(context.Background(), noteFor("999999")), crm.Refused)
	want(t, "task without contact", c.UpsertTask(context.Background(), taskFor("")), crm.Refused)
}
