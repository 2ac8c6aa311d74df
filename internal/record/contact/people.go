package contact

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/address"
)

// The bounds of one person. They keep every decision and every claim, which
// read all addresses of a person, within one read and one commit of the ledger.
const (
	MaxAbsorbed        = 20 // contacts that lead to one, by however many merges
	MaxAddresses       = 10 // addresses of one contact
	MaxPersonAddresses = 30 // addresses of a contact and all that lead to it
)

// ErrMergesDoNotEnd means that a chain of merges is longer than any that can be
// made, or a ring. A person has to look at its rows.
var ErrMergesDoNotEnd = errors.New("contact: merges that do not end")

// Follow reads a contact through its merges. It returns the contact that the
// ID stands for now, nil where one on the way is not there, and every ID that
// it passed, the last one being that contact's.
func Follow(id string, get func(id string) (*Contact, error)) (*Contact, []string, error) {
	var chain []string
	for range MaxAbsorbed + 1 {
		if id == "" {
			return nil, chain, nil
		}
		c, err := get(id)
		if err != nil {
			return nil, chain, err
		}
		chain = append(chain, id)
		if c == nil || c.Status != Merged {
			return c, chain, nil
		}
		id = strings.TrimSpace(c.MergedInto)
	}
	return nil, chain, fmt.Errorf("contact %s: %w", id, ErrMergesDoNotEnd)
}

// AddressOf is the address that a key of kind email stands for.
func AddressOf(keyID string) (address.Address, bool) {
	_, value, ok := EmailKey(keyID)
	if !ok {
		return address.Address{}, false
	}
	a := address.IdentityKey(value).Address()
	return a, a.Domain != ""
}

// Addresses are those of the contact's own keys, each once.
func (c Contact) Addresses() []address.Address {
	var out []address.Address
	for _, k := range c.Keys {
		if a, ok := AddressOf(k); ok && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// Fields are what an event may state of a contact.
func Fields() []string { return []string{"name", "company", "phone"} }

// Field is the value of one of Fields.
func (c Contact) Field(name string) string {
	switch name {
	case "name":
		return c.Name
	case "company":
		return c.Company
	default:
		return c.Phone
	}
}
