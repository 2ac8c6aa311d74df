package versions_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
)

// identified is the example under a version, with one word of its identity
// rule put differently.
func identified(version int, old, changed string) []byte {
	return []byte(strings.Replace(string(document(version, "One")), old, changed, 1))
}

// Keys that were stored under another rule would no longer be found: one
// address would get a second contact, and a second mail.
func TestAnotherIdentityRuleIsRefused(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		b := newBook(store)
		apply(t, b, document(1, "One"))
		before := policyRows(t, store)
		for old, changed := range map[string]string{
			`"identity": { "version": 1`: `"identity": { "version": 2`,
			`"keep_local_case": false`:   `"keep_local_case": true`,
			`"fold_dots": false`:         `"fold_dots": true`,
			`"fold_plus": false`:         `"fold_plus": true`,
			`{ "version": 1, "keep_local_case": false, "fold_dots": false, "fold_plus": false }`: `{ "version": 2, "fold_plus": true }`,
		} {
			doc := identified(2, old, changed)
			if _, err := tenant.Parse(doc); err != nil || string(doc) == string(document(2, "One")) {
				t.Fatalf("%s: the document has to be a valid other one: %v", changed, err)
			}
			if _, err := b.Apply(t.Context(), doc, "x"); !errors.Is(err, versions.ErrIdentityChanged) {
				t.Errorf("%s: %v, want ErrIdentityChanged", changed, err)
			}
		}
		if !reflect.DeepEqual(policyRows(t, store), before) {
			t.Error("a refused document changed the ledger")
		}
		inForce(t, b, 1, "One")
	})
}

func TestTheSameIdentityRuleMayBeWrittenOtherwise(t *testing.T) {
	t.Parallel()
	b := newBook(mem.New())
	apply(t, b, document(1, "One"))
	// What is left out is false, and the version 1.
	apply(t, b, identified(2, `"identity": { "version": 1, "keep_local_case": false, "fold_dots": false, "fold_plus": false },`, ""))
	inForce(t, b, 2, "One")
}

func TestTheFirstPolicyMayHaveAnyIdentityRule(t *testing.T) {
	t.Parallel()
	b := newBook(mem.New())
	apply(t, b, identified(1, `"fold_plus": false`, `"fold_plus": true`))
	// From then on that rule is the one to keep.
	if _, err := b.Apply(t.Context(), document(2, "Two"), "x"); !errors.Is(err, versions.ErrIdentityChanged) {
		t.Errorf("back to the former rule: %v, want ErrIdentityChanged", err)
	}
}
