package versions_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
)

// hooked is a store whose calls can be held up or spoilt.
type hooked struct {
	ledger.Store
	afterGet func()
	get      error                // instead of an answer
	commit   func() (bool, error) // apply, and what is said instead of the truth
	gets     atomic.Int64
}

func (h *hooked) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	h.gets.Add(1)
	if h.get != nil {
		return nil, h.get
	}
	it, err := h.Store.Get(ctx, k)
	if h.afterGet != nil {
		h.afterGet()
	}
	return it, err
}

func (h *hooked) Commit(ctx context.Context, c ledger.Commit) error {
	if h.commit == nil {
		return h.Store.Commit(ctx, c)
	}
	apply, said := h.commit()
	if apply {
		if err := h.Store.Commit(ctx, c); err != nil {
			return err
		}
	}
	return said
}

func TestBadDocumentChangesNothing(t *testing.T) {
	t.Parallel()
	padded := func(size int) []byte {
		doc := document(2, "Two")
		return append(doc, strings.Repeat(" ", size-len(doc))...)
	}
	store := mem.New()
	b := newBook(store)
	apply(t, b, document(1, "One"))
	before := len(policyRows(t, store))
	for name, doc := range map[string][]byte{
		"a byte too large": padded(versions.MaxBytes + 1),
		"empty":            {},
		"no JSON":          []byte("{"),
		"no policy":        []byte(`{}`),
		"invalid UTF-8":    append(document(2, "Two"), 0xff),
	} {
		if _, err := b.Apply(t.Context(), doc, "x"); err == nil || errors.Is(err, versions.ErrStale) {
			t.Errorf("%s: %v, want an error of its own", name, err)
		}
	}
	if after := len(policyRows(t, store)); after != before {
		t.Errorf("%d rows, were %d", after, before)
	}
	inForce(t, b, 1, "One")

	largest := padded(versions.MaxBytes)
	apply(t, b, largest)
	holds(t, b, 2, largest)
	holds(t, b, 0, largest)
	inForce(t, b, 2, "Two")
}

// A document may be stored although the answer got lost. Applied again, it is
// found in force, and nothing is there twice.
func TestApplyThatFailedMayBeRepeated(t *testing.T) {
	t.Parallel()
	for name, persist := range map[string]bool{"FailNotPersist": false, "FailButPersist": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := mem.New()
			apply(t, newBook(store), document(1, "One"))
			bad := newBook(&hooked{Store: store, commit: func() (bool, error) { return persist, ledger.ErrUnknown }})
			if _, err := bad.Apply(t.Context(), document(2, "Two"), "x"); !errors.Is(err, ledger.ErrUnknown) {
				t.Fatalf("got %v, want ErrUnknown", err)
			}
			apply(t, newBook(store), document(2, "Two"))
			inForce(t, newBook(store), 2, "Two")
			if rows := len(policyRows(t, store)); rows != 6 {
				t.Errorf("%d rows, want 6", rows)
			}
		})
	}
}

// An error of the store is never "there is no such tenant", which would turn
// deliveries away for good.
func TestStoreThatFailsIsNotAMissingPolicy(t *testing.T) {
	t.Parallel()
	store := mem.New()
	apply(t, newBook(store), document(1, "One"))
	b := newBook(&hooked{Store: store, get: ledger.ErrUnavailable})
	_, current := b.Current(t.Context(), "demo")
	_, document0 := b.Document(t.Context(), "demo", 0)
	_, applied := b.Apply(t.Context(), document(2, "Two"), "x")
	for _, err := range []error{current, document0, applied} {
		if !errors.Is(err, ledger.ErrUnavailable) || errors.Is(err, versions.ErrNone) {
			t.Errorf("got %v, want ErrUnavailable", err)
		}
	}
}

func TestStoredDocumentThatNoLongerParsesIsAnError(t *testing.T) {
	t.Parallel()
	store := mem.New()
	apply(t, newBook(store), document(1, "One"))
	var c ledger.Commit
	k := ledger.PolicyCurrent.At("demo", "policy")
	if err := c.Update("spoil", k, ledger.AtVersion(1), ledger.Item{"document": "{"}); err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	_, err := newBook(store).Current(t.Context(), "demo")
	var invalid *tenant.InvalidError
	if !errors.As(err, &invalid) || errors.Is(err, versions.ErrNone) {
		t.Errorf("got %v, want *tenant.InvalidError", err)
	}
}

// clock is a time that the test moves.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }
