package versions_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/utc"
)

const (
	ruleOne  = `"identity": { "version": 1, "keep_local_case": false, "fold_dots": false, "fold_plus": false },`
	toTwo    = ruleOne + `"identity_next": { "version": 2, "fold_plus": true },`
	toThree  = ruleOne + `"identity_next": { "version": 3, "fold_dots": true },`
	ruleTwo  = `"identity": { "version": 2, "fold_plus": true },`
	otherTwo = ruleOne + `"identity_next": { "version": 2, "fold_dots": true },`
)

// ruled is the example under a version and with an identity part.
func ruled(t *testing.T, version int, rule string) []byte {
	t.Helper()
	doc := string(document(version, fmt.Sprint("Version ", version)))
	if !strings.Contains(doc, ruleOne) {
		t.Fatal("the example's rule is written otherwise")
	}
	return []byte(strings.Replace(doc, ruleOne, rule, 1))
}

func refuses(t *testing.T, b *versions.Book, doc []byte, want error) {
	t.Helper()
	before := policyRows(t, b.Store)
	if _, err := b.Apply(t.Context(), doc, "x"); !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
	if !reflect.DeepEqual(policyRows(t, b.Store), before) {
		t.Error("a refused document changed the ledger")
	}
}

func stateOf(t *testing.T, b *versions.Book, rule int64, want string) contact.Migration {
	t.Helper()
	m, ok, err := b.Migration(t.Context(), "demo", rule)
	if err != nil || ok != (want != "") || m.State != want {
		t.Fatalf("the migration to rule %d is %q (%t, %v), want %q", rule, m.State, ok, err, want)
	}
	return m
}

// move puts a migration where policy migrate would have brought it.
func move(t *testing.T, store ledger.Store, rule int64, events ...string) {
	t.Helper()
	for _, event := range events {
		k := versions.MigrationKey("demo", rule)
		it, err := store.Get(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		var c ledger.Commit
		if _, err := c.Move(ledger.Step{
			Key: k, Machine: contact.MigrationMachine(), From: it.Text("state"), Transition: it.Int("transition"), Event: event,
			Set: ledger.Item{"pass": 3, "cursor": "somewhere", "segment": 2}, Audit: audit.Record{At: utc.At(time.Unix(1, 0)), By: "test"},
		}); err != nil {
			t.Fatal(err)
		}
		if err := store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARuleComesIntoForceOnlyWhenItsMigrationIsReady(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		b := newBook(store)
		apply(t, b, ruled(t, 1, ruleOne))
		stateOf(t, b, 2, "")
		refuses(t, b, ruled(t, 2, ruleTwo), versions.ErrIdentityChanged)
		apply(t, b, ruled(t, 2, toTwo))
		stateOf(t, b, 2, contact.MigrationStarted)
		refuses(t, b, ruled(t, 3, ruleTwo), versions.ErrNotReady)
		// A change of something else is no step of the migration.
		apply(t, b, ruled(t, 3, toTwo))
		m := stateOf(t, b, 2, contact.MigrationStarted)
		if m.Transition != 1 || m.From != 1 || m.PolicyVersion != 2 {
			t.Errorf("%+v", m)
		}
		move(t, store, 2, contact.MigrationBegin)
		refuses(t, b, ruled(t, 4, ruleTwo), versions.ErrNotReady)
		move(t, store, 2, contact.MigrationFinish)
		// Not with a further one at once, nor with any other rule.
		refuses(t, b, ruled(t, 4, ruleTwo+`"identity_next": { "version": 3, "fold_dots": true },`), versions.ErrIdentityChanged)
		refuses(t, b, ruled(t, 4, `"identity": { "version": 2, "fold_dots": true },`), versions.ErrIdentityChanged)
		apply(t, b, ruled(t, 4, ruleTwo))
		stateOf(t, b, 2, contact.MigrationActive)
		inForce(t, b, 4, "Version 4")
		refuses(t, b, ruled(t, 5, ruleOne), versions.ErrIdentityChanged)
		apply(t, b, ruled(t, 5, ruleTwo+`"identity_next": { "version": 3 },`))
		stateOf(t, b, 3, contact.MigrationStarted)
	})
}

func TestAMigrationThatIsBrokenOffMayBeBegunAgainFromTheStart(t *testing.T) {
	t.Parallel()
	for _, at := range [][]string{nil, {contact.MigrationBegin}, {contact.MigrationBegin, contact.MigrationFinish}} {
		store := mem.New()
		b := newBook(store)
		apply(t, b, ruled(t, 1, toTwo))
		move(t, store, 2, at...)
		apply(t, b, ruled(t, 2, ruleOne))
		stateOf(t, b, 2, contact.MigrationAborted)
		refuses(t, b, ruled(t, 3, ruleTwo), versions.ErrIdentityChanged)
		apply(t, b, ruled(t, 3, toTwo))
		m := stateOf(t, b, 2, contact.MigrationStarted)
		if m.Pass != 0 || m.Cursor != "" || m.Segment != 0 || m.PolicyVersion != 3 {
			t.Errorf("begun again with %+v", m)
		}
		refuses(t, b, ruled(t, 4, ruleTwo), versions.ErrNotReady)
		// Another rule in its place ends it too.
		apply(t, b, ruled(t, 4, toThree))
		stateOf(t, b, 2, contact.MigrationAborted)
		stateOf(t, b, 3, contact.MigrationStarted)
	}
}

// Keys are named by the version of their rule: under two rules of one version
// one key would be two people's.
func TestAVersionOfTheRuleIsOneRuleForEver(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		b := newBook(store)
		apply(t, b, ruled(t, 1, toTwo))
		refuses(t, b, ruled(t, 2, otherTwo), versions.ErrRuleBound)
		apply(t, b, ruled(t, 2, ruleOne))
		refuses(t, b, ruled(t, 3, otherTwo), versions.ErrRuleBound)
		apply(t, b, ruled(t, 3, toThree))
	})
}

// between runs something after the read and before the commit.
type between struct {
	ledger.Store
	do func()
}

func (b *between) Commit(ctx context.Context, c ledger.Commit) error {
	if do := b.do; do != nil {
		b.do = nil
		do()
	}
	return b.Store.Commit(ctx, c)
}

// A pass that begins between the read and the commit: what it will find is not
// known, so the rule does not come into force.
func TestARuleDoesNotComeIntoForceOnAStateThatHasMoved(t *testing.T) {
	t.Parallel()
	store := mem.New()
	b := newBook(store)
	apply(t, b, ruled(t, 1, toTwo))
	move(t, store, 2, contact.MigrationBegin, contact.MigrationFinish)
	b.Store = &between{store, func() { move(t, store, 2, contact.MigrationBegin) }}
	if _, err := b.Apply(t.Context(), ruled(t, 2, ruleTwo), "x"); !errors.Is(err, versions.ErrNotReady) {
		t.Errorf("%v, want ErrNotReady", err)
	}
	// It is broken off all the same, whatever state it has come to.
	b.Store = &between{store, func() { move(t, store, 2, contact.MigrationFinish) }}
	apply(t, b, ruled(t, 2, ruleOne))
	b.Store = store
	stateOf(t, b, 2, contact.MigrationAborted)
}
