package contact_test

import (
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/record/contact"
)

// Rows of a ledger are found by these texts: a line that changes is a lost key.
func TestTheNamesOfKeysAreAsRecorded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule int64
		want string
	}{{0, "email:ann@example.com"}, {1, "email:ann@example.com"}, {2, "email.v2:ann@example.com"}, {31, "email.v31:ann@example.com"}} {
		if got := contact.EmailKeyID(c.rule, "ann@example.com"); got != c.want {
			t.Errorf("version %d: %q, want %q", c.rule, got, c.want)
		}
	}
	if got := contact.KeyID(contact.KindCustomer, "A-7"); got != "customer:A-7" {
		t.Errorf("customer key %q", got)
	}
}

func TestOtherTextsAreNoKeysOfAnAddress(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"", "email", "email:", "email.v2:", "customer:A-7", "email.v1:a@example.com", "email.v0:a@example.com", "email.v:a@example.com",
		"email.v02:a@example.com", "email.v+2:a@example.com", "email.v-2:a@example.com", "email.v2.v3:a@example.com", "emailx:a@example.com",
	} {
		if rule, value, ok := contact.EmailKey(id); ok {
			t.Errorf("%q is read as version %d of %q", id, rule, value)
		}
	}
}

// Values hold nearly anything: quoted local parts hold colons.
func TestKeysOfTwoRulesAreNeverOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.StringMatching(`[a-z.:v0-9]{1,12}@example\.com`), rapid.StringN(1, 20, -1))
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		m, n := rapid.Int64Range(1, 40).Draw(t, "m"), rapid.Int64Range(1, 40).Draw(t, "n")
		if same := contact.EmailKeyID(m, a) == contact.EmailKeyID(n, b); same != (m == n && a == b) {
			t.Fatalf("%d %q and %d %q are one: %t", m, a, n, b, same)
		}
		if rule, v, ok := contact.EmailKey(contact.EmailKeyID(m, a)); !ok || rule != m || v != a {
			t.Fatalf("read back as %d %q, %t", rule, v, ok)
		}
	})
}
