package crmtest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"onefold/internal/crm"
)

func wrongTokenIsRefused(t *testing.T, b bench) {
	srv, c := b.start(t)
	srv.RefuseToken()
	r := upsert(t, c, ann(), "")
	want(t, "upsert", r, crm.Refused)
	if r.Reason != crm.ReasonAuth {
		t.Errorf("reason %q, want %q", r.Reason, crm.ReasonAuth)
	}
}

// lookTellsWhatIsTheAccounts: a look writes nothing, and what ails the account is
// said to be the account's, by a look as by a write.
func lookTellsWhatIsTheAccounts(t *testing.T, b bench) {
	srv, c := b.start(t)
	done(t, "contact", upsert(t, c, ann(), ""))
	look := func() crm.Result { return c.Look(context.Background()) }
	before, calls := everything(srv), len(srv.Calls())
	want(t, "look", look(), crm.Done)
	if n := len(srv.Calls()) - calls; n != 1 || !srv.Calls()[calls].Reads || !reflect.DeepEqual(before, everything(srv)) {
		t.Errorf("a look makes %d calls, or writes", n)
	}
	write := func() crm.Result { return c.UpsertNote(context.Background(), noteFor("1")) }
	for _, call := range []func() crm.Result{look, write} {
		srv.Throttle()
		if r := call(); r.Outcome != crm.Busy || !r.Account {
			t.Errorf("beyond the account's rate: %+v", r)
		}
	}
	srv.RefuseToken()
	for _, call := range []func() crm.Result{look, write} {
		if r := call(); r.Outcome != crm.Refused || r.Reason != crm.ReasonAuth || !r.Account {
			t.Errorf("with a token that is refused: %+v", r)
		}
	}
	srv.Stop()
	for _, call := range []func() crm.Result{look, write} {
		if r := call(); r.Outcome != crm.NotBegun || !r.Account {
			t.Errorf("without a connection: %+v", r)
		}
	}
}

func rateLimitIsBusy(t *testing.T, b bench) {
	srv, c := b.start(t)
	after := time.Duration(srv.Throttle()) * time.Second
	r := upsert(t, c, ann(), "")
	want(t, "upsert", r, crm.Busy)
	if r.RetryAfter != after {
		t.Errorf("retry after %v, the vendor says %v", r.RetryAfter, after)
	}
	done(t, "repeat", upsert(t, c, ann(), ""))
}

func deadPortIsNotBegun(t *testing.T, b bench) {
	srv, c := b.start(t)
	srv.Stop()
	want(t, "contact", upsert(t, c, ann(), ""), crm.NotBegun)
	want(t, "note", c.UpsertNote(context.Background(), noteFor("1")), crm.NotBegun)
	want(t, "task", c.UpsertTask(context.Background(), taskFor("1")), crm.NotBegun)
}

func endedContextIsNotBegun(t *testing.T, b bench) {
	srv, c := b.start(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	want(t, "contact", c.UpsertContact(ctx, ann(), ""), crm.NotBegun)
	if n := len(srv.Records(Contacts)); n != 0 {
		t.Errorf("the CRM has %d contacts", n)
	}
}

// lateWriteAddsNoRecord: the caller gives up, calls again, and only then does
// the first write take effect.
func lateWriteAddsNoRecord(t *testing.T, b bench) {
	srv, c := b.start(t)
	ctx, giveUp := context.WithCancel(context.Background())
	late := make(chan struct{})
	srv.Hold(late, giveUp)
	first := c.UpsertContact(ctx, ann(), "")
	var second crm.Result
	if atOnce(c, Contacts) {
		second = upsert(t, c, ann(), "")
	}
	close(late)
	srv.Idle()
	if !atOnce(c, Contacts) {
		settled(srv, c, Contacts)
		second = upsert(t, c, ann(), "")
	}
	want(t, "upsert given up", first, crm.Unknown)
	if r := done(t, "repeat", second); r.ID != only(t, srv, Contacts).ID {
		t.Errorf("the repeat gave record %q", r.ID)
	}
}

// situation is one operation on a CRM prepared for it.
type situation struct {
	name    string
	prepare func(*testing.T, Vendor, crm.CRM) string // gives the contact's record ID
	call    func(crm.CRM, string) crm.Result
	kind    Kind // of the records, which must be one in the end
}

func situations() []situation {
	ctx := context.Background()
	contact := func(c crm.CRM, _ string) crm.Result { return c.UpsertContact(ctx, ann(), "") }
	made := func(t *testing.T, _ Vendor, c crm.CRM) string {
		return done(t, "contact", upsert(t, c, ann(), "")).ID
	}
	return []situation{
		{"create", func(*testing.T, Vendor, crm.CRM) string { return "" }, contact, Contacts},
		{"adopt", func(t *testing.T, s Vendor, _ crm.CRM) string {
			return s.Put(t, map[string]string{Email: "ann@example.com"})
		}, contact, Contacts},
		{"update", func(t *testing.T, s Vendor, c crm.CRM) string {
			old := ann()
			old.Company = "Former Ltd"
			return done(t, "contact", upsert(t, c, old, "")).ID
		}, func(c crm.CRM, id string) crm.Result { return c.UpsertContact(ctx, ann(), id) }, Contacts},
		{"note", made, func(c crm.CRM, id string) crm.Result { return c.UpsertNote(ctx, noteFor(id)) }, Notes},
		{"task", made, func(c crm.CRM, id string) crm.Result { return c.UpsertTask(ctx, taskFor(id)) }, Tasks},
	}
}

// faultAtAnyCallThenRepeat runs each operation with each fault at each of its
// calls: the outcome keeps its promise about what was written, and a repeat
// ends with one record that is as it would have been without the fault.
func faultAtAnyCallThenRepeat(t *testing.T, b bench) {
	for _, s := range situations() {
		srv, c := b.start(t)
		id := s.prepare(t, srv, c)
		settled(srv, c, Contacts)
		before := len(srv.Calls())
		done(t, s.name, s.call(c, id))
		calls := len(srv.Calls()) - before
		clean := only(t, srv, s.kind)
		if calls == 0 {
			t.Fatalf("%s makes no call", s.name)
		}
		for _, f := range srv.Faults() {
			for at := range calls {
				t.Run(fmt.Sprintf("%s/%s/call%d", s.name, f.Name, at), func(t *testing.T) {
					t.Parallel()
					oneFault(t, b, s, f, at, clean)
				})
			}
		}
	}
}

func oneFault(t *testing.T, b bench, s situation, f Fault, at int, clean Record) {
	srv, c := b.start(t)
	id := s.prepare(t, srv, c)
	settled(srv, c, Contacts)
	before := everything(srv)
	srv.Meet(f, at)
	r := s.call(c, id)
	switch r.Outcome {
	case crm.Busy, crm.NotBegun, crm.Conflict:
		if !reflect.DeepEqual(before, everything(srv)) {
			t.Errorf("outcome %q (%s) promises that nothing was written, and something was", r.Outcome, r.Reason)
		}
		if !f.Refusal {
			t.Errorf("outcome %q (%s) is more than can be known", r.Outcome, r.Reason)
		}
	case crm.Unknown:
	case crm.Done:
		// net/http itself repeats a GET whose reused connection broke, which
		// writes nothing and is no call of the adapter's.
		if !cutRead(srv) {
			t.Errorf("done, though a call of it failed")
		}
	default:
		t.Errorf("outcome %q (%s) though the fault passes", r.Outcome, r.Reason)
	}

	if repeat(c, s.kind) == crm.Never && r.Outcome == crm.Unknown {
		if n := len(srv.Records(s.kind)); n > 1 {
			t.Errorf("the CRM has %d %s", n, s.kind)
		}
		return // a person looks
	}
	settled(srv, c, s.kind)
	done(t, "repeat", s.call(c, id))
	got := only(t, srv, s.kind)
	if !reflect.DeepEqual(got.Content, clean.Content) || len(got.Contacts) != len(clean.Contacts) {
		t.Errorf("after the repeat the record is %v %v, without the fault it is %v %v",
			got.Content, got.Contacts, clean.Content, clean.Contacts)
	}
}

// cutRead tells whether the last call without an answer was a read.
func cutRead(srv Vendor) bool {
	for _, c := range slices.Backward(srv.Calls()) {
		if !c.Answered {
			return c.Reads
		}
	}
	return false
}

func everything(srv Vendor) [][]Record {
	return [][]Record{srv.Records(Contacts), srv.Records(Notes), srv.Records(Tasks)}
}
