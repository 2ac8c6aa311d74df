// Package people reads a person from the ledger: the contact that an ID leads
// to, the contacts that were merged into it, and what guards all the addresses
// of these.
//
// Its invariant: it reads through every merge and misses no address, or fails.
// What it returns is not of one moment; whoever acts on it conditions on the
// contact's Reach, and on the guards where that does not say enough. It writes
// nothing.
package people

import (
	"context"
	"fmt"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
)

// Find follows merges from an ID to the contact it stands for now, nil if one
// on the way is not there, and lists all IDs passed, that one last.
func Find(ctx context.Context, s ledger.Store, tenantID, id string) (*contact.Contact, []string, error) {
	return contact.Follow(id, func(id string) (*contact.Contact, error) { return Get(ctx, s, tenantID, id) })
}

// Get reads one contact as it is; nil if it is not there.
func Get(ctx context.Context, s ledger.Store, tenantID, id string) (*contact.Contact, error) {
	c, err := ledger.Read[contact.Contact](ctx, s, Key(tenantID, id))
	if err != nil {
		return nil, fmt.Errorf("contact %s: %w", id, err)
	}
	return c, nil
}

// Key is the key of a contact.
func Key(tenantID, id string) ledger.Key {
	return ledger.Contact.At(tenantID, id)
}

// With lists a contact and those that lead to it, in the order of its list. One
// that is listed and not there is an error: nothing is decided on a part.
func With(ctx context.Context, s ledger.Store, c contact.Contact) ([]contact.Contact, error) {
	all := []contact.Contact{c}
	if len(c.Absorbed) == 0 {
		return all, nil
	}
	keys := make([]ledger.Key, len(c.Absorbed))
	for n, id := range c.Absorbed {
		keys[n] = Key(c.Tenant, id)
	}
	items, err := s.GetMany(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("read what was merged into contact %s: %w", c.ID, err)
	}
	for n, it := range items {
		if it == nil {
			return nil, fmt.Errorf("contact %s was merged into %s and is not there", keys[n].ID, c.ID)
		}
		var one contact.Contact
		if err := it.Decode(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// Guard is what guards one address; Item is nil where nothing has ever.
type Guard struct {
	ID   string
	Item ledger.Item
}

// Guards reads what guards the addresses of contacts, but for the guard named.
func Guards(ctx context.Context, s ledger.Store, ids digest.Key, tenantID, but string, of ...contact.Contact) ([]Guard, error) {
	names := decide.GuardsOf(ids, tenantID, but, of...)
	if len(names) == 0 {
		return nil, nil
	}
	keys := make([]ledger.Key, len(names))
	for n, id := range names {
		keys[n] = ledger.Guard.At(tenantID, id)
	}
	items, err := s.GetMany(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("read the guards of a person: %w", err)
	}
	out := make([]Guard, len(names))
	for n, it := range items {
		out[n] = Guard{names[n], it}
	}
	return out, nil
}

// Elsewhere reads what guards the other addresses of a contact's person than
// the one whose guard is named.
func Elsewhere(ctx context.Context, s ledger.Store, ids digest.Key, c contact.Contact, but string) ([]Guard, error) {
	all, err := With(ctx, s, c)
	if err != nil {
		return nil, err
	}
	return Guards(ctx, s, ids, c.Tenant, but, all...)
}
