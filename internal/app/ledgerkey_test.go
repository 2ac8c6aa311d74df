package app_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"onefold/internal/app"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
)

// RFC 5869 by its own words: extract is HMAC(salt, secret) with a salt of zeros
// where there is none, expand's first block is HMAC(extracted, info | 0x01).
func TestTheKeyIsHKDFOfTheSecret(t *testing.T) {
	t.Parallel()
	sum := func(key, message []byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write(message)
		return h.Sum(nil)
	}
	want, err := digest.NewKey(sum(sum(make([]byte, 32), []byte(keyText)), []byte("onefold identifier key v1\x01")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := app.DeriveKey(keyText)
	if err != nil || got.ID("any", "part") != want.ID("any", "part") {
		t.Errorf("another key (%v)", err)
	}
	// White space that somebody added is another secret, and is found out by
	// the ledger.
	if spaced, err := app.DeriveKey(keyText + "\n"); err != nil || spaced.ID("any") == want.ID("any") {
		t.Errorf("the same key (%v)", err)
	}
}

func TestAShortSecretIsNoKey(t *testing.T) {
	t.Parallel()
	short := strings.Repeat("x", app.MinKeyText-1)
	if _, err := app.DeriveKey(short); err == nil || strings.Contains(err.Error(), short) {
		t.Errorf("31 characters: %v", err)
	}
	if _, err := app.DeriveKey(short + "x"); err != nil {
		t.Error(err)
	}
}

func key(t *testing.T, text string) digest.Key {
	t.Helper()
	k, err := app.DeriveKey(text + keyText)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestALedgerTakesOneKeyForGood(t *testing.T) {
	t.Parallel()
	store := mem.New()
	a, b := key(t, "a"), key(t, "b")
	if known, mine, err := app.LedgerKey(t.Context(), store, a); known || mine || err != nil {
		t.Fatalf("an empty ledger: known %v, mine %v, %v", known, mine, err)
	}
	for range 2 {
		if err := app.ClaimLedger(t.Context(), store, a); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.ClaimLedger(t.Context(), store, b); !errors.Is(err, app.ErrOtherKey) {
		t.Errorf("another key: %v", err)
	}
	if known, mine, err := app.LedgerKey(t.Context(), store, b); !known || mine || err != nil {
		t.Errorf("another key: known %v, mine %v, %v", known, mine, err)
	}
}

// Many functions start at once on a new ledger.
func TestOfManyKeysAtOnceOneIsTaken(t *testing.T) {
	t.Parallel()
	store := mem.New()
	results := make(chan error, 16)
	for n := range 16 {
		k := key(t, string(rune('a'+n%2)))
		go func() { results <- app.ClaimLedger(t.Context(), store, k) }()
	}
	taken := 0
	for range 16 {
		switch err := <-results; {
		case err == nil:
			taken++
		case !errors.Is(err, app.ErrOtherKey):
			t.Error(err)
		}
	}
	if taken != 8 {
		t.Errorf("%d of 16 were taken, want the 8 of one key", taken)
	}
}

// A write without an answer: what the ledger says afterwards counts.
func TestALedgerThatDoesNotAnswerLetsNobodyStart(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]ledger.Store{"no read": deaf{Store: mem.New(), read: true}, "no write": deaf{Store: mem.New()}} {
		if err := app.ClaimLedger(t.Context(), store, key(t, "a")); !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// deaf is a ledger that gives no answer, to reads or to writes.
type deaf struct {
	ledger.Store
	read bool
}

func (d deaf) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if d.read {
		return nil, ledger.ErrUnavailable
	}
	return d.Store.Get(ctx, k)
}

func (d deaf) Commit(context.Context, ledger.Commit) error { return ledger.ErrUnavailable }
