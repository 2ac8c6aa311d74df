package local

import (
	"errors"
	"io/fs"
	"sync"
	"testing"

	"onefold/internal/app"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
)

// Many first starts at once, on one folder, agree on one identifier key.
func TestFirstStartsAtOnceAgreeOnOneKey(t *testing.T) {
	t.Parallel()
	for range 20 {
		d, store := Data{t.TempDir()}, mem.New()
		var mu sync.Mutex
		var wg sync.WaitGroup
		keys := map[string]int{}
		for range 8 {
			wg.Go(func() {
				s, _, err := d.secretsOf(t.Context(), store)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					keys[s.IdentifierKey]++
				case !errors.Is(err, ErrOtherKey) && err.Error() != d.keyless().Error():
					t.Error(err)
				}
			})
		}
		wg.Wait()
		s, err := d.read()
		if err != nil || len(keys) != 1 || keys[s.IdentifierKey] == 0 {
			t.Fatalf("%d keys were in use; the file: %v", len(keys), err)
		}
	}
}

// As with -aws: two folders, one store behind an endpoint.
func TestASecondFolderOnOneLedgerIsRefused(t *testing.T) {
	t.Parallel()
	store := mem.New()
	first, second := Data{t.TempDir()}, Data{t.TempDir()}
	s, _, err := first.secretsOf(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := second.secretsOf(t.Context(), store); err == nil {
		t.Error("an empty folder got a key for a ledger that has one")
	}
	if _, err := second.read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refused folder has secrets now: %v", err)
	}
	other := mem.New()
	if _, _, err := second.secretsOf(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if _, _, err := second.secretsOf(t.Context(), store); !errors.Is(err, ErrOtherKey) {
		t.Errorf("another key on the ledger: %v", err)
	}
	again, _, err := first.secretsOf(t.Context(), store)
	if err != nil || again.IdentifierKey != s.IdentifierKey {
		t.Errorf("the first folder again: %v", err)
	}
}

// A ledger of before check values were kept takes the key of its folder, and
// makes none where the folder has lost it.
func TestALedgerWithoutACheckValueKeepsItsKey(t *testing.T) {
	t.Parallel()
	d, store := Data{t.TempDir()}, mem.New()
	var c ledger.Commit
	if err := c.Create("stop", ledger.Stop.At(ledger.NoTenant, "stop"), ledger.Item{"state": "running"}); err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.secretsOf(t.Context(), store); err == nil || err.Error() != d.keyless().Error() {
		t.Fatalf("without secrets.json: %v", err)
	}
	old := Secrets{IdentifierKey: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}
	if err := d.Save(old); err != nil {
		t.Fatal(err)
	}
	if s, _, err := d.secretsOf(t.Context(), store); err != nil || s.IdentifierKey != old.IdentifierKey {
		t.Errorf("with secrets.json: %v", err)
	}
	if known, _, err := app.LedgerKey(t.Context(), store, digest.Key{}); err != nil || !known {
		t.Errorf("no check value was written: %v", err)
	}
	other := Secrets{IdentifierKey: "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="}
	if err := d.Save(other); !errors.Is(err, ErrOtherKey) {
		t.Errorf("another key was saved over it: %v", err)
	}
}
