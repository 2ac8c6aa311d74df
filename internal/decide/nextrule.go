package decide

import (
	"errors"
	"slices"

	"onefold/internal/address"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
)

// While a tenant's identity rule is being migrated an address has two keys: one
// under the rule in force, which alone says whose it is, and one under the rule
// that comes next. Both are read and both are put, so that none is missing when
// the next rule comes into force. Where the two name different people a person
// is asked: nothing makes a second contact for either key, and nothing joins
// two.

// RuleOf is an identity rule in the form that package address takes.
func RuleOf(r tenant.Identity) address.IdentityRule {
	return address.IdentityRule{KeepLocalCase: r.KeepLocalCase, FoldDots: r.FoldDots, FoldPlus: r.FoldPlus}
}

// KeyUnder names the key of an address under one rule.
func KeyUnder(r tenant.Identity, a address.Address) string {
	return contact.EmailKeyID(r.Version, string(a.IdentityKey(RuleOf(r))))
}

// nextKey is the key of an address under the rule that is migrated to; ""
// without a migration.
func nextKey(p tenant.Policy, a address.Address) string {
	if p.IdentityNext == nil {
		return ""
	}
	return KeyUnder(*p.IdentityNext, a)
}

// others is the contact that the next form of the address names and the form
// in force does not; nil when there is none.
func (p Party) others() *contact.Contact {
	c := p.NextContact
	if c == nil || p.Next == nil || p.Next.Shared || p.Contact != nil && p.Contact.ID == c.ID {
		return nil
	}
	return c
}

// underBoth is what the rule in force says, unless the next one names another
// contact: then a person decides. What he approves is the contact of the rule
// in force and, where that knows nobody, the one that was shown to him: in
// neither case is there a second contact.
func (b *builder) underBoth(res match.Result) match.Result {
	n := b.g.Seen.Next
	if n == nil || n.Shared || b.shared() || res.Outcome == match.Review {
		return res
	}
	named := n.Contact
	if c := b.g.Seen.NextContact; c != nil {
		named = c.ID // read through merges
	}
	if res.Outcome == match.Matched && res.Contact == named {
		return res
	}
	res.Reasons = append(res.Reasons, match.ReasonRuleCollision)
	if !slices.Contains(res.Candidates, named) {
		res.Candidates = append(res.Candidates, named)
	}
	// The address does not become that of a customer whom the next rule takes for
	// somebody else: once the migration is ready nobody would ask about it. Where
	// the next form leads, otherForms puts the other one.
	res.Keys = slices.DeleteFunc(slices.Clone(res.Keys), func(id string) bool { return id == b.g.Person.KeyID })
	switch {
	case !b.settled(match.ReasonRuleCollision):
		res.Outcome, res.Contact, res.Keys = match.Review, "", nil
	case res.Outcome == match.New:
		res.Outcome, res.Contact = match.Matched, named
		if len(customersOf(b.g.Seen.NextContact)) > 0 { // it gets no second customer ID by that
			res.Keys = nil
		}
	}
	return res
}

// nextOfNew puts the second form of a new contact's address, where nobody has
// it.
func (b *builder) nextOfNew(c *contact.Contact) error {
	id := b.g.Person.NextKeyID
	if id == "" || b.g.Seen.Next != nil {
		return nil
	}
	c.Keys = append(c.Keys, id)
	return b.putKey(id, b.g.Policy.NextVersion(), c.ID)
}

// otherForms puts the form of the address that is missing for a known contact,
// beside the keys that were put for it. The new one leads where the other does,
// not to the survivor of a merge: so a merge can be undone. Where the address is
// of another contact than the one that is matched, nothing is put: a pass of the
// migration finds its key. It returns the forms that become the contact's own.
func (b *builder) otherForms(c contact.Contact, put []string) ([]string, error) {
	k, n, p := b.g.Seen.Key, b.g.Seen.Next, b.g.Person
	if n != nil {
		b.c.Check("next_key", b.keyNamed(p.NextKeyID), ledger.Is(contact.HolderAttr, n.Contact))
	}
	ofAddress := b.g.Seen.Contact != nil && b.g.Seen.Contact.ID == c.ID
	switch {
	case p.NextKeyID == "" || b.shared():
	case slices.Contains(put, p.KeyID) && n == nil:
		return []string{p.NextKeyID}, b.putKey(p.NextKeyID, b.g.Policy.NextVersion(), c.ID)
	case k != nil && n == nil && ofAddress:
		return b.putForm(c, k.Contact, p.NextKeyID, b.g.Policy.NextVersion())
	case b.ledByNext(c.ID):
		return b.putForm(c, n.Contact, p.KeyID, b.g.Policy.Identity.Version)
	}
	return nil, nil
}

// ledByNext tells whether a person let the next form of the address say whose
// it is, since the form in force knows nobody.
func (b *builder) ledByNext(contactID string) bool {
	n, c := b.g.Seen.Next, b.g.Seen.NextContact
	return b.g.Seen.Key == nil && n != nil && !n.Shared && c != nil && c.ID == contactID && b.settled(match.ReasonRuleCollision)
}

// putForm puts a key for a contact that has another form of it. to is the
// contact, or one that was merged into it, which then lists the key.
func (b *builder) putForm(c contact.Contact, to, id string, rule int64) ([]string, error) {
	if err := b.putKey(id, rule, to); err != nil {
		return nil, err
	}
	if to == c.ID {
		return []string{id}, nil
	}
	h := b.g.Seen.Holder
	if h == nil || h.ID != to {
		return nil, errors.New("decide: the contact that a key names was not read")
	}
	r := b.audit([]string{ReasonOtherForm})
	r.Contact = h.ID
	_, err := b.c.Move(ledger.Step{
		Key:        ledger.Contact.At(b.tenant(), h.ID),
		Transition: h.Transition, Event: "add_key", Set: ledger.Item{contact.KeysAttr: append(slices.Clone(h.Keys), id)}, Audit: r,
	})
	return nil, err
}

// ReasonOtherForm is why a key is added to a contact: it is the form that
// another version of the identity rule gives to an address it has.
const ReasonOtherForm = "key_under_other_rule"

func (b *builder) putKey(id string, rule int64, contactID string) error {
	return PutContactKey(&b.c, "next_key", contact.Key{
		Tenant: b.tenant(), ID: id, Contact: contactID, RuleVersion: rule, CreatedAt: b.g.Now, InboundEvent: b.g.Event.ID,
	})
}

func (b *builder) keyNamed(id string) ledger.Key {
	return ledger.ContactKey.At(b.tenant(), id)
}

// stopNext raises the consent version of the contact that only the next form of
// a stopped address names, and ends what is queued for it: of two readings of
// whose wish it is, both are heard.
func (b *builder) stopNext(p Party) error {
	c := p.others()
	if c == nil || p.Person.Shared || b.raised[c.ID] {
		return nil
	}
	if err := b.raiseConsent(c); err != nil {
		return err
	}
	return b.born(outbox.Operation{
		ID:   b.ids.ID("op", outbox.CancelIntents, b.tenant(), b.g.Event.ID, p.Person.GuardID, itoa(p.Guard.Int(machine.TransitionAttr)), c.ID),
		Kind: outbox.CancelIntents, Guard: p.Person.GuardID, Contact: c.ID, Event: b.g.Event.ID,
	})
}

// nextStaysUnknown is keyStaysUnknown for the next form.
func (b *builder) nextStaysUnknown(p Party) {
	if p.Next == nil && p.Person.NextKeyID != "" {
		b.c.Check("next_key", b.keyNamed(p.Person.NextKeyID), ledger.Missing())
	}
}
