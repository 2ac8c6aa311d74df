package register_test

import (
	"slices"
	"testing"

	"onefold/internal/decide/match"
	"onefold/internal/operate/register"
	"onefold/internal/policy/tenant"
)

// TestReading11NoRecordJoinsAnAddressInDispute: the outcomes are of the rule, one
// record after the other.
func TestReading11NoRecordJoinsAnAddressInDispute(t *testing.T) {
	t.Parallel()
	policy, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	policy.CustomerIDs.Use = tenant.CustomersReview
	people, err := register.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	for n, c := range []struct {
		name, customer, outcome, reason string
	}{
		{"Ada Lovelace", "C-1", match.New, match.ReasonEmailNew},
		{"", "", match.Matched, match.ReasonEmailKnown},
		{"Ada", "", match.Matched, match.ReasonEmailKnown},
		{"Bea King", "", match.Review, match.ReasonFieldConflict},
		{"", "", match.Review, match.ReasonDisputed},
		{"Ada", "", match.Review, match.ReasonDisputed},
		{"A. Lovelace", "", match.Review, match.ReasonDisputed},
		{"LOVELACE, Ada", "", match.Matched, match.ReasonEmailKnown},
		{"", "C-1", match.Matched, match.ReasonCustomerKnown},
	} {
		rec := register.Record{ID: "1", Emails: []register.Word{"family@example.org"}, Name: register.Word(c.name), CustomerID: register.Word(c.customer)}
		if got := people.Match(rec); got.Outcome != c.outcome || !slices.Contains(got.Reasons, c.reason) {
			t.Errorf("record %d, %q: %s %v, want %s for %s", n+1, c.name, got.Outcome, got.Reasons, c.outcome, c.reason)
		}
	}
}
