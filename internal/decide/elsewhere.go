package decide

import (
	"slices"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
)

// GuardsOf names the guards of the addresses of contacts, each once and in
// order, but for one. The address of a key is not as it was written; its
// suppression key is the same, and so is the guard.
func GuardsOf(ids digest.Key, tenantID, but string, of ...contact.Contact) []string {
	var out []string
	for _, c := range of {
		for _, a := range c.Addresses() {
			if id := GuardID(ids, tenantID, a); id != but && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// SameReach holds while the contact has the addresses that it was read with.
func SameReach(c contact.Contact) ledger.Cond {
	if c.Reach == 0 {
		return ledger.Absent(contact.ReachAttr)
	}
	return ledger.Is(contact.ReachAttr, c.Reach)
}

// ClearElsewhere holds while the guard of one address forbids no mail of a
// scope to the person's other addresses, as guard.BlocksElsewhere has it.
func ClearElsewhere(scope string) ledger.Cond {
	return ledger.All(ledger.Absent(guard.HoldAttr), ledger.Any(
		ledger.Is(guard.ReasonAttr, guard.ReasonBounce),
		ledger.All(ledger.Absent(guard.StopAttr(guard.ScopeAll)), ledger.Absent(guard.StopAttr(scope))),
	))
}

// blockedElsewhere says what the person's other addresses have against a mail,
// or "": a wish before a doubt. A hold that this very answer takes off is none.
func (b *builder) blockedElsewhere() string {
	word := ""
	for _, g := range b.g.Seen.Elsewhere {
		switch guard.BlocksElsewhere(g, b.scope()) {
		case guard.OptedOutElsewhere:
			return guard.OptedOutElsewhere
		case guard.InDoubt:
			if !b.releases(g) {
				word = guard.InDoubt
			}
		}
	}
	return word
}

// releases tells whether this decision takes the last hold off a guard.
func (b *builder) releases(g ledger.Item) bool {
	return b.lifts(g) && len(b.othersHold(g)) == 0 &&
		slices.ContainsFunc(b.parties(), func(p Party) bool { return p.Person.GuardID == ledger.KeyOf(g).ID })
}
