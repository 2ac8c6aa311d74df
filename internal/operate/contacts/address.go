package contacts

import (
	"context"
	"fmt"
	"slices"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
)

// readAddress reads a contact and one more address.
func (s *Service) readAddress(ctx context.Context, policy tenant.Policy, a Act) (*work, error) {
	c, err := s.find(ctx, policy, a.Contact)
	if err != nil {
		return nil, err
	}
	if c, err = s.through(ctx, c); err != nil {
		return nil, err
	}
	if c.Status != contact.Active {
		return nil, &Refusal{fmt.Sprintf("contact %s is erased", c.ID), "a new mail makes a new contact"}
	}
	p := decide.Identify(s.IDs, policy, a.Address)
	switch {
	case !p.Known():
		return nil, &Refusal{"the new address cannot be read", "give it as it stands in mail: name@example.com"}
	case p.Own:
		return nil, &Refusal{"the new address is one of the business itself", "own_domains and own_addresses of the policy say so"}
	case p.Shared:
		return nil, &Refusal{"several people write from the new address, so it can be nobody's", "shared_addresses of the policy says so"}
	case p.Role:
		return nil, &Refusal{"the new address is of a role or a machine, not of a person", "use an address that one person reads"}
	}
	who, err := s.side(ctx, c)
	if err != nil {
		return nil, err
	}
	k, err := s.key(ctx, policy.Tenant, p.KeyID)
	if err != nil {
		return nil, err
	}
	ad := adding{who: who, person: p, policy: policy, change: a.Kind == ChangeAddress, known: k != nil}
	if k != nil {
		if err := s.itsOwn(ctx, *k, c); err != nil {
			return nil, err
		}
	} else if err := ad.fits(); err != nil {
		return nil, err
	}
	// While the identity rule is migrated the address has a second form, which
	// is put with the first: a pass of the migration may be past it.
	if p.NextKeyID != "" {
		if ad.next, err = s.key(ctx, policy.Tenant, p.NextKeyID); err != nil {
			return nil, err
		}
		if ad.next != nil && !ad.next.Shared {
			if err := s.itsOwn(ctx, *ad.next, c); err != nil {
				return nil, err
			}
		}
	}
	it, err := s.Store.Get(ctx, ledger.Guard.At(policy.Tenant, p.GuardID))
	if err != nil {
		return nil, fmt.Errorf("read the guard of an address: %w", err)
	}
	ad.guard = people.Guard{ID: p.GuardID, Item: it}
	return ad.work(Plan{Act: a.Kind, Tenant: a.Tenant, Contact: c.ID}), nil
}

// itsOwn refuses an address that leads to somebody else.
func (s *Service) itsOwn(ctx context.Context, k contact.Key, c contact.Contact) error {
	if k.Shared {
		return &Refusal{"several people write from the new address, so it can be nobody's", "its key is marked as shared"}
	}
	last, _, err := people.Find(ctx, s.Store, k.Tenant, k.Contact)
	if err != nil {
		return err
	}
	if last == nil || last.ID != c.ID {
		return &Refusal{"the new address is that of another contact, " + k.Contact,
			fmt.Sprintf("if the two are one person: `onefold contact merge %s %s`", k.Contact, c.ID)}
	}
	return nil
}

// adding is one more address of a contact, or another main one.
type adding struct {
	who    side
	person decide.Person
	policy tenant.Policy
	guard  people.Guard // of the address
	change bool         // it becomes the main one
	known  bool         // it leads to the contact already
	next   *contact.Key // of its form under the rule that is migrated to, if there is one
}

// fits keeps what a decision reads of one person within bounds.
func (a adding) fits() error {
	c := a.who.contact
	if n := len(c.Addresses()); n >= contact.MaxAddresses {
		return &Refusal{fmt.Sprintf("contact %s has %d addresses, and at most %d", c.ID, n, contact.MaxAddresses), "is this really one person?"}
	}
	if n := len(a.who.addresses()); n >= contact.MaxPersonAddresses {
		return &Refusal{fmt.Sprintf("%d addresses lead to contact %s, and at most %d may", n, c.ID, contact.MaxPersonAddresses), "is this really one person?"}
	}
	return nil
}

func (a adding) work(shown Plan) *work {
	c, written := a.who.contact, a.person.Address.String()
	w := &work{mark: c}
	switch {
	case a.known && !a.change:
		shown.Already = fmt.Sprintf("%s is an address of %s already", written, named(c))
	case a.known && c.Email == written:
		shown.Already = fmt.Sprintf("%s is the main address of contact %s already", written, c.ID)
	}
	if shown.Already != "" {
		w.shown = shown
		return w
	}
	ch := change{of: c, event: "alias", reason: "person_gives_address", set: ledger.Item{}}
	if !a.known {
		ch.set[contact.KeysAttr] = append(slices.Clone(c.Keys), a.forms()...)
		ch.set[contact.ReachAttr] = c.Reach + 1
		ch.guard = a.guard.ID
		// What stands against mail there is the person's own wish from now on.
		ch.raise = isWish(a.guard.Item)
		w.guards = []people.Guard{a.guard}
		w.extra = a.putKey
	}
	if a.change {
		ch.event, ch.reason = "change_address", "person_changes_address"
		ch.set["email"], ch.set[contact.RevisionAttr] = written, c.Revision+1
		if a.policy.CRM.Kind != "" {
			ch.told = c.Revision + 1
		}
	}
	shown.Does, shown.Keeps = a.does(ch), a.keeps()
	w.shown, w.changes = shown, []change{ch}
	return w
}

// forms are the keys that are put: of the rule in force, and of the next one
// where it has none.
func (a adding) forms() []string {
	forms := []string{a.person.KeyID}
	if a.person.NextKeyID != "" && a.next == nil {
		forms = append(forms, a.person.NextKeyID)
	}
	return forms
}

// putKey makes the address lead to the contact; that nobody had it is the
// condition.
func (a adding) putKey(c *ledger.Commit, st stamp) error {
	for n, id := range a.forms() {
		rule := a.policy.Identity.Version
		if n > 0 {
			rule = a.policy.IdentityNext.Version
		}
		if err := decide.PutContactKey(c, "contact_key", contact.Key{
			Tenant: a.policy.Tenant, ID: id, Contact: a.who.contact.ID, RuleVersion: rule, CreatedAt: st.at,
		}); err != nil {
			return err
		}
	}
	return nil
}

func (a adding) does(ch change) []string {
	c, written := a.who.contact, a.person.Address.String()
	var out []string
	if !a.known {
		out = append(out, fmt.Sprintf("%s leads to %s: what comes from it is of that contact from now on", written, named(c)))
		out = append(out, united([]people.Guard{a.guard}, "the person")...)
		for _, g := range wishes(a.who.guards) {
			out = append(out, fmt.Sprintf("the opt-out of %s counts for it too: no mail goes there", addressOf(g)))
		}
	}
	if a.change {
		out = append(out, fmt.Sprintf("the main address of contact %s is %s, and no longer %s", c.ID, written, c.Email))
	}
	if ch.told > 0 {
		out = append(out, "the CRM is told of the new address")
	}
	return out
}

func (a adding) keeps() []string {
	if !a.change {
		return []string{fmt.Sprintf("the main address of contact %s stays %s", a.who.contact.ID, a.who.contact.Email)}
	}
	out := []string{"the old address still leads to the contact: a key is never freed"}
	for _, i := range a.who.waiting {
		if i.Recipient != "" && i.Recipient != a.person.Address.String() {
			out = append(out, fmt.Sprintf("follow-up %s, which waits, still goes to %s: that is what was decided and approved", i.ID, i.Recipient))
		}
	}
	return out
}
