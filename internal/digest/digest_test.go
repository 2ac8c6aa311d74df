package digest_test

import (
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/digest"
)

// TestContentIsSHA256: FIPS 180-4, the example "abc".
func TestContentIsSHA256(t *testing.T) {
	t.Parallel()
	if got := digest.Content([]byte("abc")); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Error(got)
	}
}

func TestAShortKeyIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := digest.NewKey(make([]byte, 31)); err == nil {
		t.Error("31 bytes are taken")
	}
}

// TestOtherPartsAreAnotherID: however the same bytes are cut into parts.
func TestOtherPartsAreAnotherID(t *testing.T) {
	t.Parallel()
	secret := []byte("a key of this test, 32 bytes long")
	k, err := digest.NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	clear(secret) // the caller's bytes are not the key's
	again, err := digest.NewKey([]byte("a key of this test, 32 bytes long"))
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^[a-z2-7]{32}$`)
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune("ab\x00"))), 0, 3)
		a, b := part.Draw(t, "a"), part.Draw(t, "b")
		if (digest.Parts(a...) == digest.Parts(b...)) != slices.Equal(a, b) {
			t.Fatalf("Parts of %q and %q", a, b)
		}
		if (k.ID("p", a...) == k.ID("p", b...)) != slices.Equal(a, b) || k.ID("p", a...) == k.ID("q", a...) {
			t.Fatalf("ID of %q and %q", a, b)
		}
		if id := k.ID("p", a...); !form.MatchString(id) || id != again.ID("p", a...) {
			t.Fatalf("%q", id)
		}
	})
}
