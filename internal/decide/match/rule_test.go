package match_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/decide/match"
	"onefold/internal/policy/tenant"
)

func email(owner string, customers ...string) match.Candidate {
	return match.Candidate{KeyID: "email:e", Kind: "email", Contact: owner, Customers: customers}
}

func customer(owner string) match.Candidate {
	return match.Candidate{KeyID: "customer:c", Kind: "customer", Contact: owner}
}

func sharedBox() match.Candidate {
	return match.Candidate{KeyID: "email:s", Kind: "email", Shared: true}
}

// TestWhatACustomerIDCountsFor is the table of the decision record on customer
// IDs: each word of the policy against each pair of keys.
func TestWhatACustomerIDCountsFor(t *testing.T) {
	t.Parallel()
	const ignore, review, wins = tenant.CustomersIgnore, tenant.CustomersReview, tenant.CustomersWin
	both := []string{"email:e", "customer:c"}
	for _, c := range []struct {
		name             string
		use              string
		in               []match.Candidate
		outcome, contact string
		reason           string
		keys             []string
	}{
		{"both unknown", review, []match.Candidate{email(""), customer("")}, match.New, "", match.ReasonCustomerNew, both},
		{"both unknown", wins, []match.Candidate{email(""), customer("")}, match.New, "", match.ReasonCustomerNew, both},
		{"both of one", review, []match.Candidate{email("a"), customer("a")}, match.Matched, "a", match.ReasonCustomerKnown, nil},
		{"both of one", wins, []match.Candidate{email("a"), customer("a")}, match.Matched, "a", match.ReasonCustomerKnown, nil},
		{"address known", review, []match.Candidate{email("a"), customer("")}, match.Matched, "a", match.ReasonCustomerNew, both[1:]},
		{"address known", wins, []match.Candidate{email("a"), customer("")}, match.Matched, "a", match.ReasonCustomerNew, both[1:]},
		{"customer known", review, []match.Candidate{email(""), customer("b")}, match.Review, "", match.ReasonAddressNew, nil},
		{"customer known", wins, []match.Candidate{email(""), customer("b")}, match.Matched, "b", match.ReasonEmailNew, both[:1]},
		{"of two", review, []match.Candidate{email("a"), customer("b")}, match.Review, "", match.ReasonSeveral, nil},
		{"of two", wins, []match.Candidate{email("a"), customer("b")}, match.Matched, "b", match.ReasonCustomerBeats, nil},
		{"another customer's address", review, []match.Candidate{email("a", "customer:x"), customer("")}, match.Review, "", match.ReasonCustomerDiffers, nil},
		{"another customer's address", wins, []match.Candidate{email("a", "customer:x"), customer("")}, match.Review, "", match.ReasonCustomerDiffers, nil},
		{"another customer's address", "", []match.Candidate{email("a", "customer:x"), customer("")}, match.Review, "", match.ReasonCustomerDiffers, nil},
		{"another customer's address, of a known one", wins, []match.Candidate{email("a", "customer:x"), customer("b")}, match.Matched, "b", match.ReasonCustomerBeats, nil},
		{"shared inbox of a customer", review, []match.Candidate{sharedBox(), customer("b")}, match.Matched, "b", match.ReasonSharedInbox, nil},
		{"shared inbox of a customer", wins, []match.Candidate{sharedBox(), customer("b")}, match.Matched, "b", match.ReasonSharedInbox, nil},
		{"shared inbox of a new customer", review, []match.Candidate{sharedBox(), customer("")}, match.New, "", match.ReasonSharedInbox, both[1:]},
		{"no address", wins, []match.Candidate{customer("b")}, match.Matched, "b", match.ReasonCustomerKnown, nil},
		{"ignored", ignore, []match.Candidate{email("a"), customer("b")}, match.Matched, "a", match.ReasonCustomerIgnored, nil},
		{"ignored, of a new person", ignore, []match.Candidate{email(""), customer("b")}, match.New, "", match.ReasonCustomerIgnored, both[:1]},
		{"ignored, and nothing else", ignore, []match.Candidate{customer("b")}, match.Review, "", match.ReasonNoKey, nil},
		{"unsaid", "", []match.Candidate{email(""), customer("b")}, match.Matched, "b", match.ReasonEmailNew, both[:1]},
		{"unsaid, of two", "", []match.Candidate{email("a"), customer("b")}, match.Review, "", match.ReasonSeveral, nil},
	} {
		for range 2 {
			got := match.Rule{Customers: c.use}.Decide(c.in)
			slices.Sort(got.Keys)
			want := slices.Sorted(slices.Values(c.keys))
			if got.Outcome != c.outcome || got.Contact != c.contact || !slices.Contains(got.Reasons, c.reason) || !slices.Equal(got.Keys, want) {
				t.Errorf("%s under %q: %+v, want %s %q, reason %s, keys %v", c.name, c.use, got, c.outcome, c.contact, c.reason, want)
			}
			slices.Reverse(c.in) // the order says nothing
		}
	}
}

// TestNoKeyOfAnotherIsTaken: whatever the keys and the rule, only a key that
// nobody has becomes anybody's, and a person is asked before two contacts
// become one but where a customer ID wins.
func TestNoKeyOfAnotherIsTaken(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		use := rapid.SampledFrom([]string{"", tenant.CustomersIgnore, tenant.CustomersReview, tenant.CustomersWin}).Draw(t, "use")
		list := []match.Candidate{}
		if rapid.Bool().Draw(t, "address") {
			e := email(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "of"))
			e.Shared = rapid.Bool().Draw(t, "shared")
			if e.Contact != "" && rapid.Bool().Draw(t, "customer already") {
				e.Customers = []string{"customer:x"}
			}
			list = append(list, e)
		}
		if rapid.Bool().Draw(t, "customer") {
			list = append(list, customer(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "customer of")))
		}
		got := match.Rule{Customers: use}.Decide(list)
		if got.Outcome == match.Review && len(got.Keys) != 0 {
			t.Fatalf("a question gives keys away: %+v", got)
		}
		for _, k := range got.Keys {
			if !slices.ContainsFunc(list, func(c match.Candidate) bool { return c.KeyID == k && c.Contact == "" && !c.Shared }) {
				t.Fatalf("key %s is somebody's: %+v", k, got)
			}
		}
		if len(got.Candidates) > 1 && got.Outcome != match.Review && use != tenant.CustomersWin {
			t.Fatalf("two contacts and no question: %+v", got)
		}
	})
}
