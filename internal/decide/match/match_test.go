package match_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/decide/match"
)

func TestOnlyUniqueKeysIdentify(t *testing.T) {
	t.Parallel()
	email := func(owner string) match.Candidate { return match.Candidate{KeyID: "e", Kind: "email", Contact: owner} }
	customer := func(owner string) match.Candidate {
		return match.Candidate{KeyID: "c", Kind: "customer", Contact: owner}
	}
	shared := func(owner string) match.Candidate {
		return match.Candidate{KeyID: "s", Kind: "email", Contact: owner, Shared: true}
	}
	for name, c := range map[string]struct {
		in               []match.Candidate
		outcome, contact string
		reasons          []string
	}{
		"no key":                  {nil, match.Review, "", []string{match.ReasonNoKey}},
		"new address":             {[]match.Candidate{email("")}, match.New, "", []string{match.ReasonEmailNew}},
		"known address":           {[]match.Candidate{email("a")}, match.Matched, "a", []string{match.ReasonEmailKnown}},
		"known customer, new box": {[]match.Candidate{email(""), customer("a")}, match.Matched, "a", []string{match.ReasonEmailNew, match.ReasonCustomerKnown}},
		"both of one":             {[]match.Candidate{email("a"), customer("a")}, match.Matched, "a", []string{match.ReasonEmailKnown, match.ReasonCustomerKnown}},
		"of two":                  {[]match.Candidate{email("a"), customer("b")}, match.Review, "", []string{match.ReasonSeveral}},
		"shared inbox":            {[]match.Candidate{shared("")}, match.Review, "", []string{match.ReasonSharedInbox}},
		"shared inbox with owner": {[]match.Candidate{shared("a")}, match.Review, "", []string{match.ReasonSharedInbox}},
		"shared beside a key":     {[]match.Candidate{shared("a"), customer("b")}, match.Matched, "b", []string{match.ReasonSharedInbox, match.ReasonCustomerKnown}},
	} {
		got := match.Decide(c.in)
		if got.Outcome != c.outcome || got.Contact != c.contact {
			t.Errorf("%s: %s %q, want %s %q", name, got.Outcome, got.Contact, c.outcome, c.contact)
		}
		for _, r := range c.reasons {
			if !slices.Contains(got.Reasons, r) {
				t.Errorf("%s: reasons %v, want %s", name, got.Reasons, r)
			}
		}
	}
}

// TestTheOrderOfTheKeysDoesNotMatter: nor does a key that is named twice.
func TestTheOrderOfTheKeysDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.Custom(func(t *rapid.T) match.Candidate {
			return match.Candidate{
				Kind:    rapid.SampledFrom([]string{"email", "customer"}).Draw(t, "kind"),
				Contact: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "contact"), Shared: rapid.Bool().Draw(t, "shared"),
			}
		})).Draw(t, "keys")
		got := match.Decide(list)
		owners := map[string]bool{}
		usable := 0
		for _, c := range list {
			if !c.Shared {
				usable++
				if c.Contact != "" {
					owners[c.Contact] = true
				}
			}
		}
		want := match.New
		switch {
		case usable == 0 || len(owners) > 1:
			want = match.Review
		case len(owners) == 1:
			want = match.Matched
		}
		if got.Outcome != want || want == match.Matched != (got.Contact != "") || want == match.Matched && !owners[got.Contact] {
			t.Fatalf("%+v, want %s", got, want)
		}
		slices.Reverse(list)
		if back := match.Decide(append(list, list...)); back.Outcome != got.Outcome || back.Contact != got.Contact {
			t.Fatalf("in another order %+v, not %+v", back, got)
		}
	})
}
