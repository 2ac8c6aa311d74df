package address_test

import (
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/address"
)

func TestAnAddressOfAKeyHasThatKey(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := drawAddress(t, "address")
		r := address.IdentityRule{
			KeepLocalCase: rapid.Bool().Draw(t, "case"), FoldDots: rapid.Bool().Draw(t, "dots"), FoldPlus: rapid.Bool().Draw(t, "plus"),
		}
		k := a.IdentityKey(r)
		back, ok := address.OfKey(k)
		if !ok || back.IdentityKey(r) != k {
			t.Fatalf("key %q gives %q with key %q", k, back, back.IdentityKey(r))
		}
	})
}

func TestWhatIsNoKeyGivesNoAddress(t *testing.T) {
	t.Parallel()
	for _, k := range []address.IdentityKey{"", "ann", "@example.com", "ann@"} {
		if a, ok := address.OfKey(k); ok {
			t.Errorf("%q gives %q", k, a)
		}
	}
}
