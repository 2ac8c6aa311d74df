package versions_test

import (
	"sync"
	"testing"
	"time"

	"onefold/internal/ledger/mem"
	"onefold/internal/policy/versions"
)

func current(t *testing.T, b *versions.Book, version int64) {
	t.Helper()
	p, err := b.Current(t.Context(), "demo")
	if err != nil || p.Version != version {
		t.Errorf("current is version %d, %v; want %d", p.Version, err, version)
	}
}

func TestPolicyIsRememberedForKeepAndNoLonger(t *testing.T) {
	t.Parallel()
	store := &hooked{Store: mem.New()}
	c := &clock{start}
	b := &versions.Book{Store: store, Now: c.time, Keep: time.Minute}
	elsewhere := newBook(store.Store)
	apply(t, elsewhere, document(1, "One"))
	current(t, b, 1)
	apply(t, elsewhere, document(2, "Two"))
	store.gets.Store(0)
	for _, after := range []time.Duration{0, time.Second, time.Minute - 1} {
		c.now = start.Add(after)
		current(t, b, 1)
	}
	if n := store.gets.Load(); n != 0 {
		t.Errorf("%d reads within Keep", n)
	}
	c.now = start.Add(time.Minute)
	current(t, b, 2)
	current(t, b, 2)
	if n := store.gets.Load(); n != 1 {
		t.Errorf("%d reads after Keep, want 1", n)
	}
	// Fresh never answers from memory, and what it read is remembered.
	apply(t, elsewhere, document(3, "Three"))
	inForce(t, b, 3, "Three")
	current(t, b, 3)
}

func TestWithoutKeepNothingIsRemembered(t *testing.T) {
	t.Parallel()
	store := &hooked{Store: mem.New()}
	apply(t, newBook(store.Store), document(1, "One"))
	b := newBook(store)
	for range 3 {
		current(t, b, 1)
	}
	if n := store.gets.Load(); n != 3 {
		t.Errorf("%d reads, want 3", n)
	}
}

func TestAbsenceIsNotRemembered(t *testing.T) {
	t.Parallel()
	store := mem.New()
	c := &clock{start}
	b := &versions.Book{Store: store, Now: c.time, Keep: time.Hour}
	if _, err := b.Current(t.Context(), "demo"); err == nil {
		t.Fatal("a policy that nobody applied")
	}
	apply(t, newBook(store), document(1, "One"))
	current(t, b, 1)
}

func TestWhatOneAppliesIsInForceForHimAtOnce(t *testing.T) {
	t.Parallel()
	c := &clock{start}
	b := &versions.Book{Store: mem.New(), Now: c.time, Keep: time.Hour}
	for v := 1; v <= 3; v++ {
		apply(t, b, document(v, "x"))
		current(t, b, int64(v))
	}
}

// The answer is as old as the question: a read that took long does not stretch
// the time for which a former version is used.
func TestSlowReadIsRememberedFromItsBeginning(t *testing.T) {
	t.Parallel()
	store := &hooked{Store: mem.New()}
	c := &clock{start}
	b := &versions.Book{Store: store, Now: c.time, Keep: time.Minute}
	apply(t, newBook(store.Store), document(1, "One"))
	store.afterGet = func() { c.now = start.Add(50 * time.Second) }
	current(t, b, 1)
	store.afterGet = nil
	apply(t, newBook(store.Store), document(2, "Two"))
	c.now = start.Add(time.Minute)
	current(t, b, 2)
}

// A read that was overtaken by a newer version brings no older one back.
func TestVersionsOnlyRiseForAReader(t *testing.T) {
	t.Parallel()
	inner := mem.New()
	store := &hooked{Store: inner}
	c := &clock{start}
	b := &versions.Book{Store: store, Now: c.time, Keep: time.Minute}
	apply(t, b, document(1, "One"))
	overtake := func() {
		// Version 1 was read and is not yet remembered.
		apply(t, b, document(2, "Two"))
		current(t, b, 2)
	}
	store.afterGet = func() {
		store.afterGet = nil
		overtake()
	}
	if p, err := b.Fresh(t.Context(), "demo"); err != nil || p.Version != 2 {
		t.Errorf("the overtaken read gave version %d, %v; want 2", p.Version, err)
	}
	current(t, b, 2)
}

func TestABookServesManyAtOnce(t *testing.T) {
	t.Parallel()
	b := &versions.Book{Store: mem.New(), Now: func() time.Time { return start }, Keep: time.Nanosecond}
	apply(t, b, document(1, "x"))
	var over sync.WaitGroup
	for i := range 8 {
		over.Go(func() {
			for v := 2; v < 6; v++ {
				if i == 0 {
					apply(t, b, document(v, "x"))
				}
				if _, err := b.Current(t.Context(), "demo"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	over.Wait()
	current(t, b, 5)
}
