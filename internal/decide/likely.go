package decide

import (
	"slices"

	"onefold/internal/decide/match"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
)

// PhoneKey is the key of a phone number and a first name; "" where one of them is
// not stated. It never identifies: a person is told of its contact.
func PhoneKey(ids digest.Key, p tenant.Policy, phone, name string) string {
	phone, first := match.Phone(phone, p.Region), match.FirstName(name)
	if phone == "" || first == "" {
		return ""
	}
	return contact.KeyID(contact.KindPhone, ids.ID("phone", p.Tenant, phone, first))
}

func (b *builder) likelyKey() string {
	v := b.values()
	return PhoneKey(b.ids, b.g.Policy, v["phone"], v["name"])
}

// likelySame is the contact that the event's may be a duplicate of, where the event
// makes it or gives it the phone or name of the other; "" for none.
func (b *builder) likelySame(res match.Result) string {
	k := b.g.Seen.PhoneKey
	if k == nil || b.shared() || k.Contact == res.Contact {
		return ""
	}
	if res.Outcome == match.Matched {
		if set, _ := b.fills(*b.contact()); set["phone"] == nil && set["name"] == nil {
			return ""
		}
	}
	return k.Contact
}

// keepLikely has a contact found by its phone and name, where it is the first that
// has both. set is what the event writes into it.
func (b *builder) keepLikely(c contact.Contact, set ledger.Item) error {
	id := b.likelyKey()
	if id == "" || b.g.Seen.PhoneKey != nil || b.shared() || b.contradicted() {
		return nil
	}
	for _, field := range []string{"name", "phone"} {
		if v := b.values()[field]; set[field] != v && !b.same(field, c.Field(field), v) {
			return nil
		}
	}
	return PutContactKey(&b.c, "phone_key", b.newKey(id))
}

// dispute notes that a record with another name claims the address of a contact.
// A record that states no name, or only a first one, is a question from then on.
func (b *builder) dispute() error {
	k, c := b.g.Seen.Key, b.g.Seen.Contact
	if k == nil || k.Disputed || b.shared() || c == nil || c != b.contact() || b.contradicted() || !slices.Contains(b.conflicts(), "name") {
		return nil
	}
	return b.c.Update("contact_key", b.keyNamed(b.g.Person.KeyID), ledger.Is(contact.HolderAttr, k.Contact), ledger.Item{contact.DisputedAttr: true})
}

// settlesDispute reports whether a person has said that the message is from the
// contact that has the address.
func (b *builder) settlesDispute() bool {
	return b.g.Seen.Key.Disputed && (b.settled(match.ReasonFieldConflict) || b.settled(match.ReasonDisputed))
}
