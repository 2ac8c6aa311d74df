package versions_test

import (
	"strings"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
)

// TestAnotherTextIsParsedAnew: what is remembered of a text answers for that
// text only, also where the store changed behind the book.
func TestAnotherTextIsParsedAnew(t *testing.T) {
	t.Parallel()
	store := mem.New()
	first, second := versions.Book{Store: store, Now: time.Now}, versions.Book{Store: store, Now: time.Now}
	if _, err := first.Apply(t.Context(), tenant.Example(), "a"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from what is remembered
		if p, err := first.Fresh(t.Context(), "demo"); err != nil || p.Version != 1 {
			t.Fatalf("version %d, %v", p.Version, err)
		}
	}
	next := strings.Replace(string(tenant.Example()), `"version": 1`, `"version": 2`, 1)
	if _, err := second.Apply(t.Context(), []byte(next), "b"); err != nil {
		t.Fatal(err)
	}
	if p, err := first.Fresh(t.Context(), "demo"); err != nil || p.Version != 2 {
		t.Errorf("version %d, %v", p.Version, err)
	}
	var c ledger.Commit
	k := ledger.PolicyCurrent.At("demo", "policy")
	if err := c.Update("policy", k, ledger.Cond{}, ledger.Item{"document": "{}"}); err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Fresh(t.Context(), "demo"); err == nil {
		t.Error("a stored text that is no policy was answered with the old one")
	}
}
