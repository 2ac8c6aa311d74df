package crmsync_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/crmsync"
	"onefold/internal/ledger"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

var (
	tokenRefused = crm.Result{Outcome: crm.Refused, Reason: crm.ReasonAuth, Account: true}
	limited      = crm.Result{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, Account: true, RetryAfter: 10 * time.Second}
	unreachable  = crm.Result{Outcome: crm.NotBegun, Reason: crm.ReasonNoConnection, Account: true}
	failing      = crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonServerError}
)

// pass lets time go by in steps of a minute, as the sweeper's schedule does.
func (w *world) pass(d time.Duration) {
	w.Helper()
	for end := w.clock().Add(d); w.clock().Before(end); w.advance(time.Minute) {
		w.pump()
		w.sweep()
	}
	w.pump()
}

func (w *world) connection() (c outbox.Connection) {
	w.Helper()
	if it := w.get(ledger.CRMConnection.Under(tenantID, "crm", w.crm.Capabilities().Name)); it != nil {
		if err := it.Decode(&c); err != nil {
			w.Fatal(err)
		}
	}
	return c
}

func (w *world) only(states ...string) {
	w.Helper()
	for _, op := range w.operations() {
		if !slices.Contains(states, op.State) {
			w.Errorf("%s is %s (%s) after %d attempts, %d of them waits", op.ID, op.State, op.Reason, op.Attempt, op.Waits)
		}
	}
}

// An outage of the account ends nothing, however long it is.
func TestAConnectionThatIsDownLosesNobody(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		down crm.Result
		long time.Duration
	}{
		"a token that is refused for a week":        {tokenRefused, 7 * 24 * time.Hour},
		"six hours of the account's limit":          {limited, 6 * time.Hour},
		"a day without a connection":                {unreachable, 24 * time.Hour},
		"a day in which reads fail as the calls do": {failing, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVendor()
			w := newWorld(t, v)
			w.enquiry("before", noteFirst...)
			w.settle()
			v.is(&x.down)
			for n := range 6 {
				w.enquiry(fmt.Sprint("p", n), noteFirst...)
				w.pass(x.long / 6)
			}
			w.enquiry("last", noteFirst...)
			w.pump()
			if c := w.connection(); c.State != outbox.Down || c.Reason != x.down.Reason {
				t.Fatalf("the connection is %s (%s)", c.State, c.Reason)
			}
			w.only(outbox.Done, outbox.Waiting, outbox.Open)
			for _, op := range w.operations() {
				if op.Attempt-op.Waits > 1 || op.Owner != "" && op.State != outbox.Done && op.Waits == 0 {
					t.Errorf("%s had %d attempts, %d of them waits", op.ID, op.Attempt, op.Waits)
				}
			}
			v.is(nil)
			w.settle()
			w.only(outbox.Done)
			if n := len(v.records); n != 3*8 || v.made["contact"] != 8 || v.made["note"] != 8 || v.made["task"] != 8 {
				t.Errorf("the CRM has %d records, made %v", n, v.made)
			}
			if c := w.connection(); c.State != outbox.Up || c.Reason != "" {
				t.Errorf("the connection is %s (%s)", c.State, c.Reason)
			}
			w.sound()
		})
	}
}

// While the connection is down the account gets reads, and few of them.
func TestAConnectionThatIsDownGetsReadsAlone(t *testing.T) {
	t.Parallel()
	v := newVendor()
	w := newWorld(t, v)
	v.is(&unreachable)
	w.enquiry("first", outbox.CRMContact)
	w.pump()
	calls := v.calls
	for n := range 50 {
		w.enquiry(fmt.Sprint("p", n), noteFirst...)
	}
	w.pass(24 * time.Hour)
	// A wait of 15 minutes in the end: 4 an hour, and some at the beginning.
	if v.calls != calls || v.looks < 24 || v.looks > 24*4+8 {
		t.Errorf("%d calls and %d looks in a day, after %d calls", v.calls, v.looks, calls)
	}
}

// What ails one record is that operation's own.
func TestAPoisonRecordNeverTakesTheConnectionDown(t *testing.T) {
	t.Parallel()
	for name, res := range map[string]crm.Result{
		"the server fails on it":      failing,
		"it is never answered":        {Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer},
		"it is always locked":         {Outcome: crm.Busy, Reason: crm.ReasonLocked},
		"a right for it is not there": {Outcome: crm.Refused, Reason: crm.ReasonAuth},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVendor()
			poison := true
			w := newWorld(t, &scripted{CRM: v, answer: func(int) *crm.Result {
				if poison {
					return &res
				}
				return nil
			}})
			w.enquiry("bad", outbox.CRMContact)
			for range 40 {
				w.pump()
				w.advance(time.Hour)
				w.sweep()
			}
			poison = false
			w.enquiry("good", noteFirst...)
			w.settle()
			if op := w.op("crm_contactbad"); op.State != outbox.Parked && op.State != outbox.Refused || op.Waits != 0 {
				t.Errorf("the poison is %s (%s), %d waits", op.State, op.Reason, op.Waits)
			}
			w.allDone("crm_contactgood", "crm_notegood", "crm_taskgood")
			if c := w.connection(); c.State != "" {
				t.Errorf("the connection went %s (%s)", c.State, c.Reason)
			}
			if v.looks == 0 {
				t.Error("the account was never read, so nothing told the two apart")
			}
		})
	}
}

// Another tenant's account is another connection.
func TestATenantWhoseCRMIsDownSlowsNoOther(t *testing.T) {
	t.Parallel()
	mine, others := newVendor(), newVendor()
	mine.is(&unreachable)
	w := newWorld(t, mine)
	accounts := &accounts{of: map[string]crm.CRM{tenantID: mine, "other": others}}
	w.enquiry("first", outbox.CRMContact)
	w.handleBy(at(w, accounts), "crm_contactfirst")
	reads := mine.looks + mine.calls
	for n := range 100 {
		id := fmt.Sprint("p", n)
		w.enquiry(id, outbox.CRMContact)
		w.handleBy(at(w, accounts), "crm_contact"+id)
	}
	if n := mine.looks + mine.calls - reads; n != 0 {
		t.Errorf("the worker of both was held up by %d calls of the CRM that is down", n)
	}
	if c := w.connection(); c.State != outbox.Down {
		t.Errorf("the connection is %q", c.State)
	}
	if it := w.get(ledger.CRMConnection.Under("other", "crm", "vendor")); it != nil {
		t.Errorf("the other tenant's connection has a row: %v", it)
	}
}

// What waited is let in at a bounded rate, and of each contact in its order.
func TestWhatWaitedIsLetInAtABoundedRate(t *testing.T) {
	t.Parallel()
	v := newVendor()
	w := newWorld(t, v)
	v.is(&limited)
	w.enquiry("first", outbox.CRMContact)
	w.pump()
	const people = 120
	for n := range people {
		w.enquiry(fmt.Sprint("p", n), contactFirst...)
		w.advance(time.Second)
	}
	w.pump()
	v.is(nil)
	var most int
	for range 60 {
		before := v.calls
		w.advance(time.Minute)
		w.sweep()
		w.pump()
		most = max(most, v.calls-before)
	}
	if most > crmsync.LetIn+3 || most < crmsync.LetIn/2 {
		t.Errorf("up to %d calls in one go, %d are let in", most, crmsync.LetIn)
	}
	w.settle()
	w.only(outbox.Done)
	if v.made["contact"] != people+1 || v.made["note"] != people {
		t.Errorf("made %v", v.made)
	}
}

// A probe that is lost, as by a person's hand, is made again.
func TestWhatWaitsForAConnectionWithoutAProbeMakesOne(t *testing.T) {
	t.Parallel()
	v := newVendor()
	w := newWorld(t, v)
	v.is(&unreachable)
	w.enquiry("ada", noteFirst...)
	w.pump()
	for _, op := range w.operations() {
		if op.Kind == outbox.CRMProbe {
			w.set(opKey(op.ID), ledger.Item{"state": outbox.Parked, schema.DueAt: "", schema.DueShard: "", "not_before": ""})
		}
	}
	w.store.drop()
	v.is(nil)
	w.settle()
	w.allDone("crm_contactada", "crm_noteada", "crm_taskada")
}

// Outages on the wire: the adapter and its fake.
func TestAnOutageOnTheWireMakesNothingTwice(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	w := newWorld(t, client)
	w.enquiry("first", noteFirst...)
	w.settle()
	for _, kind := range []hubspottest.Kind{hubspottest.Throttle, hubspottest.FailNotPersist, hubspottest.Throttle} {
		server.Script(hubspottest.Fault{Op: "contacts.read", Kind: kind, Times: 10})
	}
	for n := range 5 {
		w.enquiry(fmt.Sprint("p", n), noteFirst...)
		w.pass(time.Hour)
	}
	w.settle()
	w.only(outbox.Done)
	if c, n, k := len(server.Contacts()), len(server.Notes()), len(server.Tasks()); c != 6 || n != 6 || k != 6 {
		t.Errorf("%d contacts, %d notes, %d tasks", c, n, k)
	}
	w.sound()
}
