package crmtest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspottest"
)

func wrongTokenIsRefused(t *testing.T, b bench) {
	srv, c := b.start(t)
	srv.SetToken("another")
	r := upsert(t, c, ann(), "")
	want(t, "upsert", r, crm.Refused)
	if r.Reason != crm.ReasonAuth {
		t.Errorf("reason %q, want %q", r.Reason, crm.ReasonAuth)
	}
}

func rateLimitIsBusy(t *testing.T, b bench) {
	srv, c := b.start(t)
	srv.Script(hubspottest.Fault{Kind: hubspottest.Throttle})
	r := upsert(t, c, ann(), "")
	want(t, "upsert", r, crm.Busy)
	if r.RetryAfter != 7*time.Second { // what the server's Retry-After says
		t.Errorf("retry after %v, want 7s", r.RetryAfter)
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
	if n := len(srv.Contacts()); n != 0 {
		t.Errorf("the CRM has %d contacts", n)
	}
}

// lateWriteAddsNoRecord: the caller gives up, calls again, and only then does
// the first write take effect.
func lateWriteAddsNoRecord(t *testing.T, b bench) {
	srv, c := b.start(t)
	ctx, giveUp := context.WithCancel(context.Background())
	late := make(chan struct{})
	srv.Script(hubspottest.Fault{Op: hubspottest.AnyWrite, Kind: hubspottest.HoldBefore, Until: late, Entered: giveUp})
	first := c.UpsertContact(ctx, ann(), "")
	second := upsert(t, c, ann(), "")
	close(late)
	srv.Idle()
	want(t, "upsert given up", first, crm.Unknown)
	if r := done(t, "repeat", second); r.ID != only(t, "contacts", srv.Contacts()).ID {
		t.Errorf("the repeat gave record %q", r.ID)
	}
}

// situation is one operation on a CRM prepared for it.
type situation struct {
	name    string
	prepare func(*testing.T, *Running, crm.CRM) string // gives the contact's record ID
	call    func(crm.CRM, string) crm.Result
	records func(*Running) []hubspottest.Record // must be one in the end
}

func situations() []situation {
	ctx := context.Background()
	contact := func(c crm.CRM, _ string) crm.Result { return c.UpsertContact(ctx, ann(), "") }
	made := func(t *testing.T, _ *Running, c crm.CRM) string {
		return done(t, "contact", upsert(t, c, ann(), "")).ID
	}
	contacts := func(s *Running) []hubspottest.Record { return s.Contacts() }
	return []situation{
		{"create", func(*testing.T, *Running, crm.CRM) string { return "" }, contact, contacts},
		{"adopt", func(t *testing.T, s *Running, _ crm.CRM) string {
			return seed(t, s, map[string]string{"email": "ann@example.com"})
		}, contact, contacts},
		{"update", func(t *testing.T, s *Running, c crm.CRM) string {
			old := ann()
			old.Company = "Former Ltd"
			return done(t, "contact", upsert(t, c, old, "")).ID
		}, func(c crm.CRM, id string) crm.Result { return c.UpsertContact(ctx, ann(), id) }, contacts},
		{"note", made, func(c crm.CRM, id string) crm.Result { return c.UpsertNote(ctx, noteFor(id)) },
			func(s *Running) []hubspottest.Record { return s.Notes() }},
		{"task", made, func(c crm.CRM, id string) crm.Result { return c.UpsertTask(ctx, taskFor(id)) },
			func(s *Running) []hubspottest.Record { return s.Tasks() }},
	}
}

// faultAtAnyCallThenRepeat runs each operation with each fault at each of its
// calls: the outcome keeps its promise about what was written, and a repeat
// ends with one record that is as it would have been without the fault.
func faultAtAnyCallThenRepeat(t *testing.T, b bench) {
	for _, s := range situations() {
		srv, c := b.start(t)
		id := s.prepare(t, srv, c)
		before := len(srv.Calls())
		done(t, s.name, s.call(c, id))
		calls := len(srv.Calls()) - before
		clean := only(t, s.name+" records", s.records(srv))
		if calls == 0 {
			t.Fatalf("%s makes no call", s.name)
		}
		for kind := hubspottest.FailNotPersist; kind <= hubspottest.Locked; kind++ {
			for at := range calls {
				t.Run(fmt.Sprintf("%s/fault%d/call%d", s.name, kind, at), func(t *testing.T) {
					t.Parallel()
					oneFault(t, b, s, hubspottest.Fault{Kind: kind, Skip: at}, clean)
				})
			}
		}
	}
}

func oneFault(t *testing.T, b bench, s situation, f hubspottest.Fault, clean hubspottest.Record) {
	srv, c := b.start(t)
	id := s.prepare(t, srv, c)
	before := everything(srv)
	srv.Script(f)
	r := s.call(c, id)
	switch r.Outcome {
	case crm.Busy, crm.NotBegun, crm.Conflict:
		if !reflect.DeepEqual(before, everything(srv)) {
			t.Errorf("outcome %q (%s) promises that nothing was written, and something was", r.Outcome, r.Reason)
		}
		if f.Kind != hubspottest.Throttle && f.Kind != hubspottest.Locked {
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

	done(t, "repeat", s.call(c, id))
	got := only(t, s.name+" records", s.records(srv))
	if !reflect.DeepEqual(got.Properties, clean.Properties) || len(got.Associations) != len(clean.Associations) {
		t.Errorf("after the repeat the record is %v %v, without the fault it is %v %v",
			got.Properties, got.Associations, clean.Properties, clean.Associations)
	}
}

// cutRead tells whether the last call without an answer was a read.
func cutRead(srv *Running) bool {
	for _, c := range slices.Backward(srv.Calls()) {
		if c.Status == 0 {
			return c.Method == http.MethodGet
		}
	}
	return false
}

func everything(srv *Running) [][]hubspottest.Record {
	return [][]hubspottest.Record{srv.Contacts(), srv.Notes(), srv.Tasks()}
}

func same(a, b []hubspottest.Record) bool { return reflect.DeepEqual(a, b) }
