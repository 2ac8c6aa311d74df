package tenant_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	addr "onefold/internal/address"
	"onefold/internal/policy/tenant"
)

func blocking(t *testing.T, list string) tenant.Policy {
	t.Helper()
	return parse(t, strings.Replace(minimal, `"rules"`, `"mail": {"blocked": [`+list+`]}, "rules"`, 1))
}

func TestABlockIsNotDodgedBySpelling(t *testing.T) {
	t.Parallel()
	p := blocking(t, `"eve.lee+list@example.org", "@spam.example", "@bücher.example"`)
	for written, want := range map[string]bool{
		"eve.lee@example.org": true, "EVELEE+7@Example.ORG": true, "eve.lee@example.org.": true, " evelee@example.org ": true,
		`"eve.lee"@example.org`: true, "eve@example.org": false, "eve.lee@sub.example.org": false, "eve.lee@example.net": false,
		"a@spam.example": true, "a@mail.SPAM.example": true, `"a b"@spam.example`: true, "a@notspam.example": false, "a@example": false,
		"a@xn--bcher-kva.example": true, "a@m.Bücher.example": true,
		"": false, "@spam.example": false, "spam.example": false, "no address": false,
	} {
		if got := p.IsBlocked(written); got != want {
			t.Errorf("%q is blocked: %t, want %t", written, got, want)
		}
	}
	if parse(t, minimal).IsBlocked("a@spam.example") {
		t.Error("a policy that blocks nobody blocks")
	}
}

func TestWhatIsOursIsNeverBlocked(t *testing.T) {
	t.Parallel()
	// The wide form of the one is that of the other, which is ours.
	doc := strings.Replace(minimal, `["@demo.example"]`, `["hello@demo.example"]`, 1)
	p := parse(t, strings.Replace(doc, `"rules"`, `"mail": {"blocked": ["hel.lo@demo.example"]}, "rules"`, 1))
	if p.IsBlocked("hello@demo.example") || !p.IsBlocked("h.ello@demo.example") {
		t.Error("ours is blocked, or its other spelling is not")
	}
}

// TestABlockIsAsWideAsAnOptOut: who cannot be told from a blocked sender by the
// form that opt-outs are known by is blocked too, and nobody else.
func TestABlockIsAsWideAsAnOptOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		local := rapid.StringMatching(`[a-bA-B]{1,2}([.+][abAB]{1,2})?`)
		one, two := local.Draw(r, "one")+"@example.org", local.Draw(r, "two")+"@example.org"
		p := blocking(t, `"`+one+`"`)
		a, errA := addr.Parse(one)
		b, errB := addr.Parse(two)
		if errA != nil || errB != nil {
			r.Fatal(errA, errB)
		}
		if p.IsBlocked(two) != (a.SuppressionKey() == b.SuppressionKey()) {
			r.Fatalf("%s blocks %s: %t", one, two, p.IsBlocked(two))
		}
	})
}

func TestABlockIsSeenInTheDifference(t *testing.T) {
	t.Parallel()
	before, after := blocking(t, `"a@example.org"`), blocking(t, `"@spam.example"`)
	after.Version++
	if got, want := tenant.Diff(before, after), []string{
		"mail blocked @spam.example: added", "mail blocked a@example.org: removed", "version: 1 is now 2",
	}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNoMoreAreBlockedThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	list := func(n int) string {
		var doc strings.Builder
		for i := range n {
			fmt.Fprintf(&doc, `,"a%d@example.org"`, i)
		}
		return doc.String()[1:]
	}
	if p := blocking(t, list(tenant.MaxBlocked)); !p.IsBlocked("a199@example.org") {
		t.Error("the last one is not blocked")
	}
	problems := found(t, strings.Replace(minimal, `"rules"`, `"mail": {"blocked": [`+list(tenant.MaxBlocked+1)+`]}, "rules"`, 1))
	if len(problems) != 1 || !strings.HasPrefix(problems[0], "/mail/blocked ") {
		t.Errorf("%v", problems)
	}
}
