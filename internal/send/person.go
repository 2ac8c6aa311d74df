package send

import (
	"context"
	"fmt"
	"slices"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
)

// addressee is who a mail goes to, as read before the claim. The guards of the
// person's other addresses become conditions of the claim; so do those of the
// contact that the recipient's address leads to, where that is another one: a
// customer ID beat the address, or a merge was taken back.
type addressee struct {
	contact   *contact.Contact // nil when it is not there
	elsewhere []people.Guard
	keyID     string           // of the recipient's address; "" where it names nobody
	key       *contact.Key     // as it was read
	holder    *contact.Contact // whom it leads to, if that is not the contact
}

func (s *Service) addressee(ctx context.Context, i followup.Intent) (addressee, error) {
	c, err := people.Get(ctx, s.Store, i.Tenant, i.Contact)
	if err != nil || c == nil || c.Status != contact.Active {
		return addressee{contact: c}, err // the claim is refused, and says why
	}
	to := addressee{contact: c}
	if to.elsewhere, err = people.Elsewhere(ctx, s.Store, s.IDs, *c, i.Guard); err != nil {
		return to, err
	}
	return to, s.seeHolder(ctx, i, &to)
}

// seeHolder reads whom the recipient's address leads to now.
func (s *Service) seeHolder(ctx context.Context, i followup.Intent, to *addressee) error {
	policy, err := s.Policies.Current(ctx, i.Tenant)
	if err != nil {
		return fmt.Errorf("whose the recipient of intent %s is: %w", i.ID, err)
	}
	p := decide.Identify(s.IDs, policy, i.Recipient)
	if !p.Known() || p.Shared {
		return nil
	}
	var k contact.Key
	found, err := s.get(ctx, ledger.ContactKey.At(i.Tenant, p.KeyID), &k)
	switch {
	case err != nil:
		return err
	case k.Shared:
		return nil
	}
	to.keyID = p.KeyID
	if !found {
		return nil
	}
	to.key = &k
	c, _, err := people.Find(ctx, s.Store, i.Tenant, k.Contact)
	if err != nil || c == nil || c.ID == i.Contact || c.Status != contact.Active {
		return err
	}
	to.holder = c
	others, err := people.Elsewhere(ctx, s.Store, s.IDs, *c, i.Guard)
	for _, g := range others {
		if !slices.ContainsFunc(to.elsewhere, func(o people.Guard) bool { return o.ID == g.ID }) {
			to.elsewhere = append(to.elsewhere, g)
		}
	}
	return err
}

// sameReach holds while the contact has the addresses whose guards were read.
func (a addressee) sameReach() ledger.Cond {
	if a.contact == nil {
		return ledger.Missing()
	}
	return decide.SameReach(*a.contact)
}

// conditions puts the guards of the person's other addresses into a claim, and
// that the recipient's address still leads to whom it led to.
func (a addressee) conditions(c *ledger.Commit, i followup.Intent) {
	if a.keyID != "" {
		cond := ledger.Missing()
		if a.key != nil {
			cond = ledger.Is(contact.HolderAttr, a.key.Contact)
		}
		c.Check("recipient", ledger.ContactKey.At(i.Tenant, a.keyID), cond)
	}
	if h := a.holder; h != nil {
		c.Check("recipient", people.Key(i.Tenant, h.ID), ledger.All(ledger.Is(contact.StatusAttr, h.Status), decide.SameReach(*h)))
	}
	for _, g := range a.elsewhere {
		c.Check("elsewhere", ledger.Guard.At(i.Tenant, g.ID), decide.ClearElsewhere(i.Scope))
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
