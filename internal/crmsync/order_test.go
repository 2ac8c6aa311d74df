package crmsync_test

import (
	"strings"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crmsync"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

var (
	contactFirst = []string{outbox.CRMContact, outbox.CRMNote, outbox.CRMTask}
	noteFirst    = []string{outbox.CRMNote, outbox.CRMTask, outbox.CRMContact}
)

func (w *world) allDone(ids ...string) {
	w.Helper()
	for _, id := range ids {
		if op := w.op(id); op.State != outbox.Done || !op.DueAt.IsZero() || op.WaitsFor != "" {
			w.Errorf("operation %s is %s (%s), due %q, waits for %q", id, op.State, op.Reason, op.DueAt, op.WaitsFor)
		}
	}
}

func TestOneEnquiryIsOneContactNoteAndTaskInEveryOrder(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]string{"contact first": contactFirst, "note first": noteFirst} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, client := newHubSpot(t)
			w := newWorld(t, client)
			w.enquiry("ada", order...)
			w.pump() // no time passes: what waited is released at once
			w.allDone("crm_contactada", "crm_noteada", "crm_taskada")
			people, notes, tasks := server.Contacts(), server.Notes(), server.Tasks()
			if len(people) != 1 || len(notes) != 1 || len(tasks) != 1 {
				t.Fatalf("%d contacts, %d notes, %d tasks", len(people), len(notes), len(tasks))
			}
			m := w.mapping("ada")
			if m.CRMID != people[0].ID || m.SentVersion != 1 || m.Owner != "" || !m.InFlightUntil.IsZero() {
				t.Errorf("mapping is %+v of record %s", m, people[0].ID)
			}
			for _, r := range append(notes, tasks...) {
				if len(r.Associations) != 1 || r.Associations[0] != "contacts/"+m.CRMID {
					t.Errorf("%s hangs on %v", r.Type, r.Associations)
				}
			}
			w.sound()
		})
	}
}

// TestReading11TheNoteSaysThatTheContactMayBeADuplicate, where the decision found
// another one with its phone and name.
func TestReading11TheNoteSaysThatTheContactMayBeADuplicate(t *testing.T) {
	t.Parallel()
	for _, likely := range []bool{true, false} {
		server, client := newHubSpot(t)
		w := newWorld(t, client)
		w.enquiry("ada", contactFirst...)
		if likely {
			w.set(eventKey, ledger.Item{inbound.ReasonsAttr: []string{match.ReasonEmailNew, match.ReasonPhoneShared}})
		}
		w.pump()
		if body := server.Notes()[0].Properties["hs_note_body"]; strings.Contains(body, "another contact has the same phone number and name") != likely || !strings.Contains(body, "two crates") {
			t.Errorf("likely %v: %q", likely, body)
		}
	}
}

func TestWhatTheIndexDoesNotShowFindsItselfByItsDueTime(t *testing.T) {
	t.Parallel()
	_, client := newHubSpot(t)
	w := newWorld(t, client)
	w.store.lag = true
	w.enquiry("ada", noteFirst...)
	w.pump()
	if op := w.op("crm_noteada"); op.State != outbox.Waiting || op.DueAt.IsZero() || op.DueShard == "" {
		t.Fatalf("the note is %s, due %q", op.State, op.DueAt)
	}
	began := w.clock()
	w.settle()
	w.allDone("crm_contactada", "crm_noteada", "crm_taskada")
	if waited := w.clock().Sub(began); waited > crmsync.WaitAgain+2*time.Minute {
		t.Errorf("it took %v", waited)
	}
	w.sound()
}

// A write that makes its own row due would come back by the stream at once, for
// as long as the contact is away.
func TestAWaitingOperationDoesNotFeedItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newVendor())
	w.enquiry("ada", outbox.CRMNote)
	if n := w.pump(); n > 4 {
		t.Errorf("the stream brought %d changes of one waiting operation", n)
	}
	if op := w.op("crm_noteada"); op.State != outbox.Waiting || op.Attempt != 0 {
		t.Errorf("the note is %s at attempt %d", op.State, op.Attempt)
	}
}

func TestAContactThatNobodyAskedForIsAskedForByWhatWaits(t *testing.T) {
	t.Parallel()
	v := newVendor()
	w := newWorld(t, v)
	// The contact is older than the tenant's CRM: no decision made an operation.
	w.enquiry("ada", outbox.CRMNote, outbox.CRMTask)
	w.settle()
	w.allDone("crm_noteada", "crm_taskada")
	if v.made["contact"] != 1 || v.made["note"] != 1 || v.made["task"] != 1 {
		t.Errorf("made %v", v.made)
	}
	w.sound()
}

func TestWhatWaitsIsParkedAndReleasedWithItsContact(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]string{"contact first": contactFirst, "note first": noteFirst} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVendor()
			refuse := true
			c := &scripted{CRM: v, answer: func(int) *crm.Result {
				if refuse {
					return &crm.Result{Outcome: crm.Refused, Reason: crm.ReasonAuth}
				}
				return nil
			}}
			w := newWorld(t, c)
			w.enquiry("ada", order...)
			began := w.clock()
			w.settle()
			if w.op("crm_contactada").State != outbox.Refused || w.op("crm_noteada").State != outbox.Parked {
				t.Fatalf("contact is %s, note is %s", w.op("crm_contactada").State, w.op("crm_noteada").State)
			}
			if name == "note first" && w.clock().Sub(began) > time.Minute {
				t.Errorf("the note was parked only after %v", w.clock().Sub(began))
			}
			w.sound()

			refuse = false
			w.reopen("crm_contactada")
			w.pump()
			w.allDone("crm_contactada", "crm_noteada", "crm_taskada")
			w.sound()
		})
	}
}

// The worker dies right after the commit that ended the contact's operation:
// the change of that commit still brings what waited along.
func TestACrashAfterTheContactIsDoneReleasesWhatWaits(t *testing.T) {
	t.Parallel()
	v := newVendor()
	w := newWorld(t, v)
	w.enquiry("ada", noteFirst...)
	commits := 0
	w.store.points.plan = func(int) fault {
		commits++
		if v.content("contact/ada") != "" && w.op("crm_contactada").State == outbox.Open {
			return dieAfter // the settle
		}
		return fine
	}
	w.pump()
	w.allDone("crm_contactada", "crm_noteada", "crm_taskada")
	if commits < 5 {
		t.Errorf("only %d commits: the schedule did not run", commits)
	}
	w.sound()
}

// reopen is what a person does with a parked or refused operation.
func (w *world) reopen(id string) {
	w.Helper()
	op := w.op(id)
	w.write(func(c *ledger.Commit) error {
		_, err := c.Move(ledger.Step{
			Key: opKey(id), Machine: outbox.Machine(), From: op.State, Transition: op.Transition, Event: "reopen",
			Set:   ledger.Item{"not_before": w.clockText(0), "due_at": w.clockText(2 * time.Minute), "due_shard": "0", "nudges": 0},
			Audit: audit.Record{At: utc.At(w.clock()), By: "test"},
		})
		return err
	})
}

func TestAMergedContactIsSyncedAsItsSurvivor(t *testing.T) {
	t.Parallel()
	server, client := newHubSpot(t)
	w := newWorld(t, client)
	w.enquiry("ada", noteFirst...)
	w.person("bea")
	w.set(personKey("bea"), ledger.Item{"revision": 7, "name": "Survivor"})
	w.set(personKey("ada"), ledger.Item{"status": contact.Merged, "merged_into": "bea"})
	w.settle()
	w.allDone("crm_contactada", "crm_noteada", "crm_taskada")
	if people := server.Contacts(); len(people) != 1 || people[0].Properties["email"] != "bea@example.com" {
		t.Errorf("the CRM has %v", people)
	}
	if m := w.mapping("bea"); m.SentVersion != 7 {
		t.Errorf("revision %d was recorded as sent", m.SentVersion)
	}
	w.sound()
}

func TestAnErasedContactReachesTheCRMNoMore(t *testing.T) {
	t.Parallel()
	v := newVendor()
	w := newWorld(t, v)
	w.enquiry("ada", contactFirst...)
	w.set(personKey("ada"), ledger.Item{"status": contact.Erased})
	w.settle()
	for _, id := range []string{"crm_contactada", "crm_noteada", "crm_taskada"} {
		if op := w.op(id); op.State != outbox.Superseded {
			t.Errorf("%s is %s", id, op.State)
		}
	}
	if len(v.made) != 0 {
		t.Errorf("made %v", v.made)
	}
	w.sound()
}

func TestMergesThatDoNotEndHoldUpNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newVendor())
	w.enquiry("ada", contactFirst...)
	w.person("bea")
	w.set(personKey("ada"), ledger.Item{"status": contact.Merged, "merged_into": "bea"})
	w.set(personKey("bea"), ledger.Item{"status": contact.Merged, "merged_into": "ada"})
	w.pump() // fails if a change is never handled
	for _, op := range w.operations() {
		if op.State != outbox.Parked || op.Reason != "merges_do_not_end" {
			t.Errorf("%s is %s (%s)", op.ID, op.State, op.Reason)
		}
	}
	w.sound()
}
