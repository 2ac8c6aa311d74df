package versions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
)

// Mails with an earlier text are still answered.
func TestAPolicyKeepsTheTextsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, store ledger.Store) {
		b := newBook(store)
		for n, name := range []string{"One", "Two", "Three", "Two"} {
			apply(t, b, document(n+1, name))
		}
		for _, reads := range []func() (tenant.Policy, error){
			func() (tenant.Policy, error) { return newBook(store).Current(t.Context(), "demo") },
			func() (tenant.Policy, error) { return b.Current(t.Context(), "demo") },
			func() (tenant.Policy, error) { return b.Version(t.Context(), "demo", 4) },
		} {
			p, err := reads()
			if err != nil {
				t.Fatal(err)
			}
			// The version in force first, then the newest; none twice.
			var of []string
			for _, text := range p.Sent() {
				_, name, _ := strings.Cut(text, "thank you for writing to ")
				if name, _, _ = strings.Cut(name, "."); !slices.Contains(of, name) {
					of = append(of, name)
				}
			}
			if !slices.Equal(of, []string{"Two", "Three", "One"}) {
				t.Errorf("texts of %v are known", of)
			}
		}
		if p, err := b.Version(t.Context(), "demo", 2); err != nil || strings.Contains(strings.Join(p.Sent(), ""), "Three") {
			t.Errorf("version 2 knows the text of version 3, %v", err)
		}
	})
}

func TestTheTextsOfEarlierVersionsAreBounded(t *testing.T) {
	t.Parallel()
	var p tenant.Policy
	for n := range 40 {
		p = p.WithFormer(append([]string{fmt.Sprint(n, strings.Repeat("x", 6<<10))}, p.Former()...))
	}
	size := len(strings.Join(p.Former(), ""))
	if size > tenant.MaxFormer || size < tenant.MaxFormer-7<<10 || !strings.HasPrefix(p.Former()[0], "39") {
		t.Errorf("%d bytes are kept, the newest begins with %.2s", size, p.Former()[0])
	}
}
