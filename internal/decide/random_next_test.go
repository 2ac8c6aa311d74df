package decide_test

import (
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
)

// randomNext draws what the next form of each address names, out of the people
// that the ground has already and one more, as process reads it.
func randomNext(t *rapid.T, g *decide.Ground) {
	g.Policy.IdentityNext = &tenant.Identity{Version: 2, FoldPlus: true}
	people := map[string]*contact.Contact{"contact-5": owner("contact-5", "customer:C-8")}
	for _, c := range []*contact.Contact{g.Seen.Contact, g.Seen.Customer} {
		if c != nil {
			people[c.ID] = c
		}
	}
	for _, p := range g.Also {
		if p.Contact != nil {
			people[p.Contact.ID] = p.Contact
		}
	}
	named := func(name, id string) (*contact.Key, *contact.Contact) {
		who := pick(t, name, "", "contact-1", "contact-2", "contact-3", "contact-5", "shared")
		c := people[who]
		switch {
		case who == "shared":
			return &contact.Key{Tenant: "demo", ID: id, Contact: "contact-5", Shared: true, RuleVersion: 2}, nil
		case c == nil || c.Status == contact.Erased:
			return nil, nil
		}
		k := &contact.Key{Tenant: "demo", ID: id, Contact: c.ID, RuleVersion: 2}
		if rapid.IntRange(0, 3).Draw(t, name+" merged") == 0 {
			k.Contact = "loser-of-" + c.ID
		}
		return k, c
	}
	if g.Person.Known() {
		g.Person.NextKeyID = decide.KeyUnder(*g.Policy.IdentityNext, g.Person.Address)
		g.Seen.Next, g.Seen.NextContact = named("next", g.Person.NextKeyID)
		held(g)
	}
	for i := range g.Also {
		p := &g.Also[i]
		p.Person.NextKeyID = decide.KeyUnder(*g.Policy.IdentityNext, p.Person.Address)
		p.Next, p.NextContact = named("next also", p.Person.NextKeyID)
	}
}

// TestEveryGroundDuringAMigrationIsAValidCommit: whoever the two forms of each
// address, the customer ID and the merges name, no item is in a commit twice,
// and a wish raises whoever any of them names.
func TestEveryGroundDuringAMigrationIsAValidCommit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := randomGround(t)
		randomNext(t, &g)
		g.Seen.Enquiry, g.Seen.Intent = nil, nil
		if c := decide.LedTo(g); c == nil || g.Seen.Cadence != nil && g.Seen.Cadence.Contact != c.ID {
			g.Seen.Cadence, g.Seen.Slot = nil, nil
		}
		res := decideOn(t, g)
		if n := len(res.Commit.Writes); n > 60 {
			t.Errorf("%d writes", n)
		}
		keys := map[string]int{}
		for _, k := range created[contact.Key](t, res, ledger.ContactKey) {
			if keys[k.ID]++; k.Contact == "" {
				t.Errorf("key %s leads nowhere", k.ID)
			}
			if n := g.Seen.Next; k.ID == g.Person.KeyID && n != nil && !n.Shared && k.Contact != n.Contact && k.Contact != g.Seen.NextContact.ID {
				t.Errorf("the form in force comes to %s, and the next one leads to %s", k.Contact, n.Contact)
			}
		}
	})
}
