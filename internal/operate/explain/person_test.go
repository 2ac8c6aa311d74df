package explain_test

import (
	"context"
	"strings"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/operate/explain"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/words"
)

// ann leads to bob by a merge. One who asks by either address is told of both,
// and of what either address has against mail.
func TestAPersonIsToldAsAWhole(t *testing.T) {
	t.Parallel()
	h := newHand(t)
	put := func(k ledger.Key, noun any) {
		t.Helper()
		h.commit(func(c *ledger.Commit) error { return c.Create("row", k, noun) })
	}
	policy, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	who := map[string]decide.Person{}
	for _, c := range []contact.Contact{
		{ID: "c-ann", Email: "ann@example.com", Status: contact.Merged, MergedInto: "c-bob"},
		{ID: "c-bob", Email: "bob@example.com", Status: contact.Active, Absorbed: []string{"c-ann"}},
	} {
		p := decide.Identify(h.ids, policy, c.Email)
		who[c.Email] = p
		c.Tenant, c.Keys, c.ConsentVersion = "demo", []string{p.KeyID}, 1
		put(key(ledger.Contact, c.ID), c)
		put(key(ledger.ContactKey, p.KeyID), contact.Key{Tenant: "demo", ID: p.KeyID, Contact: c.ID})
	}
	put(key(ledger.Guard, who["ann@example.com"].GuardID), ledger.Item{"stop_all": "2026-03-02T08:00:00.000Z", "reason": guard.ReasonOptOut})
	// A mail to ann that an approval moved to somebody else, while those were one.
	put(key(ledger.Intent, "i1"), followup.Intent{
		Tenant: "demo", ID: "i1", Rule: "welcome", Contact: "c-other", Guard: who["ann@example.com"].GuardID, Recipient: "ann@example.com", State: followup.Accepted, Transition: 3,
	})
	put(ledger.Enquiry.Under("demo", "c-ann", "cause"), contact.Enquiry{Tenant: "demo", Contact: "c-ann", FollowUp: "i1"})
	for asked, c := range map[string]struct {
		says    string
		intents int
	}{
		"ann@example.com": {"all mail to this address is stopped since 2026-03-02 08:00:00 (the person asked for no more mail)", 1},
		"bob@example.com": {"nothing stops mail to this address; but for all addresses of the person: the person wants no mail, and said so at another address", 0},
	} {
		tl, err := explain.Explain(t.Context(), h.store, h.ids, explain.Query{
			Tenant: "demo", Email: asked, Policy: func(context.Context, string) (tenant.Policy, error) { return policy, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(tl.Contacts) != 2 || tl.Guard.Says != c.says || len(tl.Intents) != c.intents {
			t.Errorf("%s: contacts %v, guard %q, %d follow-ups", asked, tl.Contacts, tl.Guard.Says, len(tl.Intents))
		}
	}
}

// A word or step of these acts that has no sentence is shown as it is, which
// nobody can read.
func TestTheWordsOfWhoIsWhoAreKnown(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		"person_says_same", "person_says_different", "person_gives_address", "person_changes_address", "opt_outs_united", "opted_out_elsewhere", "addresses_changed",
		"imported", "record_listed", "listed_as_opted_out",
	} {
		if said := words.Plain(word); said == word || strings.Contains(said, "_") {
			t.Errorf("%s: %q", word, said)
		}
	}
}
