package metric_test

import (
	"time"

	"onefold/internal/console"
	"onefold/internal/crm"
	"onefold/internal/ledger"
	"onefold/internal/record/outbox"
)

// synced is an enquiry whose contact the CRM answers so.
func synced(res ...crm.Result) func(w *world) {
	return func(w *world) {
		w.enquiry("d1", "ann@example.org")
		op := w.one(ledger.Operation, "kind", outbox.CRMContact)
		for _, r := range res {
			w.crm.do = func() crm.Result { return r }
			w.ok(w.crmsync.Handle(w.t.Context(), change(op)))
			w.now = w.now.Add(time.Hour)
		}
	}
}

func crmRows() []row {
	done := crm.Result{Outcome: crm.Done, ID: "7"}
	return []row{
		{"done, once", synced(done, done), []string{"crmsync CRMDone 1"}},
		{"adopted", synced(crm.Result{Outcome: crm.Done, ID: "7", Adopted: true}), []string{"crmsync CRMAdopted 1", "crmsync DuplicatesSuspected 1", "crmsync CRMDone 1"}},
		{"refused", synced(crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}), []string{"crmsync CRMRefused 1"}},
		{"in conflict", synced(crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}), []string{
			"crmsync ResponseMismatches 1", "crmsync DuplicatesSuspected 1", "crmsync RowsParked 1",
		}},
		{"busy, then done: nothing was unknown", func(w *world) {
			synced(crm.Result{Outcome: crm.Busy}, done)(w)
			for _, n := range w.names("crmsync") {
				if n == "TimeoutsReconciled 1" {
					w.t.Error("what was known not to be done is counted as reconciled")
				}
			}
		}, []string{"crmsync CRMRetried 1", "crmsync CRMDone 1"}},
		{"unknown, then done", synced(crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}, done), []string{
			"crmsync CRMRetried 1", "crmsync CRMDone 1", "crmsync TimeoutsReconciled 1",
		}},
		{"a connection that stays down", func(w *world) {
			w.crm.down = true
			synced(crm.Result{Outcome: crm.Refused, Reason: crm.ReasonAuth, Account: true})(w)
			w.ok(w.crmsync.Handle(w.t.Context(), change(w.one(ledger.Operation, "kind", outbox.CRMProbe))))
		}, []string{"crmsync CRMConnectionsDown 1", "crmsync CRMRetried 1"}},
		{"an outcome that could not be stored", func(w *world) {
			w.enquiry("d1", "ann@example.org")
			w.crm.do = func() crm.Result {
				w.store.commit = func(ledger.Commit) (bool, error) { return false, errDown }
				return done
			}
			if err := w.crmsync.Handle(w.t.Context(), change(w.one(ledger.Operation, "kind", outbox.CRMContact))); err == nil {
				w.t.Error("a fault is not told")
			}
		}, []string{"crmsync SettlesFailed 1"}},
		{"an operation in work", func(w *world) {
			w.enquiry("d1", "ann@example.org")
			w.set(w.one(ledger.Operation, "kind", outbox.CRMContact), ledger.Item{"status": "in_progress", "in_progress_until": "2026-03-02T10:00:00.000Z"})
			w.syncs()
		}, []string{"crmsync InProgressConflicts 1"}},
	}
}

func peopleRows() []row {
	shared := func(w *world) {
		w.form("d1", "info@example.org", "Do you walk in May?")
		w.extract()
	}
	draft := func(w *world) {
		w.form("d1", "ann@example.org", "What does it cost? I need a price quote.")
		w.extract()
	}
	return []row{
		{"a person says whose it is", func(w *world) { shared(w); w.answer(console.Approve, "") }, []string{
			"console ReviewsAnswered 1", "console ReviewsApproved 1", "console MatchReviewsAnswered 1", "console EventsDecided 1",
			"console ContactsCreated 1", "console IntentsMade 1",
		}},
		{"a person gives another address", func(w *world) { shared(w); w.answer(console.Approve, "ann@example.org") }, []string{
			"console ReviewsAnswered 1", "console ReviewsEdited 1",
		}},
		{"a person says no", func(w *world) { draft(w); w.answer(console.Reject, "") }, []string{"console ReviewsAnswered 1", "console ReviewsRejected 1"}},
		{"an answer to what has moved is none", func(w *world) {
			draft(w)
			t := ledger.KeyOf(w.one(ledger.ReviewTask, "state", "open"))
			w.answer(console.Approve, "")
			if err := w.console.Answer(w.t.Context(), "demo", t.ID, console.Form{Action: console.Reject, By: "rob", Transition: 1}); err == nil {
				w.t.Error("taken")
			}
		}, []string{"console ReviewsAnswered 1", "console ReviewsApproved 1"}},
		{"a link used twice", func(w *world) {
			i := ledger.KeyOf(w.enquiry("d1", "ann@example.org")).ID
			for range 2 {
				w.ok(w.optout.Stop(w.t.Context(), "demo", i, w.token(i)))
			}
		}, []string{"optout OptOuts 1"}},
	}
}

func sweepRows() []row {
	return []row{
		{"nothing is due", func(w *world) { w.sweeps() }, []string{"sweep RowsDue 0", "sweep OldestDueAge 0", "sweep SendingPastLease 0"}},
		{"rows that are late", func(w *world) {
			w.form("d1", "ann@example.org", "Hello")
			w.form("d2", "bob@example.org", "Hello")
			w.now = w.now.Add(3*time.Minute + 100*time.Second) // due after 3 minutes
			w.sweeps()
		}, []string{"sweep RowsDue 2", "sweep OldestDueAge 100", "sweep RowsNudged 2"}},
		{"a row that was nudged is late since before", func(w *world) {
			w.form("d1", "ann@example.org", "Hello")
			w.now = w.now.Add(3*time.Minute + 10*time.Second)
			w.sweeps() // due again in 30 s
			w.now = w.now.Add(35 * time.Second)
			w.sweeps()
		}, []string{"sweep OldestDueAge 35", "sweep RowsNudged 2"}},
		{"a send that is stuck", func(w *world) {
			sending(w)
			w.set(w.one(ledger.Operation, "kind", outbox.CRMContact), ledger.Item{"due_at": "2026-03-03T09:00:00.000Z"})
			w.now = w.now.Add(10 * time.Minute)
			w.sweeps()
		}, []string{"sweep SendingPastLease 1"}},
		{"a row that does not move", func(w *world) {
			w.form("d1", "ann@example.org", "Hello")
			w.set(w.one(ledger.Event, "state", "recorded"), ledger.Item{"nudges": 10})
			w.now = w.now.Add(time.Hour)
			w.sweeps()
			w.sweeps()
		}, []string{"sweep RowsParked 1"}},
		{"a row of newer code", func(w *world) {
			w.form("d1", "ann@example.org", "Hello")
			w.set(w.one(ledger.Event, "state", "recorded"), ledger.Item{"nudges": 10, "state": "paused"})
			w.now = w.now.Add(time.Hour)
			w.sweeps()
		}, []string{"sweep RowsUnreadable 1"}},
	}
}

func (w *world) sweeps() {
	w.t.Helper()
	_, err := w.sweep.Run(w.t.Context())
	w.ok(err)
}
