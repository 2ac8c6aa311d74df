package extract_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
)

// migrating puts a policy in force under which tags behind a + are no longer to
// tell people apart.
func (w *world) migrating() {
	w.t.Helper()
	const rule = `"identity": { "version": 1, "keep_local_case": false, "fold_dots": false, "fold_plus": false },`
	doc := strings.NewReplacer(`"mode": "draft"`, `"mode": "auto"`, rule, rule+`"identity_next": { "version": 2, "fold_plus": true },`, `"version": 1,
  "name"`, `"version": 2,
  "name"`).Replace(string(tenant.Example()))
	w.policy(doc)
}

func (w *world) mailsAtOnce(schedule string, from ...string) []ledger.Key {
	w.t.Helper()
	keys := make([]ledger.Key, len(from))
	for i, f := range from {
		id := fmt.Sprint("E-", i)
		keys[i] = w.record("hello@demo.example", id, rawMail(id, f, "Huts", body))
	}
	w.together(stores(w, len(keys))[schedule](), keys...)
	return keys
}

// E-43 and E-44 while a migration is under way: one contact, one key of each
// form.
func TestMailsOfOneAddressAtOnceDuringAMigrationMakeOneContact(t *testing.T) {
	t.Parallel()
	for _, schedule := range []string{"meeting", "free"} {
		for _, knownBefore := range []bool{false, true} {
			for n := 2; n <= 6; n++ {
				w := newWorld(t, tenant.ModeAuto)
				more := 0
				if knownBefore {
					more = 1
					w.settle(w.service(w.store, w.reader), w.record("hello@demo.example", "first", rawMail("first", "ada+hut@example.org", "Huts", body)))
				}
				w.migrating()
				spellings := []string{"ada+hut@example.org", "Ada+Hut@Example.ORG", "ADA+hut@example.org"}
				var from []string
				for i := range n {
					from = append(from, spellings[i%3])
				}
				w.mailsAtOnce(schedule, from...)
				w.wants(map[ledger.Entity]int{
					ledger.Contact: 1, ledger.ContactKey: 2, ledger.Enquiry: n + more, ledger.Intent: 1, ledger.ReviewTask: 0,
				})
				var c contact.Contact
				if err := w.all(ledger.Contact)[0].Decode(&c); err != nil {
					t.Fatal(err)
				}
				slices.Sort(c.Keys)
				if want := []string{"email.v2:ada@example.org", "email:ada+hut@example.org"}; !slices.Equal(c.Keys, want) {
					t.Errorf("it lists %v, want %v", c.Keys, want)
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// Addresses that the rule in force takes for two people and the next one for
// one, at once: the first has both forms, and of every other a person decides.
func TestAddressesOfOneNextFormAtOnceMakeOneContact(t *testing.T) {
	t.Parallel()
	for _, schedule := range []string{"meeting", "free"} {
		for n := 2; n <= 6; n++ {
			w := newWorld(t, tenant.ModeAuto)
			w.migrating()
			var from []string
			for i := range n {
				from = append(from, fmt.Sprintf("ada+%d@example.org", i))
			}
			keys := w.mailsAtOnce(schedule, from...)
			w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.ContactKey: 2, ledger.Enquiry: 1, ledger.Intent: 1, ledger.ReviewTask: n - 1})
			first := w.all(ledger.Contact)[0].Text("id")
			for _, k := range keys {
				if w.event(k).State != inbound.InReview {
					continue
				}
				if task := w.task(k); !slices.Contains(task.Reasons, match.ReasonRuleCollision) || !slices.Equal(task.Candidates, []string{first}) {
					t.Errorf("asked %v about %v", task.Reasons, task.Candidates)
				}
			}
			if t.Failed() {
				return
			}
		}
	}
}

// A wish not to be mailed whose address becomes another's under the next rule
// just before it commits: the consent of that contact is withdrawn too.
func TestAnOptOutDoesNotMissWhomTheNextFormNamesByThen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.migrating()
	stop := w.record("hello@demo.example", "m1", rawMail("m1", "ada@example.org", "Stop", "unsubscribe"))
	ask := w.record("hello@demo.example", "m2", rawMail("m2", "ada+hut@example.org", "Huts", body))
	s := &before{Store: w.store, once: func() { w.settle(w.service(w.store, w.reader), ask) }}
	w.settle(w.service(s, w.reader), stop)
	if got := w.event(stop).Outcome; got != inbound.OptedOut {
		t.Fatalf("the opt-out is %s", got)
	}
	w.checkNothingToClaim("of the next form")
	if n := w.all(ledger.Contact)[0].Int("consent_version"); n != 2 {
		t.Errorf("consent version %d, want 2", n)
	}
}

// The key that is missing appears before the commit, by the migration: the
// decision is made again, and changes nothing of it.
func TestAFormThatIsAddedMeanwhileIsNotPutTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	a := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	w.settle(w.service(w.store, w.reader), a)
	w.migrating()
	b := w.record("hello@demo.example", "m2", rawMail("m2", ada, "Huts", body))
	id := w.all(ledger.Contact)[0].Text("id")
	s := &before{Store: w.store, once: func() {
		var c ledger.Commit
		k := contact.Key{Tenant: "demo", ID: contact.EmailKeyID(2, "ada@example.org"), Contact: id, RuleVersion: 2}
		if err := c.Create("next_key", ledger.ContactKey.At("demo", k.ID), k); err != nil {
			t.Error(err)
		}
		if err := w.store.Commit(t.Context(), c); err != nil {
			t.Error(err)
		}
	}}
	w.settle(w.service(s, w.reader), b)
	w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.ContactKey: 2, ledger.Enquiry: 2, ledger.ReviewTask: 0})
}
