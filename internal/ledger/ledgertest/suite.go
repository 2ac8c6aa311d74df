// Package ledgertest is what every ledger.Store and ledger.Feed must pass: the
// contract of the port, as tests.
//
// It owns the meaning of "conforms": a rule of the contract that a store could
// break unseen belongs here. It asserts nothing that the contract leaves open,
// such as the order of equal sort values, and nothing about time beyond the
// lag that the opener allows. Every test works under a tenant of its own, so
// that one store may serve all of them, and whatever else is in it.
package ledgertest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"reflect"
	"testing"
	"time"

	"onefold/internal/ledger"
)

// Opened is a store under test.
type Opened struct {
	Store ledger.Store
	Feed  ledger.Feed
	// Lag is how long an index or the feed may be behind. The suite polls that
	// long before it calls something missing.
	Lag time.Duration
	// Concurrency is how many goroutines race; 8 if zero.
	Concurrency int
	// Reopen ends the process's part of the store and opens it again, as a new
	// process would find it; the old values are not used afterwards. Nil skips
	// what needs it. It must not disturb a store that another test uses.
	Reopen func(t *testing.T) Opened
}

// Suite runs the contract. open is called once for each test, and may give
// one shared store each time.
func Suite(t *testing.T, open func(t *testing.T) Opened) {
	for _, part := range []struct {
		name string
		test func(*bench)
	}{
		{"ConditionOperators", conditionOperators},
		{"RandomConditionsAgreeWithHolds", randomConditions},
		{"ConditionsOfUpdateAndCreate", conditionsOfWrites},
		{"OneRefusedWriteLeavesNone", atomicity},
		{"RefusalNamesWritesAndShowsItems", refusal},
		{"CreateOnceThenUpdateRaisesVersion", versions},
		{"UpdateChangesNamedAttributesOnly", updates},
		{"UpdateOfMissingItemIsRefused", updateMissing},
		{"CheckWritesNothing", checkOnly},
		{"InvalidCommitsWriteNothing", invalidCommits},
		{"MostWritesOfACommit", mostWrites},
		{"CancelledContextWritesNothing", cancelled},
		{"ValuesComeBackAsTheyWere", values},
		{"ReturnedItemsAreCopies", copies},
		{"UnusualWordsInKeys", unusualKeys},
		{"KeysDoNotRunTogether", keysApart},
		{"ControlCharactersInKeysAreInvalid", controlCharacters},
		{"GetManyAnswersInOrder", getMany},
		{"ListIsOrderedAndPaged", list},
		{"ListKeepsToItsParent", listParent},
		{"QueryIsOrderedAndPaged", query},
		{"QueryPagesThroughEqualSortValues", queryEqual},
		{"IndexIsSparse", sparse},
		{"InvalidReadsAreRefused", invalidReads},
		{"ScanSeesEveryItemOnce", scan},
		{"OneCreatorWins", oneCreator},
		{"NoUpdateIsLost", counter},
		{"TransferKeepsTheSum", transfer},
		{"ReadsSeeEarlierCommits", readsSee},
		{"RefusedCommitsDoNotTouchOthers", mixed},
		{"FeedHandsOutEveryImageInOrder", feedImages},
		{"FeedConsumersAreApart", feedConsumers},
		{"FeedEndsWithItsContext", feedContext},
		{"FeedRefusesWhatHasNoStream", feedInvalid},
		{"FeedHandsOutAgainWhatIsNotDone", feedReopen},
		{"ReopenKeepsEverything", reopenKeeps},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			o := open(t)
			if o.Concurrency == 0 {
				o.Concurrency = 8
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			t.Cleanup(cancel)
			part.test(&bench{T: t, Opened: o, ctx: ctx, tenant: "t-" + random()})
		})
	}
}

// bench is one test's place: its store, and a tenant that nobody else has.
type bench struct {
	*testing.T
	Opened
	ctx    context.Context
	tenant string
}

// item is an item as a test writes it.
type item = ledger.Item

func random() string {
	var b [9]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

func (b *bench) contact(id string) ledger.Key {
	return ledger.Key{Entity: ledger.Contact, Tenant: b.tenant, ID: id}
}

func (b *bench) event(id string) ledger.Key {
	return ledger.Key{Entity: ledger.Event, Tenant: b.tenant, ID: id}
}

func (b *bench) attempt(id, sub string) ledger.Key {
	return ledger.Key{Entity: ledger.Attempt, Tenant: b.tenant, ID: id, Sub: sub}
}

func create(k ledger.Key, it item) ledger.Write {
	return ledger.Write{Name: "create", Op: ledger.OpCreate, Key: k, Item: it}
}

func update(k ledger.Key, cond ledger.Cond, set item, remove ...string) ledger.Write {
	return ledger.Write{Name: "update", Op: ledger.OpUpdate, Key: k, If: cond, Set: set, Remove: remove}
}

func check(k ledger.Key, cond ledger.Cond) ledger.Write {
	return ledger.Write{Name: "check", Op: ledger.OpCheck, Key: k, If: cond}
}

// commit commits the writes, again after contention.
func (b *bench) commit(writes ...ledger.Write) error {
	for {
		err := b.Store.Commit(b.ctx, ledger.Commit{Writes: writes})
		if !errors.Is(err, ledger.ErrContention) || b.ctx.Err() != nil {
			return err
		}
	}
}

// must commits what has to be accepted.
func (b *bench) must(writes ...ledger.Write) {
	b.Helper()
	if err := b.commit(writes...); err != nil {
		b.Fatalf("commit: %v", err)
	}
}

// refused commits what has to be refused.
func (b *bench) refused(writes ...ledger.Write) *ledger.Refused {
	b.Helper()
	err := b.commit(writes...)
	r, ok := ledger.AsRefused(err)
	if !ok {
		b.Fatalf("commit: got %v, want a refusal", err)
	}
	return r
}

func (b *bench) get(k ledger.Key) item {
	b.Helper()
	it, err := b.Store.Get(b.ctx, k)
	if err != nil {
		b.Fatalf("get %s: %v", k.Entity, err)
	}
	return it
}

// stored is an item as the store must hold it at a version.
func stored(k ledger.Key, version int64, attrs item) item {
	it := attrs.Clone()
	it["entity"], it["tenant"], it["id"] = string(k.Entity), k.Tenant, k.ID
	it["schema"], it["version"] = int64(1), version
	if k.Sub != "" {
		it["sub"] = k.Sub
	}
	return it
}

func (b *bench) same(what string, got, want item) {
	b.Helper()
	if !reflect.DeepEqual(got, want) {
		b.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func (b *bench) invalid(what string, err error) {
	b.Helper()
	if !errors.Is(err, ledger.ErrInvalid) {
		b.Errorf("%s: got %v, want ErrInvalid", what, err)
	}
}

// within polls until ok holds, for as long as an index may lag.
func (b *bench) within(what string, ok func() bool) {
	b.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(b.Lag); !ok(); <-tick.C {
		if time.Now().After(end) {
			b.Fatalf("%s: not so after %v", what, b.Lag)
		}
	}
}
