package crmsync_test

import (
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/crmsync"
	"onefold/internal/ledger"
	"onefold/internal/record/claim"
	"onefold/internal/record/outbox"
	"onefold/internal/sweep"
)

func TestEachOutcomeLeavesItsStateTimerAndReason(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name     string
		res      crm.Result
		state    string
		status   claim.Status
		reason   string
		wait     time.Duration // the least; 0 where no timer may be left
		inFlight bool          // nobody else may call for this contact meanwhile
	}{
		{"done", crm.Result{Outcome: crm.Done, ID: "9", Created: true}, outbox.Done, claim.Completed, "", 0, false},
		{"refused", crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}, outbox.Refused, claim.Failed, "invalid", 0, false},
		{"conflict", crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}, outbox.Parked, claim.Failed, "conflict_two_records", 0, false},
		{"busy", crm.Result{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, RetryAfter: time.Hour}, outbox.Open, claim.Failed, "rate_limit", time.Hour, false},
		{"not begun", crm.Result{Outcome: crm.NotBegun, Reason: crm.ReasonNoConnection}, outbox.Open, claim.Failed, "no_connection", time.Second, false},
		{"unknown", crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}, outbox.Open, claim.Unknown, "no_answer", inFlight, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &scripted{CRM: newVendor(), answer: func(int) *crm.Result { return &x.res }})
			w.enquiry("ada", outbox.CRMContact)
			w.handle("crm_contactada")
			op, m := w.op("crm_contactada"), w.mapping("ada")
			if op.State != x.state || op.Status != x.status || op.Reason != x.reason || op.Attempt != 1 {
				t.Errorf("%s, status %s, reason %q, attempt %d", op.State, op.Status, op.Reason, op.Attempt)
			}
			if x.wait == 0 != (op.DueAt.IsZero() && op.NotBefore.IsZero() && op.DueShard == "") {
				t.Errorf("due %q, not before %q, shard %q", op.DueAt, op.NotBefore, op.DueShard)
			}
			if x.wait > 0 && (op.NotBefore.Std().Sub(w.clock()) < x.wait || op.DueAt.Before(op.NotBefore)) {
				t.Errorf("not before %q, due %q, now %v", op.NotBefore, op.DueAt, w.clock())
			}
			if x.inFlight != (m.InFlightUntil.Std().Sub(w.clock()) >= inFlight) {
				t.Errorf("in flight until %q, now %v", m.InFlightUntil, w.clock())
			}
			w.sound()
		})
	}
}

func TestFaultsOfTheCRMOnTheWireMakeNothingTwice(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]hubspottest.Kind{
		"fails, did nothing": hubspottest.FailNotPersist, "fails, did it": hubspottest.FailButPersist,
		"cut, did nothing": hubspottest.CutBefore, "cut, did it": hubspottest.CutAfter,
		"throttled": hubspottest.Throttle, "locked": hubspottest.Locked,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, client := newHubSpot(t)
			for _, op := range []string{"contacts.upsert", "notes.upsert", "notes.associate", "tasks.upsert", "tasks.associate"} {
				server.Script(hubspottest.Fault{Op: op, Kind: kind, Times: 2})
			}
			w := newWorld(t, client)
			w.enquiry("ada", noteFirst...)
			w.settle()
			w.allDone("crm_contactada", "crm_noteada", "crm_taskada")
			if c, n, k := len(server.Contacts()), len(server.Notes()), len(server.Tasks()); c != 1 || n != 1 || k != 1 {
				t.Errorf("%d contacts, %d notes, %d tasks", c, n, k)
			}
			w.sound()
		})
	}
}

func TestAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	for name, res := range map[string]crm.Result{
		"busy":      {Outcome: crm.Busy, Reason: crm.ReasonRateLimit},
		"not begun": {Outcome: crm.NotBegun, Reason: crm.ReasonNoConnection},
		"unknown":   {Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &scripted{CRM: newVendor(), answer: func(int) *crm.Result { return &res }}
			w := newWorld(t, c)
			w.enquiry("ada", outbox.CRMContact)
			w.settle()
			op := w.op("crm_contactada")
			if op.State != outbox.Parked || op.Reason != res.Reason || c.calls != crmsync.MaxAttempts {
				t.Errorf("%s (%s) after %d calls", op.State, op.Reason, c.calls)
			}
			if (op.Status == claim.Unknown) != (res.Outcome == crm.Unknown) {
				t.Errorf("status is %s after %s", op.Status, res.Outcome)
			}
			w.sound()
		})
	}
}

// A worker that dies in every call never writes an outcome down, and its
// attempts count all the same.
func TestAWorkerThatDiesInEveryCallIsBoundedToo(t *testing.T) {
	t.Parallel()
	c := &scripted{CRM: newVendor(), before: func() { panic(died{}) }}
	w := newWorld(t, c)
	w.enquiry("ada", outbox.CRMContact)
	w.settle()
	if op := w.op("crm_contactada"); op.State != outbox.Parked || op.Reason != "attempts_exhausted" || c.calls != crmsync.MaxAttempts {
		t.Errorf("%s (%s) after %d calls", op.State, op.Reason, c.calls)
	}
	// A person who has mended the cause reopens it.
	c.before = nil
	w.reopen("crm_contactada")
	w.settle()
	w.allDone("crm_contactada")
	w.sound()
}

// One revision's troubles are no reason to give up on the next: waiting for
// the other is meant, and no lack of progress.
func TestWaitingForAnotherRevisionIsNoLackOfProgress(t *testing.T) {
	t.Parallel()
	v := newVendor()
	w := newWorld(t, v)
	w.enquiry("ada", outbox.CRMContact)
	w.settle()
	w.revise("ada", 2)
	busy := func(d time.Duration) {
		w.set(ledger.CRMMapping.Under(tenantID, "ada", "vendor"),
			ledger.Item{"owner": "another", "in_flight_until": w.clockText(d)})
	}
	for range 2 * sweep.MaxNudges {
		busy(time.Minute)
		w.pump()
		w.advance(time.Minute)
		busy(time.Minute)
		w.sweep()
	}
	if op := w.op("sync2ada"); op.State != outbox.Open || op.Reason != "another_in_flight" {
		t.Errorf("revision 2 is %s (%s)", op.State, op.Reason)
	}
	busy(0)
	w.settle()
	if got := v.content("contact/ada"); got != "Revision 2" {
		t.Errorf("the CRM has %q", got)
	}
	w.sound()
}

func TestContentThatCannotBeReadIsTriedAndThenParked(t *testing.T) {
	t.Parallel()
	v := newVendor()
	w := newWorld(t, v)
	w.enquiry("ada", contactFirst...)
	clear(w.blobs)
	w.settle()
	if op := w.op("crm_noteada"); op.State != outbox.Parked || op.Reason != "raw_unavailable" {
		t.Errorf("the note is %s (%s)", op.State, op.Reason)
	}
	if v.made["note"] != 0 {
		t.Error("a note without content was made")
	}
	w.sound()
}

func TestAnExistingRecordIsAdopted(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	id, err := server.Seed("contacts", map[string]string{"email": "ada@example.com", "firstname": "Augusta", "company": "Engines"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, client)
	w.enquiry("ada", noteFirst...)
	w.settle()
	people := server.Contacts()
	if len(people) != 1 || people[0].ID != id || people[0].Properties["firstname"] != "Augusta" {
		t.Fatalf("the CRM has %v", people)
	}
	if m := w.mapping("ada"); m.CRMID != id {
		t.Errorf("mapped to %s, not to %s", m.CRMID, id)
	}
	if op := w.op("crm_contactada"); op.Result != "adopted" {
		t.Errorf("the result is %q", op.Result)
	}
	w.allDone("crm_contactada", "crm_noteada", "crm_taskada")
	w.sound()
}
