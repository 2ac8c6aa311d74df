package contact_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/ledger"
	"onefold/internal/record/contact"
)

func TestCustomerKeyIsTheIDAsItWasGiven(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"C-1": "customer:C-1", "  C-1\t\n": "customer:C-1", "c-1": "customer:c-1", "0077": "customer:0077",
		"a/b#c%": "customer:a/b#c%", "Ku\u0308hn": "customer:K\u00fchn", strings.Repeat("é", 80): "customer:" + strings.Repeat("é", 80),
		"": "", " ": "", "C 1": "", "C\u00a01": "", "C\u200b1": "", "C\x001": "", "C\u202e1": "", "C\u034f1": "", "C1\ufe0f": "", "C1\u3164": "", "C\ufffd1": "", "C\xff1": "",
		strings.Repeat("x", 81): "",
	} {
		got, ok := contact.CustomerKey(written)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", written, got, ok, want)
		}
	}
}

// TestEveryCustomerKeyIsAKey of the ledger, and canonical.
func TestEveryCustomerKeyIsAKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id, ok := contact.CustomerKey(rapid.String().Draw(t, "written"))
		if !ok {
			return
		}
		if err := (ledger.ContactKey.At("demo", id)).Validate(); err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		if again, ok := contact.CustomerKey(strings.TrimPrefix(id, "customer:")); !ok || again != id || !contact.IsCustomerKey(id) {
			t.Fatalf("%q again is %q", id, again)
		}
	})
}
