package extract

import (
	"context"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
)

// nextForm reads the key of an address under the identity rule that is being
// migrated to, where there is one.
func nextForm(t string, p decide.Person, key **contact.Key) []read {
	if p.NextKeyID == "" {
		return nil
	}
	return []read{{ledger.Key{Entity: ledger.ContactKey, Tenant: t, ID: p.NextKeyID}, into(key)}}
}

// seeNext reads whom the next form of an address names.
func (s *Service) seeNext(ctx context.Context, t string, next *contact.Key, named **contact.Contact) (err error) {
	if next == nil || next.Shared {
		return nil
	}
	*named, _, err = people.Find(ctx, s.Store, t, next.Contact)
	return err
}

// seeHolder reads the contact that will list the form that is missing: the
// first of the chain, which the other form names.
func (s *Service) seeHolder(ctx context.Context, g decide.Ground, chain []string, seen *decide.Seen) error {
	if g.Person.NextKeyID == "" || len(chain) < 2 {
		return nil
	}
	return s.read(ctx, []read{{ledger.Key{Entity: ledger.Contact, Tenant: g.Event.Tenant, ID: chain[0]}, into(&seen.Holder)}})
}
