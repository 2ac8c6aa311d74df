package decide

import (
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
)

// PutContactKey adds a contact key to a commit. It is the one place that puts
// any: a key is created on condition that nobody has it
// (attribute_not_exists on its primary key), in the same commit as what depends
// on it. So of all who race for one address or customer ID one makes the
// contact, and the others are refused with name and read again.
//
// Callers: a decision (a new contact, a known contact's further key, the form of
// an address under the next identity rule, the phone and name that a duplicate is
// looked for by, of which the first contact keeps the key), an alias by a person
// (operate/contacts), the migration of an identity rule (operate/rekey) and a list
// of contacts that is taken in (operate/intake).
func PutContactKey(c *ledger.Commit, name string, k contact.Key) error {
	return c.Create(name, ledger.ContactKey.At(k.Tenant, k.ID), k)
}
