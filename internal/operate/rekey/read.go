package rekey

import (
	"context"
	"fmt"

	"onefold/internal/ledger"
	"onefold/internal/record/contact"
)

func keyNamed(tenantID, id string) ledger.Key {
	return ledger.ContactKey.At(tenantID, id)
}

// maxRedirects bounds the chain of merges that a key is read through.
const maxRedirects = 20

// leads follows merges from a contact: that one, and whom it leads to.
func (s *Service) leads(ctx context.Context, tenantID, id string) (first, last contact.Contact, err error) {
	for n := range maxRedirects {
		last = contact.Contact{}
		if err := s.read(ctx, ledger.Contact.At(tenantID, id), &last); err != nil {
			return first, last, err
		}
		if n == 0 {
			first = last
		}
		if last.Status != contact.Merged {
			return first, last, nil
		}
		id = last.MergedInto
	}
	return first, last, fmt.Errorf("contact %s: more than %d merges in a row", id, maxRedirects)
}

// read reads a row that must be there: a key, a contact or a task never goes.
func (s *Service) read(ctx context.Context, k ledger.Key, noun any) error {
	it, err := s.Store.Get(ctx, k)
	if err != nil {
		return fmt.Errorf("read a %s: %w", k.Entity, err)
	}
	if it == nil && k.Entity == ledger.Contact {
		return fmt.Errorf("contact %s is missing: `onefold verify` says what leads to it", k.ID)
	}
	if it == nil {
		return fmt.Errorf("a %s is missing", k.Entity)
	}
	return it.Decode(noun)
}
