package send

import (
	"context"

	"onefold/internal/contact"
	"onefold/internal/flow"
	"onefold/internal/followup"
	"onefold/internal/guard"
	"onefold/internal/ledger"
	"onefold/internal/people"
)

// addressee is who a mail goes to, as read before the claim. The guards of the
// person's other addresses become conditions of the claim.
type addressee struct {
	contact   *contact.Contact // nil when it is not there
	elsewhere []people.Guard
}

func (s *Service) addressee(ctx context.Context, i followup.Intent) (addressee, error) {
	c, err := people.Get(ctx, s.Store, i.Tenant, i.Contact)
	if err != nil || c == nil || c.Status != contact.Active {
		return addressee{contact: c}, err // the claim is refused, and says why
	}
	elsewhere, err := people.Elsewhere(ctx, s.Store, s.IDs, *c, i.Guard)
	return addressee{c, elsewhere}, err
}

// sameReach holds while the contact has the addresses whose guards were read.
func (a addressee) sameReach() ledger.Cond {
	if a.contact == nil {
		return ledger.Missing()
	}
	return flow.SameReach(*a.contact)
}

// conditions puts the guards of the person's other addresses into a claim.
func (a addressee) conditions(c *ledger.Commit, i followup.Intent) {
	for _, g := range a.elsewhere {
		c.Check("elsewhere", ledger.Key{Entity: ledger.Guard, Tenant: i.Tenant, ID: g.ID}, flow.ClearElsewhere(i.Scope))
	}
}

// saidElsewhere is what the refused conditions of a claim say about the
// person's other addresses: a wish before a doubt, "" if nothing.
func saidElsewhere(r *ledger.Refused, scope string) string {
	word := ""
	for _, f := range r.Failures {
		if f.Name != "elsewhere" {
			continue
		}
		switch guard.BlocksElsewhere(f.Current, scope) {
		case guard.OptedOutElsewhere:
			return guard.OptedOutElsewhere
		case guard.InDoubt:
			word = guard.InDoubt
		}
	}
	return word
}
