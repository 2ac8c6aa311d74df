package whatif

import (
	"context"
	"slices"

	"onefold/internal/decide"
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

// form is the key of an address that was read for the event's own decision, as
// the other policy names it: what was there already. A later version of an
// identity rule that nobody had put a key of then is taken to lead where the one
// in force led, as its migration makes it. reason says why it is not known.
func (j *job) form(ctx context.Context, in decide.Input, m decide.Missing) (key *contact.Key, reason string, err error) {
	mine := j.people(in)
	p := mine[slices.IndexFunc(mine, func(p decide.Person) bool { return p.KeyID == m.Of || p.NextKeyID == m.Of })]
	read := j.people(j.in)
	at := slices.IndexFunc(read, func(o decide.Person) bool { return o.Known() && o.GuardID == p.GuardID })
	if at < 0 {
		return nil, PersonNotRead, nil
	}
	o := read[at]
	if !sameKeys(o, p) {
		return nil, IdentityDiffers, nil
	}
	was, next := j.key(o.KeyID), j.key(o.NextKeyID)
	if o.Shared || was != nil && was.Shared {
		if m.Of == p.NextKeyID {
			return next, "", nil
		}
		return was, "", nil
	}
	it, err := j.then(ctx, m.Key)
	switch {
	case err != nil:
		return nil, "", err
	case it == nil && m.Of == p.KeyID, it != nil && was != nil && was.Contact == it.Text("contact"):
		return was, "", nil
	case it != nil:
		return nil, IdentityDiffers, nil
	}
	return nil, "", nil
}

// key is a key that was read for the event's own decision; nil: there was none.
func (j *job) key(id string) *contact.Key {
	k, _ := j.seen.Kept[decide.Ask{Role: decide.RoleKey, Of: id}].(*contact.Key)
	return k
}

func (j *job) people(in decide.Input) []decide.Person {
	main := decide.Identify(j.IDs, in.Policy, decide.AddressOf(in.Facts, in.Extraction, nil))
	return append([]decide.Person{main}, decide.Others(j.IDs, in.Policy, in.Facts, in.Extraction, main)...)
}
