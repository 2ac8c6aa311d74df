package versions_test

// Real: the book, ledger/mem, ledger/bolt. Fake: time. What may be asserted:
// what the book answers and what the ledger then holds.

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/bolt"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/schema"
)

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// document is the example under a version, with a business name of its own.
func document(version int, name string) []byte {
	return []byte(strings.NewReplacer(`"version": 1,
  "name": "Fernweh Hiking Ltd"`, fmt.Sprintf(`"version": %d,
  "name": %q`, version, name)).Replace(string(tenant.Example())))
}

func newBook(store ledger.Store) *versions.Book {
	return &versions.Book{Store: store, Now: func() time.Time { return start }}
}

func onEachStore(t *testing.T, rule func(t *testing.T, store ledger.Store)) {
	t.Run("mem", func(t *testing.T) { t.Parallel(); rule(t, mem.New()) })
	t.Run("bolt", func(t *testing.T) {
		t.Parallel()
		s, err := bolt.Open(filepath.Join(t.TempDir(), "ledger"), bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		rule(t, s)
	})
}

func apply(t *testing.T, b *versions.Book, doc []byte) tenant.Policy {
	t.Helper()
	p, err := b.Apply(t.Context(), doc, "person:kim")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// holds fails the test unless the version is stored with exactly this text.
func holds(t *testing.T, b *versions.Book, version int64, want []byte) {
	t.Helper()
	got, err := b.Document(t.Context(), "demo", version)
	if err != nil || string(got) != string(want) {
		t.Errorf("version %d: %d bytes, %v; want %d bytes", version, len(got), err, len(want))
	}
}

func inForce(t *testing.T, b *versions.Book, version int64, name string) {
	t.Helper()
	p, err := b.Fresh(t.Context(), "demo")
	if err != nil || p.Version != version || p.Name != name {
		t.Errorf("in force is version %d of %q, %v; want %d of %q", p.Version, p.Name, err, version, name)
	}
}

func policyRows(t *testing.T, s ledger.Store) map[ledger.Key]ledger.Item {
	t.Helper()
	rows := map[ledger.Key]ledger.Item{}
	for _, table := range []schema.Table{schema.Ledger, schema.Audit} {
		page, err := s.Scan(t.Context(), ledger.Scan{Table: table, Segments: 1, Limit: 1000})
		if err != nil || page.Next != "" {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			rows[ledger.KeyOf(it)] = it
		}
	}
	return rows
}

func TestVersionsAreKeptForGoodAndTheNewestIsInForce(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		b := newBook(store)
		docs := map[int64][]byte{1: document(1, "One"), 2: document(2, "Two"), 7: document(7, "Seven")}
		for _, v := range []int64{1, 2, 7} {
			if p := apply(t, b, docs[v]); p.Version != v {
				t.Errorf("applied version %d, want %d", p.Version, v)
			}
			holds(t, b, 0, docs[v])
		}
		for v, doc := range docs {
			holds(t, b, v, doc)
		}
		inForce(t, b, 7, "Seven")
		for _, absent := range []int64{3, 6, 8, -1} {
			if _, err := b.Document(t.Context(), "demo", absent); !errors.Is(err, versions.ErrNone) {
				t.Errorf("version %d: %v, want ErrNone", absent, err)
			}
		}
		for n, version := range []string{"1", "2", "7"} {
			it, err := store.Get(t.Context(), ledger.AuditKey(ledger.PolicyCurrent.At("demo", "policy"), int64(n+1)))
			if err != nil || it == nil {
				t.Fatalf("audit record %d: %v, %v", n+1, it, err)
			}
			var r audit.Record
			if err := it.Decode(&r); err != nil || r.Event != "apply" || r.By != "person:kim" || r.Details["policy_version"] != version {
				t.Errorf("audit record %d is %+v, %v", n+1, r, err)
			}
		}
	})
}

func TestVersionThatIsNotAboveTheOneInForceIsStale(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		b := newBook(store)
		old, now := document(2, "Two"), document(5, "Five")
		apply(t, b, old)
		apply(t, b, now)
		before := policyRows(t, store)
		for name, doc := range map[string][]byte{
			"same version, other text": document(5, "Another five"),
			"one space more":           append(document(5, "Five"), ' '),
			"version between":          document(3, "Three"),
			"former version":           old,
			"lower version":            document(1, "One"),
		} {
			if _, err := b.Apply(t.Context(), doc, "x"); !errors.Is(err, versions.ErrStale) {
				t.Errorf("%s: %v, want ErrStale", name, err)
			}
		}
		if !reflect.DeepEqual(policyRows(t, store), before) {
			t.Error("a stale document changed the ledger")
		}
		inForce(t, b, 5, "Five")
	})
}

func TestSameDocumentAgainChangesNothing(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		b := newBook(store)
		doc := document(3, "Three")
		apply(t, b, doc)
		before := policyRows(t, store)
		for range 2 {
			if p := apply(t, b, doc); p.Version != 3 {
				t.Errorf("version %d", p.Version)
			}
		}
		if !reflect.DeepEqual(policyRows(t, store), before) {
			t.Error("the document in force, applied again, changed the ledger")
		}
	})
}

func TestOfTwoAtOnceOneIsInForceAndTheOtherIsStale(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		apply(t, newBook(store), document(1, "One"))
		const n = 8
		// All have read version 1 before any of them writes.
		var read sync.WaitGroup
		read.Add(n)
		gate := &hooked{Store: store, afterGet: func() { read.Done(); read.Wait() }}
		errs := make([]error, n)
		var over sync.WaitGroup
		for i := range errs {
			over.Go(func() {
				_, errs[i] = newBook(gate).Apply(context.Background(), document(2+i%2, fmt.Sprint("writer ", i)), "x")
			})
		}
		over.Wait()
		winner := -1
		for i, err := range errs {
			switch {
			case err == nil && winner < 0:
				winner = i
			case !errors.Is(err, versions.ErrStale):
				t.Errorf("writer %d: %v, want one winner and ErrStale", i, err)
			}
		}
		if winner < 0 {
			t.Fatal("nobody won")
		}
		version, name := 2+winner%2, fmt.Sprint("writer ", winner)
		inForce(t, newBook(store), int64(version), name)
		holds(t, newBook(store), int64(version), document(version, name))
		if rows := len(policyRows(t, store)); rows != 1+2+2+1 { // current, two versions, two audit records, the identity rule
			t.Errorf("%d rows", rows)
		}
	})
}

func TestFirstPolicyAtOnceIsOne(t *testing.T) {
	t.Parallel()
	store := mem.New()
	var read sync.WaitGroup
	read.Add(2)
	gate := &hooked{Store: store, afterGet: func() { read.Done(); read.Wait() }}
	errs := make([]error, 2)
	var over sync.WaitGroup
	for i := range errs {
		over.Go(func() { _, errs[i] = newBook(gate).Apply(context.Background(), document(i+1, "x"), "x") })
	}
	over.Wait()
	if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), versions.ErrStale) {
		t.Errorf("got %v, want one nil and one ErrStale", errs)
	}
}

func TestTenantsAreApart(t *testing.T) {
	t.Parallel()
	b := newBook(mem.New())
	apply(t, b, document(4, "Four"))
	apply(t, b, []byte(strings.Replace(string(document(2, "Other")), `"tenant": "demo"`, `"tenant": "second"`, 1)))
	inForce(t, b, 4, "Four")
	if p, err := b.Current(t.Context(), "second"); err != nil || p.Name != "Other" || p.Version != 2 {
		t.Errorf("got %q %d, %v", p.Name, p.Version, err)
	}
	for _, nobody := range []string{"third", "", "Demo", "../demo", "demo/x", strings.Repeat("a", 1000), "demo\x00"} {
		if _, err := b.Current(t.Context(), nobody); !errors.Is(err, versions.ErrNone) {
			t.Errorf("current of %q: %v, want ErrNone", nobody, err)
		}
		for _, version := range []int64{0, 1} {
			if _, err := b.Document(t.Context(), nobody, version); !errors.Is(err, versions.ErrNone) {
				t.Errorf("document of %q: %v, want ErrNone", nobody, err)
			}
		}
	}
}
