package decide_test

import (
	"slices"

	"pgregory.net/rapid"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
)

// randomSender draws what is known of the sender besides the address, and what
// the policy makes of it.
func randomSender(t *rapid.T, g *decide.Ground) {
	g.Policy.CustomerIDs.Use = pick(t, "customer IDs", "", tenant.CustomersIgnore, tenant.CustomersReview, tenant.CustomersWin)
	g.Policy.Mail.Unauthenticated = pick(t, "unauthenticated", tenant.UnauthenticatedAccept, tenant.UnauthenticatedNoChanges, tenant.UnauthenticatedReview)
	g.Policy.Review.NewContacts = rapid.Bool().Draw(t, "approve new contacts")
	g.Policy.Rules[0].HighImpact = rapid.IntRange(0, 3).Draw(t, "high impact") == 0
	word := func(name string) string { return pick(t, name, "", "PASS", "FAIL", "GRAY") }
	g.Event.Verdicts = inbound.Verdicts{SPF: word("spf"), DKIM: word("dkim"), DMARC: word("dmarc")}
	if g.Facts.Content == tenant.ContentForm {
		g.Facts.CustomerID = pick(t, "customer ID", "", "C-1", "C-1", "no ID")
	}
}

func randomCustomer(t *rapid.T, g *decide.Ground) {
	cu := decide.CustomerOf(g.Policy, g.Facts)
	if cu.KeyID == "" {
		return
	}
	if c := g.Seen.Contact; c != nil && rapid.Bool().Draw(t, "same person") {
		c.Keys = append(c.Keys, cu.KeyID)
		g.Seen.CustomerKey, g.Seen.Customer = &contact.Key{Tenant: "demo", ID: cu.KeyID, Contact: c.ID, InboundEvent: "earlier"}, c
		return
	}
	k, c := randomPerson(t, *g, decide.Person{KeyID: cu.KeyID}, "contact-3")
	if k != nil {
		k.Shared = false // there are no shared customer IDs
	}
	g.Seen.CustomerKey, g.Seen.Customer = k, c
	if g.Seen.Contact != nil && rapid.IntRange(0, 3).Draw(t, "another ID") == 0 {
		g.Seen.Contact.Keys = []string{"customer:C-9"}
	}
}

// checkKeysAdded: a contact that exists gets a key only where the policy or a
// person lets it, and lists it; and a contradicted mail changes nothing of it.
func checkKeysAdded(t *rapid.T, g decide.Ground, res decide.Result, byAddress, byID int) {
	seen := func(reason string) bool { return g.Answer != nil && slices.Contains(g.Seen.Task.Reasons, reason) }
	switch {
	case byAddress > 0 && g.Policy.Customers() != tenant.CustomersWin && !seen(match.ReasonAddressNew):
		t.Error("an address became a customer's on nobody's word")
	case byID > 0 && g.Seen.Contact != nil && slices.Contains(g.Seen.Contact.Keys, "customer:C-9"):
		t.Error("a contact got a second customer ID")
	}
	forged := g.Event.Content == tenant.ContentMail && g.Event.DMARC == "FAIL" && g.Policy.Mail.Unauthenticated != tenant.UnauthenticatedAccept
	for _, w := range on(res, ledger.Contact) {
		if w.Op != ledger.OpUpdate {
			continue
		}
		for _, field := range []string{"name", "company", "phone"} {
			if _, changed := w.Set[field]; changed && forged && !seen(match.ReasonUnauthenticated) {
				t.Errorf("a contradicted mail changes the %s of a contact", field)
			}
		}
		if _, lists := w.Set["keys"]; lists != (byAddress+byID > 0) {
			t.Error("a contact does not list the key that it got")
		}
	}
}

// mustAsk tells whether a mail of a rule in auto mode needs a person.
func mustAsk(t *rapid.T, g decide.Ground, res decide.Result, i followup.Intent) bool {
	another := g.Seen.Key != nil && !g.Seen.Key.Shared && !g.Person.Shared && (g.Seen.Contact == nil || g.Seen.Contact.ID != i.Contact)
	fresh := len(created[contact.Contact](t, res, ledger.Contact)) > 0
	return g.Policy.Rules[0].HighImpact || another || fresh && g.Policy.Review.NewContacts
}
