package crmsync_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/record/outbox"
)

var people = flag.Int("people", 334, "how many people the bad day has")

// A bad day: one call in five goes wrong in one of the ways that it can, workers
// die, and for six hours the account is not reached. 3,334 people with a note and
// a task each are 10,002 operations (make badday); here it is a tenth of them.
func TestABadDayLosesNothingAndMakesNothingTwice(t *testing.T) {
	t.Parallel()
	people := *people
	v := newVendor()
	w := newWorld(t, nil)
	r := rand.New(rand.NewPCG(7, 13))
	faults := true
	w.store.points.plan = func(int) fault {
		if !faults || r.IntN(5) > 0 {
			return fine
		}
		return fault(1 + r.IntN(int(numberOfFault)-1))
	}
	w.crm = &scripted{CRM: v, points: &w.store.points}
	order := map[string]int{}
	for n := range people {
		w.enquiry(fmt.Sprint("p", n), noteFirst...)
		if n%5 == 0 {
			w.revise(fmt.Sprint("p", n), 2)
			order[fmt.Sprint("p", n)] = 2
		}
	}
	const step = 5 * time.Minute
	for at := time.Duration(0); at < 40*time.Hour; at += step {
		if at == time.Hour {
			v.is(&unreachable)
		} else if at == 7*time.Hour {
			v.is(nil)
		}
		faults = at < 30*time.Hour // what was left to the last hours is worked off
		w.pump()
		w.sweep()
		w.advance(step)
	}
	w.pump()
	states := map[string]int{}
	for cursor := ""; ; {
		page, err := w.store.Store.Scan(t.Context(), ledger.Scan{Table: "outbox", Segments: 1, Limit: 1000, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			states[it.Text("state")]++
			if s := it.Text("state"); s != outbox.Done && s != outbox.Superseded && it.Text("reason") == "" {
				t.Errorf("%s is %s without a reason", it.Text("id"), s)
			}
			if s := it.Text("state"); s == outbox.Open || s == outbox.Waiting {
				t.Errorf("%s is still %s (%s)", it.Text("id"), s, it.Text("reason"))
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	t.Logf("%d people: operations by state %v; the CRM made %v; %d looks", people, states, v.made, v.looks)
	if v.made["contact"] > people || v.made["note"] > people || v.made["task"] > people {
		t.Errorf("made %v for %d people", v.made, people)
	}
	parked := states[outbox.Parked] + states[outbox.Refused]
	if made := v.made["contact"] + v.made["note"] + v.made["task"]; made+parked < 3*people {
		t.Errorf("%d records and %d operations with a person are less than %d", made, parked, 3*people)
	}
	for id, revision := range order {
		if got := v.content("contact/" + id); got != "" && got != fmt.Sprint("Revision ", revision) {
			t.Errorf("%s ended as %q", id, got)
		}
	}
	w.sound()
}
