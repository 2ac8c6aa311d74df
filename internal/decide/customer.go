package decide

import (
	"slices"

	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

// Customer is whom an authenticated sender says that an event is of, by the
// sender's own ID.
type Customer struct {
	KeyID string // of package contact; "" for none
	Fault string // why what is stated is none, or ""
}

// CustomerOf applies the policy to what an event states. A policy reads none of
// an endpoint that anybody may post to.
func CustomerOf(p tenant.Policy, f content.Facts) Customer {
	if f.CustomerID == "" || p.Customers() == tenant.CustomersIgnore {
		return Customer{}
	}
	id, ok := contact.CustomerKey(f.CustomerID)
	if !ok {
		return Customer{Fault: match.ReasonCustomerInvalid}
	}
	return Customer{KeyID: id}
}

// LedTo is the contact that a ground leads to, as it was read: the one that is
// matched, else the address's, else the customer ID's; nil for none. Its
// enquiries and its cadence are part of the ground.
func LedTo(g Ground) *contact.Contact { return (&builder{g: g}).contact() }

func (b *builder) contact() *contact.Contact {
	byAddress, byID := b.g.Seen.Contact, b.g.Seen.Customer
	if b.g.Seen.CustomerKey == nil {
		return byAddress
	}
	res := b.whose()
	for _, c := range []*contact.Contact{byAddress, byID} {
		if c != nil && (res.Outcome != match.Matched || res.Contact == c.ID) {
			return c
		}
	}
	return nil // the key's contact has gone
}

// customerCandidate is the customer ID's part in the matching, if there is one.
func (b *builder) customerCandidate() (match.Candidate, bool) {
	cu := CustomerOf(b.g.Policy, b.g.Facts)
	if cu.KeyID == "" {
		return match.Candidate{}, false
	}
	cand := match.Candidate{KeyID: cu.KeyID, Kind: contact.KindCustomer}
	if k := b.g.Seen.CustomerKey; k != nil {
		cand.Contact = k.Contact
		if c := b.g.Seen.Customer; c != nil {
			cand.Contact = c.ID // read through merges
		}
	}
	return cand, true
}

// customersOf are the customer keys that a contact lists.
func customersOf(c *contact.Contact) []string {
	if c == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Keys), func(id string) bool { return !contact.IsCustomerKey(id) })
}

// approved is what a person's answer makes of a question about two keys: that
// the address is the customer's, or that the enquiry is the address's, whose
// contact gets no second customer ID by it.
func (b *builder) approved(res match.Result) match.Result {
	switch {
	case res.Outcome != match.Review || len(res.Candidates) == 0:
	case slices.Contains(res.Reasons, match.ReasonAddressNew) && b.settled(match.ReasonAddressNew):
		res.Outcome, res.Contact, res.Keys = match.Matched, res.Candidates[0], []string{b.g.Person.KeyID}
	case slices.Contains(res.Reasons, match.ReasonCustomerDiffers) && b.settled(match.ReasonCustomerDiffers),
		slices.Contains(res.Reasons, match.ReasonDisputed) && b.settled(match.ReasonDisputed):
		res.Outcome, res.Contact = match.Matched, res.Candidates[0]
	}
	return res
}

// bounded keeps the addresses of one contact within what a decision and a claim
// can read (contact.MaxAddresses): whoever sends forms of one customer from ever
// new addresses goes to a person, and gets no further key. Who goes on with it
// has the enquiry filed all the same.
func (b *builder) bounded(res match.Result) match.Result {
	if res.Outcome != match.Matched || !slices.Contains(res.Keys, b.g.Person.KeyID) {
		return res
	}
	c := b.g.Seen.Customer
	if c == nil || c.ID != res.Contact || len(c.Addresses()) < contact.MaxAddresses {
		return res
	}
	res.Reasons = append(res.Reasons, match.ReasonManyAddresses)
	res.Keys = slices.DeleteFunc(slices.Clone(res.Keys), func(id string) bool { return id == b.g.Person.KeyID })
	if !b.settled(match.ReasonManyAddresses) {
		res.Outcome, res.Contact, res.Keys = match.Review, "", nil
	}
	return res
}

// standOnKeys makes each key part of the ground, and puts those that become
// the contact's. It returns the keys that were put.
func (b *builder) standOnKeys(res match.Result) ([]string, error) {
	var put []string
	for _, k := range []struct {
		name, id string
		seen     *contact.Key
	}{
		{"contact_key", b.addressKey(), b.g.Seen.Key},
		{"customer_key", CustomerOf(b.g.Policy, b.g.Facts).KeyID, b.g.Seen.CustomerKey},
	} {
		at := ledger.ContactKey.At(b.tenant(), k.id)
		switch {
		case k.id == "" || k.name == "contact_key" && b.ledByNext(b.res.Contact):
		case k.seen != nil: // it must still lead to whom it led to
			cond := ledger.Is(contact.HolderAttr, k.seen.Contact)
			if k.seen == b.g.Seen.Key && b.settlesDispute() {
				if err := b.c.Update(k.name, at, cond, ledger.Item{contact.DisputedAttr: ""}); err != nil {
					return nil, err
				}
				continue
			}
			if !k.seen.Disputed {
				cond = ledger.All(cond, ledger.Absent(contact.DisputedAttr))
			}
			b.c.Check(k.name, at, cond)
		case !slices.Contains(res.Keys, k.id):
			b.c.Check(k.name, at, ledger.Missing())
		default:
			put = append(put, k.id)
			if err := PutContactKey(&b.c, k.name, b.newKey(k.id)); err != nil {
				return nil, err
			}
		}
	}
	return put, nil
}

// addressKey is the key of the person's address; "" of one that names nobody.
func (b *builder) addressKey() string {
	if b.shared() {
		return ""
	}
	return b.g.Person.KeyID
}

func (b *builder) newKey(id string) contact.Key {
	k := contact.Key{Tenant: b.tenant(), ID: id, Contact: b.res.Contact, CreatedAt: b.g.Now, InboundEvent: b.g.Event.ID}
	if !contact.IsCustomerKey(id) {
		k.RuleVersion = b.g.Policy.Identity.Version
	}
	return k
}

// newCustomer gives a new contact its customer ID.
func (b *builder) newCustomer(res match.Result, c *contact.Contact) error {
	id := CustomerOf(b.g.Policy, b.g.Facts).KeyID
	if id == "" || !slices.Contains(res.Keys, id) {
		return nil
	}
	c.Keys = append(c.Keys, id)
	return PutContactKey(&b.c, "customer_key", b.newKey(id))
}

// ReasonAddressOfAnother has a person approve a mail to an address that leads to
// another contact than the one it is for.
const ReasonAddressOfAnother = "address_of_another_contact"

// addressOfAnother tells whether the event's address leads to another contact
// than the one the event is of: so it is where a customer ID beat it.
func (b *builder) addressOfAnother() bool {
	k := b.g.Seen.Key
	if k == nil || b.shared() {
		return false
	}
	c := b.g.Seen.Contact
	return c == nil || c.ID != b.res.Contact
}

// withdrawCustomer carries a wish not to be mailed to the contact of the
// customer ID too: the address is stopped in any case, and what waits for his
// other addresses ends.
func (b *builder) withdrawCustomer() error {
	cu := CustomerOf(b.g.Policy, b.g.Facts)
	c := b.g.Seen.Customer
	switch {
	case cu.KeyID == "":
		return nil
	case b.g.Seen.CustomerKey == nil: // who gets it before this commit has to be told too
		b.c.Check("customer_key", ledger.ContactKey.At(b.tenant(), cu.KeyID), ledger.Missing())
		return nil
	case c == nil:
		return nil
	}
	if b.raised[c.ID] {
		return nil // told by his address
	}
	if err := b.raiseConsent(c); err != nil {
		return err
	}
	return b.born(outbox.Operation{
		ID: b.ids.ID("op", outbox.CancelIntents, b.tenant(), b.g.Event.ID, "customer"), Kind: outbox.CancelIntents,
		Guard: b.g.Person.GuardID, Contact: c.ID, Event: b.g.Event.ID,
	})
}

// name writes down which contacts the event may be of, and by what.
func (b *builder) name(t *review.Task) {
	add := func(c *contact.Contact, by string) {
		if c == nil {
			return
		}
		if at := slices.Index(t.Candidates, c.ID); at >= 0 {
			t.CandidatesBy[at] += "+" + by
			return
		}
		t.Candidates, t.CandidatesBy = append(t.Candidates, c.ID), append(t.CandidatesBy, by)
	}
	by := review.ByEmail
	if b.shared() {
		by = review.ByCause
	}
	add(b.g.Seen.Contact, by)
	add(b.g.Seen.Customer, review.ByCustomer)
	add(b.g.main().others(), review.ByNextForm)
	add(b.second(), review.ByReplyTo)
	for _, p := range b.g.Seen.Mailed {
		add(p.Contact, review.ByMail)
	}
}

// keyRule names what the match was made by.
func (b *builder) keyRule() string {
	if CustomerOf(b.g.Policy, b.g.Facts).KeyID == "" {
		return review.ByEmail
	}
	return review.ByEmail + "+" + review.ByCustomer + "/" + b.g.Policy.Customers()
}
