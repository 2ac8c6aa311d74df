package crmsync_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"onefold/internal/crm/pipedrive"
	"onefold/internal/crm/pipedrivetest"
	"onefold/internal/record/outbox"
)

// newPipedrive is a world whose CRM keeps nothing unique and whose search is as late
// as the adapter declares. Real: the worker, the adapter, on the wire.
func newPipedrive(t testing.TB) (*world, *pipedrivetest.Account) {
	t.Helper()
	const token = "crmsync-test-token"
	w := newWorld(t, nil)
	account := pipedrivetest.New(pipedrivetest.Options{Token: token, Now: w.clock, SearchLag: 10 * time.Minute})
	web := httptest.NewServer(account)
	t.Cleanup(web.Close)
	c, err := pipedrive.New(pipedrive.Config{
		BaseURL: web.URL, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Token: func(context.Context) (string, error) { return token, nil },
	})
	if err == nil {
		err = c.SetUp(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	w.crm = c
	return w, account
}

// oneOfEach checks that all is done, and is there once, filed on the one person.
func (w *world) oneOfEach(account *pipedrivetest.Account) {
	w.Helper()
	for _, op := range w.operations() {
		if op.State != outbox.Done && op.State != outbox.Superseded {
			w.Errorf("%s is %s (%s)", op.ID, op.State, op.Reason)
		}
	}
	people, notes, tasks := account.Persons(), account.Notes(), account.Activities()
	if len(people) != 1 || len(notes) != 1 || len(tasks) != 1 {
		w.Fatalf("%d persons, %d notes, %d activities", len(people), len(notes), len(tasks))
	}
	id := people[0].ID
	if m := w.mapping("ada"); m.CRMID != strconv.FormatInt(id, 10) || notes[0].Person != id || tasks[0].Person != id {
		w.Errorf("person %d, mapping %q, note on %d, activity on %d", id, m.CRMID, notes[0].Person, tasks[0].Person)
	}
	if people[0].Name != "Revision 2" {
		w.Errorf("the person is %q", people[0].Name)
	}
	w.sound()
}

// A contact that is new, or that somebody made there before, with a note, a task and
// a change; each call meets each fault of the wire.
func TestEachFaultAtEachCallLeavesOneOfEverythingWhereNothingIsUnique(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, order []string, there bool, fault *pipedrivetest.Fault) (calls int) {
		w, account := newPipedrive(t)
		if there {
			account.Add(pipedrivetest.Person{Emails: []pipedrivetest.Entry{{Value: "Ada@example.com", Primary: true}}})
			w.advance(time.Hour)
		}
		before := len(account.Calls())
		if fault != nil {
			account.Script(*fault)
		}
		w.enquiry("ada", order...)
		w.pump()
		w.revise("ada", 2)
		w.settle()
		w.advance(time.Hour) // what is still inside the vendor lands
		w.oneOfEach(account)
		return len(account.Calls()) - before
	}
	for name, order := range map[string][]string{"contact first": contactFirst, "note first": noteFirst} {
		for _, there := range []bool{false, true} {
			calls := run(t, order, there, nil)
			if calls < 10 {
				t.Fatalf("a clean run has only %d calls", calls)
			}
			for kind := pipedrivetest.FailBefore; kind <= pipedrivetest.TurnedAway; kind++ {
				for at := range calls {
					t.Run(fmt.Sprintf("%s/there=%v/fault%d/call%d", name, there, kind, at), func(t *testing.T) {
						t.Parallel()
						run(t, order, there, &pipedrivetest.Fault{Kind: kind, Skip: at})
					})
				}
			}
		}
	}
}

// The same of each write of the ledger and each call of the adapter, of which the
// process may end.
func TestEachFaultAtEachPointLeavesOneOfEverythingWhereNothingIsUnique(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, order []string, at int, f fault) (points int) {
		w, account := newPipedrive(t)
		w.store.points.plan = func(n int) fault {
			if n == at {
				return f
			}
			return fine
		}
		w.crm = &scripted{CRM: w.crm, points: &w.store.points}
		w.enquiry("ada", order...)
		w.pump()
		w.revise("ada", 2)
		w.settle()
		w.oneOfEach(account)
		return w.store.points.n
	}
	for name, order := range map[string][]string{"contact first": contactFirst, "note first": noteFirst} {
		points := run(t, order, 0, fine)
		if points < 12 {
			t.Fatalf("a clean run has only %d points", points)
		}
		for at := 1; at <= points; at++ {
			for f := failNotWrite; f < numberOfFault; f++ {
				t.Run(fmt.Sprintf("%s/point%d/fault%d", name, at, f), func(t *testing.T) {
					t.Parallel()
					run(t, order, at, f)
				})
			}
		}
	}
}

// An answer that is lost is not repeated before the search can show what it made.
func TestALostCreationIsLookedForWhenTheSearchKnows(t *testing.T) {
	t.Parallel()
	w, account := newPipedrive(t)
	before := len(account.Calls())
	account.Script(pipedrivetest.Fault{Kind: pipedrivetest.LandLater, Writes: true})
	w.enquiry("ada", outbox.CRMContact)
	w.pump()
	begun := w.clock()
	first := len(account.Calls()) - before
	for w.clock().Sub(begun) < time.Hour && len(account.Calls())-before == first {
		w.advance(time.Minute)
		w.sweep()
		w.pump()
	}
	is := w.crm.Capabilities()
	if waited := w.clock().Sub(begun); waited < is.InFlight+is.IndexLag || waited > 30*time.Minute {
		t.Errorf("looked again after %v", waited)
	}
	if op := w.op("crm_contactada"); op.State != outbox.Done || len(account.Persons()) != 1 {
		t.Errorf("the operation is %s (%s), of %d persons", op.State, op.Reason, len(account.Persons()))
	}
}
