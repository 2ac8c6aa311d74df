package rekey_test

import (
	"context"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/record/inbound"
)

// Two who are one under the next rule may be merged, and split again when that
// rule is ready or in force: neither is left without a key under it, and what
// comes from either goes to a person.
func TestASplitOfTwoWhoAreOneUnderTheRuleLeavesNobodyWithoutAKey(t *testing.T) {
	t.Parallel()
	for _, loser := range []string{"ada@example.org", "ada+x@example.org"} {
		for _, first := range []string{"ada@example.org", "ada+x@example.org"} {
			for _, when := range []string{"before", "begun", "ready", "in force"} {
				name := loser + " after " + first + ", " + when
				w := newWorld(t, ruleOne)
				w.form(first)
				stays := "ada@example.org"
				if loser == stays {
					stays = "ada+x@example.org"
				}
				w.form(loser)
				w.form(stays)
				a, b := w.holder("email:"+loser), w.holder("email:"+stays)
				w.merge(a, b)
				split := func(at string) {
					if at != when {
						return
					}
					s := contacts.Service{Store: w.store, Policies: w.book(), IDs: w.ids, Now: w.clock}
					_, err := s.Do(context.Background(), contacts.Act{Tenant: "demo", Kind: contacts.Split, Contact: a}, "person:tester", "")
					w.ok(err)
					w.sound(name)
				}
				split("before")
				w.apply(toFold)
				split("begun")
				rep := w.migrate()
				if asks := when == "before" || when == "begun"; rep.Ready == asks {
					t.Fatalf("%s: %+v", name, rep)
				}
				if !rep.Ready {
					for _, task := range w.tasks("identity_collision") {
						w.ok(w.answer(task, "approve"))
					}
					if rep = w.migrate(); !rep.Ready {
						t.Fatalf("%s: answered, %+v", name, rep)
					}
				}
				split("ready")
				w.apply(folded)
				split("in force")
				w.sound(name)
				for _, from := range []string{loser, stays, "ada+new@example.org"} {
					if e := w.form(from); e.Text("state") != inbound.InReview {
						t.Errorf("%s: a form of one of the two is %s of %q", name, e.Text("outcome"), e.Text("contact"))
					}
				}
				if n := len(w.rows(ledger.Contact)); n != 2 {
					t.Errorf("%s: %d contacts", name, n)
				}
			}
		}
	}
}
