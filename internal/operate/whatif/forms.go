package whatif

import (
	"context"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
)

// sameKeys tells whether two policies find a person by the same keys: all but what
// they say of the address is the same. Two versions of an identity rule that
// give an address one form differ in the name of its key alone: before the
// later one is in force, a migration leads its key where the other leads.
func sameKeys(a, b decide.Person) bool {
	one, next, nextOfB := form(a.KeyID), form(a.NextKeyID), form(b.NextKeyID)
	if one != form(b.KeyID) || next != nextOfB && (next != "" && next != one || nextOfB != "" && nextOfB != one) {
		return false
	}
	a.Shared, a.Own, a.Role, a.KeyID, a.NextKeyID = b.Shared, b.Own, b.Role, b.KeyID, b.NextKeyID
	return a == b
}

// form is what an identity rule makes of an address, whatever its version.
func form(keyID string) string {
	if _, value, ok := contact.EmailKey(keyID); ok {
		return value
	}
	return keyID
}

// forms gives a party the keys that the other policy names of its address, where
// sameKeys holds: those that were read, or what was there already. A later
// version of a rule that nobody had put a key of then is taken to lead where the
// one in force led, as its migration makes it. Of the main person the contact is
// the key's, or else the next form's.
func (j *job) forms(ctx context.Context, o decide.Party, p decide.Person, main bool) (decide.Party, string, error) {
	was := o
	o.Person = p
	if was.Key == nil {
		was.Contact = nil
	}
	if shared(was) {
		if p.NextKeyID == "" {
			o.Next, o.NextContact = nil, nil
		}
		return o, "", nil
	}
	key, untold, err := j.formOf(ctx, was, p.KeyID)
	if untold != "" || err != nil {
		return o, untold, err
	}
	next, untold, err := j.formOf(ctx, was, p.NextKeyID)
	if untold != "" || err != nil {
		return o, untold, err
	}
	if key.key == nil && p.KeyID != was.Person.KeyID {
		key = led{was.Key, was.Contact}
	}
	o.Key, o.Contact, o.Next, o.NextContact = key.key, key.contact, next.key, next.contact
	if main && o.Key == nil && o.Next != nil && !o.Next.Shared {
		o.Contact = o.NextContact
	}
	return o, "", nil
}

// led is a key and the contact that it leads to.
type led struct {
	key     *contact.Key
	contact *contact.Contact
}

func (j *job) formOf(ctx context.Context, was decide.Party, id string) (led, string, error) {
	switch id {
	case "":
		return led{}, "", nil
	case was.Person.KeyID:
		return led{was.Key, was.Contact}, "", nil
	case was.Person.NextKeyID:
		return led{was.Next, was.NextContact}, "", nil
	}
	it, err := j.then(ctx, ledger.Key{Entity: ledger.ContactKey, Tenant: j.e.Tenant, ID: id})
	switch {
	case err != nil || it == nil:
		return led{}, "", err
	case was.Key != nil && was.Key.Contact == it.Text("contact"):
		return led{was.Key, was.Contact}, "", nil
	}
	return led{}, IdentityDiffers, nil
}

// holderNotRead tells whether the other policy would list a further key at a
// contact that has been merged and was not read itself.
func holderNotRead(p, old decide.Party) bool {
	return p.Person.NextKeyID != "" && old.Person.NextKeyID == "" && p.Next == nil &&
		p.Key != nil && p.Contact != nil && p.Key.Contact != p.Contact.ID
}
