package decide_test

import (
	"fmt"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/contact"
)

// Contacts all of them, five proven and the rest in doubt: the most that each
// commit of a report can come to.
func TestTheLongestReportFitsACommit(t *testing.T) {
	t.Parallel()
	for _, n := range []int{5, 24, 29, 30, 60, 200} {
		var list []rawmail.Suppression
		var marks []string
		for i := range n {
			list = append(list, rawmail.Suppression{Address: fmt.Sprintf("p%d@example.net", i), Hard: true})
			if i < 5 {
				marks = append(marks, list[i].Address)
			}
		}
		g := proved(t, ground(t, report(rawmail.Complaint, list...), tenant.ModeAuto), marks...)
		con := func(i int, k string) *contact.Contact {
			return &contact.Contact{Tenant: "demo", ID: fmt.Sprintf("contact-%d", i), Status: contact.Active, Keys: []string{k}, ConsentVersion: 3, Transition: 7, Version: 1}
		}
		g.Seen.Contact = con(1000, g.Person.KeyID)
		g.Seen.Key = &contact.Key{Tenant: "demo", ID: g.Person.KeyID, Contact: "contact-1000", Version: 1}
		for i := range g.Also {
			g.Also[i].Contact = con(i, g.Also[i].Person.KeyID)
			g.Also[i].Key = &contact.Key{Tenant: "demo", ID: g.Also[i].Person.KeyID, Contact: fmt.Sprintf("contact-%d", i), Version: 1}
		}
		for round := 0; ; round++ {
			c, err := decide.StopGround(g, key(t))
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Writes) == 0 {
				break
			}
			if len(c.Writes) > ledger.MaxWrites || round > 20 {
				t.Fatalf("%d: %d writes round %d", n, len(c.Writes), round)
			}
			after := map[string]ledger.Item{}
			for _, w := range c.Writes {
				if w.Key.Entity == ledger.Guard {
					after[w.Key.ID] = w.Apply(nil)
				}
			}
			for i := range g.Also {
				if it := after[g.Also[i].Person.GuardID]; it != nil {
					g.Also[i].Guard = it
				}
			}
		}
		res := decideOn(t, g)
		if len(res.Commit.Writes) > ledger.MaxWrites {
			t.Errorf("%d recipients: %d writes", n, len(res.Commit.Writes))
		}
	}
}
