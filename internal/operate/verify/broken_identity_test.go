package verify_test

import (
	"strings"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/operate/verify"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
)

const ruleOne = `"identity": { "version": 1, "keep_local_case": false, "fold_dots": false, "fold_plus": false },`

// migrates puts a policy in force that names a next rule, and says of its
// migration what the test wants.
func (w *world) migrates(state string) {
	w.t.Helper()
	book := &versions.Book{Store: w.store, Now: func() time.Time { return w.now }}
	doc := strings.Replace(string(policy()), ruleOne, ruleOne+`"identity_next": { "version": 2, "fold_plus": true },`, 1)
	doc = strings.Replace(doc, "\"version\": 1,\n  \"name\"", "\"version\": 2,\n  \"name\"", 1)
	if _, err := book.Apply(w.t.Context(), []byte(doc), "person:tester"); err != nil {
		w.t.Fatal(err)
	}
	w.set(versions.MigrationKey("demo", 2), ledger.Item{"state": state})
}

// allForms puts the next form of each key, as the migration does.
func (w *world) allForms() {
	w.t.Helper()
	for _, it := range w.rows(ledger.ContactKey.Table()) {
		if k := ledger.KeyOf(it); k.Entity == ledger.ContactKey {
			_, value, _ := contact.EmailKey(k.ID)
			w.put(key(ledger.ContactKey, contact.EmailKeyID(2, value)), ledger.Item{"contact": it.Text("contact")})
		}
	}
}

func identityBreaches() []breach {
	return []breach{
		{"a key without its next form", "next_forms", func(w *world) { w.migrates(contact.MigrationReady) }},
		{"a next form of another", "next_forms", func(w *world) {
			w.migrates(contact.MigrationReady)
			w.allForms()
			w.set(key(ledger.ContactKey, "email.v2:ada@example.org"), ledger.Item{"contact": w.contactOf("bob@example.org").ID})
		}},
		{"no key under the rule in force", "keys_in_force", func(w *world) {
			k := key(ledger.PolicyCurrent, "policy")
			doc := strings.Replace(string(policy()), ruleOne, `"identity": { "version": 2 },`, 1)
			w.set(k, ledger.Item{"document": doc})
		}},
	}
}

func TestBrokenIdentitiesAreFound(t *testing.T) {
	t.Parallel()
	try(t, identityBreaches())
}

// What is no breach: forms are missing until the migration is ready, and a
// shared form, or an open question about it, is what two people have in common.
func TestAMigrationUnderWayIsNoBreach(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(w *world){
		"started": func(w *world) { w.migrates(contact.MigrationStarted) },
		"adding":  func(w *world) { w.migrates(contact.MigrationAdding) },
		"ready":   func(w *world) { w.migrates(contact.MigrationReady); w.allForms() },
		"shared": func(w *world) {
			w.migrates(contact.MigrationReady)
			w.allForms()
			w.set(key(ledger.ContactKey, "email.v2:ada@example.org"), ledger.Item{"contact": w.contactOf("bob@example.org").ID, "shared": true})
		},
		"asked": func(w *world) {
			w.migrates(contact.MigrationReady)
			w.allForms()
			w.set(key(ledger.ContactKey, "email.v2:ada@example.org"), ledger.Item{"contact": w.contactOf("bob@example.org").ID})
			w.put(key(ledger.ReviewTask, "asked"), ledger.Item{"kind": "identity_collision", "state": "open", "open_for": "demo", "key": "email.v2:ada@example.org"})
		},
	} {
		w := busy(t)
		do(w)
		for _, f := range w.check(verify.Options{}).Findings {
			if f.Check == "next_forms" || f.Check == "keys_in_force" || f.Check == "keys_lead_back" {
				t.Errorf("%s: %s", name, f.What)
			}
		}
	}
}
