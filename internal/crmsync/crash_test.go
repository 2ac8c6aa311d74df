package crmsync_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"onefold/internal/crm"
	"onefold/internal/record/outbox"
)

// Every write of the ledger and every call of the CRM, one after the other,
// goes wrong in each way that it can. Real: the adapter, on the wire.
func TestEachFaultAtEachPointLeavesOneOfEverything(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][]string{"contact first": contactFirst, "note first": noteFirst} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, client := newHubSpot(t)
			run := func(who string, at int, f fault) (points int) {
				w := newWorld(t, nil)
				w.store.points.plan = func(n int) fault {
					if n == at {
						return f
					}
					return fine
				}
				w.crm = &scripted{CRM: client, points: &w.store.points}
				w.enquiry(who, order...)
				w.settle()
				w.allDone("crm_contact"+who, "crm_note"+who, "crm_task"+who)
				w.sound()
				found := ""
				for _, r := range server.Contacts() {
					if r.Properties["email"] == who+"@example.com" {
						found += r.ID
					}
				}
				if m := w.mapping(who); found == "" || m.CRMID != found {
					t.Errorf("fault %d at %d: records %q, mapping %q", f, at, found, m.CRMID)
				}
				return w.store.points.n
			}
			total := run("clean", 0, fine)
			if total < 9 {
				t.Fatalf("a clean run has only %d points", total)
			}
			people := 1
			for at := 1; at <= total; at++ {
				for f := failNotWrite; f < numberOfFault; f++ {
					run(fmt.Sprintf("p%d-%d", at, f), at, f)
					people++
				}
			}
			if c, n, k := len(server.Contacts()), len(server.Notes()), len(server.Tasks()); c != people || n != people || k != people {
				t.Errorf("%d people have %d contacts, %d notes, %d tasks", people, c, n, k)
			}
		})
	}
}

// Many faults in one schedule, two revisions, a lagging index in half of them.
func TestManyFaultsAtOnceLeaveOneOfEverything(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		v := newVendor()
		w := newWorld(t, nil)
		r := rand.New(rand.NewPCG(seed, 1))
		w.store.points.plan = func(n int) fault {
			if n > 40 || r.IntN(5) > 0 {
				return fine
			}
			return fault(1 + r.IntN(int(numberOfFault)-1))
		}
		w.store.lag = seed%2 == 0
		var c crm.CRM = &scripted{CRM: v, points: &w.store.points}
		w.crm = c
		w.enquiry("ada", noteFirst...)
		w.revise("ada", 2)
		w.settle()
		for _, op := range w.operations() {
			if op.State != outbox.Done && op.State != outbox.Superseded {
				t.Errorf("seed %d: %s is %s (%s)", seed, op.ID, op.State, op.Reason)
			}
		}
		if got := v.content("contact/ada"); got != "Revision 2" || v.made["contact"] != 1 || v.made["note"] != 1 || v.made["task"] != 1 {
			t.Errorf("seed %d: the CRM has %q, made %v", seed, got, v.made)
		}
		w.sound()
		if t.Failed() {
			return
		}
	}
}
