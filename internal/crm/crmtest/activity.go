package crmtest

import (
	"context"
	"slices"
	"testing"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspottest"
)

func noteAndTaskAreAssociated(t *testing.T, b bench) {
	srv, c := b.start(t)
	contact := done(t, "contact", upsert(t, c, ann(), "")).ID
	note := done(t, "note", c.UpsertNote(context.Background(), noteFor(contact)))
	task := done(t, "task", c.UpsertTask(context.Background(), taskFor(contact)))
	n, k := only(t, "notes", srv.Notes()), only(t, "tasks", srv.Tasks())
	if n.ID != note.ID || !note.Created || k.ID != task.ID || !task.Created {
		t.Errorf("results %+v and %+v do not name the records made, %s and %s", note, task, n.ID, k.ID)
	}
	for _, rec := range []hubspottest.Record{n, k} {
		if !slices.Equal(rec.Associations, []string{"contacts/" + contact}) {
			t.Errorf("%s %s is associated with %v, want contact %s", rec.Type, rec.ID, rec.Associations, contact)
		}
	}
	if k.Properties["hs_task_status"] != "NOT_STARTED" || k.Properties["hs_task_subject"] != "Call Ann" {
		t.Errorf("the task is %v", k.Properties)
	}
}

func repeatedNoteAndTaskAreOneEach(t *testing.T, b bench) {
	srv, c := b.start(t)
	contact := done(t, "contact", upsert(t, c, ann(), "")).ID
	for _, r := range together(func() crm.Result { return c.UpsertNote(context.Background(), noteFor(contact)) }) {
		done(t, "concurrent note", r)
	}
	for range 2 {
		done(t, "note", c.UpsertNote(context.Background(), noteFor(contact)))
		done(t, "task", c.UpsertTask(context.Background(), taskFor(contact)))
	}
	for _, rec := range []hubspottest.Record{only(t, "notes", srv.Notes()), only(t, "tasks", srv.Tasks())} {
		if len(rec.Associations) != 1 {
			t.Errorf("%s is associated %d times", rec.Type, len(rec.Associations))
		}
	}
}

func repeatKeepsWhatAPersonDid(t *testing.T, b bench) {
	srv, c := b.start(t)
	contact := done(t, "contact", upsert(t, c, ann(), "")).ID
	note := done(t, "note", c.UpsertNote(context.Background(), noteFor(contact)))
	task := done(t, "task", c.UpsertTask(context.Background(), taskFor(contact)))
	if err := srv.Edit("tasks", task.ID, map[string]string{"hs_task_status": "COMPLETED"}); err != nil {
		t.Fatal(err)
	}
	if err := srv.Edit("notes", note.ID, map[string]string{"hs_note_body": "called her"}); err != nil {
		t.Fatal(err)
	}
	done(t, "note again", c.UpsertNote(context.Background(), noteFor(contact)))
	done(t, "task again", c.UpsertTask(context.Background(), taskFor(contact)))
	if got := only(t, "tasks", srv.Tasks()).Properties["hs_task_status"]; got != "COMPLETED" {
		t.Errorf("a repeat set the completed task to %s", got)
	}
	if got := only(t, "notes", srv.Notes()).Properties["hs_note_body"]; got != "called her" {
		t.Errorf("a repeat replaced the edited note by %q", got)
	}
}

func noteOfMissingContactIsRefused(t *testing.T, b bench) {
	_, c := b.start(t)
	want(t, "note", c.UpsertNote(context.Background(), noteFor("999999")), crm.Refused)
	want(t, "task without contact", c.UpsertTask(context.Background(), taskFor("")), crm.Refused)
}
