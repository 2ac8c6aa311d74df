package address_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/address"
)

func mustParse(t *testing.T, s string) address.Address {
	t.Helper()
	a, err := address.Parse(s)
	if err != nil {
		t.Fatalf("Parse(%q): %v", s, err)
	}
	return a
}

func TestIdentityIsNarrowUnlessTheRuleSaysSo(t *testing.T) {
	t.Parallel()
	type rule = address.IdentityRule
	cases := []struct {
		rule rule
		a, b string
		same bool
	}{
		{rule{}, "Ann@example.com", "ann@EXAMPLE.com", true},
		{rule{KeepLocalCase: true}, "Ann@example.com", "ann@example.com", false},
		{rule{}, "a.nn@example.com", "ann@example.com", false},
		{rule{FoldDots: true}, "a.nn@example.com", "ann@example.com", true},
		{rule{}, "ann+x@example.com", "ann@example.com", false},
		{rule{FoldPlus: true}, "ann+x@example.com", "ann@example.com", true},
		{rule{FoldPlus: true}, "+x@example.com", "+y@example.com", false}, // nothing would remain
		{rule{}, "stra\u00dfe@example.com", "strasse@example.com", false}, // simple folding only
		{rule{}, "\u0130@example.com", "i@example.com", false},
		{rule{}, "ann@b\u00fccher.example", "ann@xn--bcher-kva.example", true},
		{rule{}, `"ann"@example.com`, "ann@example.com", true},
		{rule{}, "ann@example.com", "ann@example.org", false},
	}
	for _, c := range cases {
		same := mustParse(t, c.a).IdentityKey(c.rule) == mustParse(t, c.b).IdentityKey(c.rule)
		if same != c.same {
			t.Errorf("rule %+v: %q and %q same = %v", c.rule, c.a, c.b, same)
		}
	}
}

// These keys are frozen: a failure here means stored opt-outs would be lost.
func TestSuppressionKeyIsFrozen(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]address.SuppressionKey{
		"A.nn.Lee+news@Example.com":  "annlee@example.com",
		"annlee@example.com":         "annlee@example.com",
		`"ann lee+x"@example.com`:    "ann lee@example.com",
		"Stra\u00dfe@example.com":    "strasse@example.com",
		"JOSE\u0301@example.com":     "jos\u00e9@example.com",
		"+x@example.com":             "@example.com",
		"ann@b\u00fccher.example":    "ann@xn--bcher-kva.example",
		"o'brien-smith@example.com":  "o'brien-smith@example.com",
		"\u039f\u03a3@example.com":   "\u03bf\u03c3@example.com",
		"\u03bf\u03c2@example.com":   "\u03bf\u03c3@example.com",
		"\u212a@example.com":         "k@example.com",
		"a.b.c.d+e+f.g@example.com":  "abcd@example.com",
		"ann_lee=x/y@sub.example.eu": "ann_lee=x/y@sub.example.eu",
	} {
		if got := mustParse(t, in).SuppressionKey(); got != want {
			t.Errorf("SuppressionKey(%q) = %q, want %q", in, got, want)
		}
	}
}

// Letters whose folding is odd, marks that compose, and the two folded signs.
func drawLocal(t *rapid.T, label string) string {
	letter := rapid.SampledFrom([]rune("aAbBiIkKsSßẞſKİıΑαΙιᾳᾼΣσςǅǆ\u0130\u0345\u0301\u0308\u0338..++- \"\\@ŉΐﬀﬁÅåÅ가각ᄀ"))
	return string(rapid.SliceOfN(letter, 1, 8).Draw(t, label))
}

func drawAddress(t *rapid.T, label string) address.Address {
	content := drawLocal(t, label)
	quoted := `"`
	for _, r := range content {
		if r == '"' || r == '\\' {
			quoted += `\`
		}
		quoted += string(r)
	}
	a, err := address.Parse(quoted + `"@example.com`)
	if err != nil {
		t.Skip("not an address")
	}
	return a
}

func TestEqualIdentityMeansEqualSuppression(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawAddress(t, "a")
		rule := address.IdentityRule{
			KeepLocalCase: rapid.Bool().Draw(t, "case"), FoldDots: rapid.Bool().Draw(t, "dots"), FoldPlus: rapid.Bool().Draw(t, "plus"),
		}
		// Pairs drawn blindly almost never share an identity, so the key itself
		// is the second address: a rule's key stands for all that share it.
		key := string(a.IdentityKey(rule))
		b := address.Address{Local: key[:len(key)-len("@example.com")], Domain: "example.com"}
		if b.Local[0] == '"' {
			t.Skip("content that looks quoted")
		}
		if a.SuppressionKey() != b.SuppressionKey() {
			t.Fatalf("rule %+v: %q has identity %q, but suppressions %q and %q", rule, a, key, a.SuppressionKey(), b.SuppressionKey())
		}
		if again := b.IdentityKey(rule); again != address.IdentityKey(key) {
			t.Fatalf("rule %+v: identity of %q is %q, of that %q", rule, a, key, again)
		}
		supp := string(a.SuppressionKey())
		c := address.Address{Local: supp[:len(supp)-len("@example.com")], Domain: "example.com"}
		if c.Local == "" || c.Local[0] != '"' {
			if c.SuppressionKey() != a.SuppressionKey() {
				t.Fatalf("suppression of %q is %q, of that %q", a, supp, c.SuppressionKey())
			}
		}
	})
}

func TestParseOfPrintIsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawAddress(t, "a")
		b, err := address.Parse(a.String())
		if err != nil || a != b {
			t.Fatalf("%q parses to %q, %v", a, b, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"ann@example.com", `"a b"@example.com`, "é@bücher.example", "a@xn--bcher-kva.example", "@", `"\`,
		"A.nn+x@example.com", "+x@example.com", "ß.ẞ@example.com", "\u0345\u0301.i\u0307@example.com", `".+"@example.com`, `"a\"b"@example.com`, "\u212a@example.com", "a@b\u3002example"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := address.Parse(s)
		if err != nil {
			if a != (address.Address{}) {
				t.Fatalf("an error with an address")
			}
			return
		}
		if len(a.Local) > address.MaxLocal || len(a.String()) > address.MaxTotal {
			t.Fatalf("over the limits: %q", a)
		}
		b, err := address.Parse(a.String())
		if err != nil || a != b {
			t.Fatalf("%q parses to %q, %v", a, b, err)
		}
		// Whoever any rule takes for the same person is stopped with it.
		for n := range 8 {
			rule := address.IdentityRule{KeepLocalCase: n&1 != 0, FoldDots: n&2 != 0, FoldPlus: n&4 != 0}
			local, _ := strings.CutSuffix(string(a.IdentityKey(rule)), "@"+a.Domain)
			same := address.Address{Local: local, Domain: a.Domain}
			if local[0] != '"' && same.SuppressionKey() != a.SuppressionKey() {
				t.Fatalf("rule %+v: %q has suppressions %q and %q", rule, a, a.SuppressionKey(), same.SuppressionKey())
			}
		}
	})
}

// A key is kept where its address is not, and what guards the address is found
// by it.
func TestTheAddressOfAKeyHasTheSameKeys(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rule := address.IdentityRule{KeepLocalCase: rapid.Bool().Draw(t, "case"), FoldDots: rapid.Bool().Draw(t, "dots"), FoldPlus: rapid.Bool().Draw(t, "plus")}
		a, err := address.Parse(rapid.StringMatching(`("[a-zA-ZäöÜİß.+ :@]{1,8}"|[a-zA-ZäöÜİß+]{1,5}(\.[a-z+]{1,3})?)`).Draw(t, "local") + "@example.org")
		if err != nil {
			t.Skip()
		}
		k := a.IdentityKey(rule)
		b := k.Address()
		if b.SuppressionKey() != a.SuppressionKey() || b.IdentityKey(rule) != k || b.Domain != a.Domain {
			t.Fatalf("%q has key %q, which stands for %q", a, k, b)
		}
	})
	if a := address.IdentityKey("no at-sign").Address(); a != (address.Address{}) {
		t.Errorf("%q", a)
	}
}
