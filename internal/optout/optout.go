// Package optout takes the use of the opt-out link that every follow-up
// carries (RFC 8058: a mail client's one click; or a person on the page).
//
// Its invariant: a link stops mail to the address that its own mail went to,
// and to the person who has that address, in one commit; and nothing else can
// be done with it. Only a POST stops: scanners of mail follow links, and must
// not opt anybody out.
//
// # What a crash leaves
//
// Before the commit nothing, and the person sees that it did not work; after
// it the stop, whether the answer arrives or not. Using the link again answers
// the same and changes nothing.
package optout

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// Service takes the use of links. All fields are needed.
type Service struct {
	Store    ledger.Store
	Policies *versions.Book
	IDs      digest.Key
	Now      func() time.Time
	Log      *slog.Logger
}

// ErrNoLink means that the link is none of ours, or its mail is not there.
// The two are not told apart.
var ErrNoLink = errors.New("optout: no such link")

// tries bounds how often a stop is decided again because its ground moved.
const tries = 8

// Link is the path of an intent's link below the opt-out route.
func Link(ids digest.Key, tenantID, intentID string) string {
	return tenantID + "/" + intentID + "/" + Token(ids, tenantID, intentID)
}

// See finds the mail of a link.
func (s *Service) See(ctx context.Context, tenantID, intentID, token string) (followup.Intent, error) {
	var i followup.Intent
	// The token first: no read is made for a guess.
	want := Token(s.IDs, tenantID, intentID)
	if subtle.ConstantTimeCompare([]byte(token), []byte(want)) != 1 {
		return i, ErrNoLink
	}
	found, err := ledger.Read[followup.Intent](ctx, s.Store, ledger.Intent.At(tenantID, intentID))
	if err != nil {
		return i, fmt.Errorf("intent %s: %w", intentID, err)
	}
	if found == nil {
		return i, ErrNoLink
	}
	return *found, nil
}

// Stop carries out the wish. nil means that it stands, from before or from
// now on.
func (s *Service) Stop(ctx context.Context, tenantID, intentID, token string) error {
	i, err := s.See(ctx, tenantID, intentID, token)
	if err != nil {
		return err
	}
	err = ledger.Retry(ctx, tries, func() (bool, error) { return s.stop(ctx, i) })
	if err != nil {
		return fmt.Errorf("stop by the link of intent %s: %w", intentID, err)
	}
	return nil
}

// stop decides once. again: what it was decided on has moved.
func (s *Service) stop(ctx context.Context, i followup.Intent) (again bool, err error) {
	l := LinkStop{Intent: i, Now: utc.At(s.Now())}
	if l.Guard, err = s.Store.Get(ctx, ledger.Guard.At(i.Tenant, i.Guard)); err != nil {
		return false, fmt.Errorf("read guard: %w", err)
	}
	var unread []error
	if l.Contacts, l.NoKeys, unread, err = s.people(ctx, i); err != nil {
		return false, err
	}
	if l.Stands() {
		return false, nil
	}
	c, err := StopByLink(l, s.IDs)
	if err != nil {
		return false, err
	}
	err = s.Store.Commit(ctx, c)
	if err != nil {
		// Of an unknown outcome the person is told that it is not sure, and tries
		// again.
		return ledger.Moved(err), err
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "opt-out by link", slog.String("tenant", i.Tenant), slog.String("intent", i.ID), slog.Int("contacts", len(l.Contacts)),
		metric.Count(schema.OptOuts, 1))
	for _, why := range unread {
		s.Log.LogAttrs(ctx, slog.LevelError, "the address is stopped; not all who have it were found", slog.String("tenant", i.Tenant), slog.String("intent", i.ID),
			slog.String("alarm", "opt_out_in_part"), slog.String("error", why.Error()))
	}
	return false, nil
}

// errUnreadable marks a row or policy that no further try makes readable.
var errUnreadable = errors.New("optout: cannot be read")

// people are who was mailed, and who has the address now: an alias or another
// contact may have taken it since.
//
// A ledger that does not answer is an error. What it holds and this code cannot
// read (a policy of newer code, a damaged row) is told in unread and left out:
// the guard alone forbids every mail to the address, and must not wait for it.
func (s *Service) people(ctx context.Context, i followup.Intent) (list []contact.Contact, noKeys []string, unread []error, err error) {
	holders, noKeys, err := s.holders(ctx, i)
	if errors.Is(err, errUnreadable) {
		unread, err = append(unread, err), nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	seen := map[string]bool{}
	for _, id := range append([]string{i.Contact}, holders...) {
		c, err := s.survivor(ctx, i.Tenant, id)
		switch {
		case errors.Is(err, errUnreadable):
			unread = append(unread, err)
		case err != nil:
			return nil, nil, nil, err
		case c.ID != "" && !seen[c.ID]:
			seen[c.ID] = true
			list = append(list, c)
		}
	}
	return list, noKeys, unread, nil
}

// holders are the contacts that have the address now, each form of it for
// itself: none, one or, while the identity rule is migrated, perhaps two. noKeys
// are the keys of the address where there is none yet: an alias may make one
// before the stop is committed, and then its contact has to be told too.
func (s *Service) holders(ctx context.Context, i followup.Intent) (list, noKeys []string, err error) {
	policy, err := s.Policies.Current(ctx, i.Tenant)
	var invalid *tenant.InvalidError
	switch {
	case errors.Is(err, versions.ErrNone):
		return nil, nil, nil
	case errors.As(err, &invalid):
		return nil, nil, fmt.Errorf("%w: the policy", errUnreadable)
	case err != nil:
		return nil, nil, err
	}
	p := decide.Identify(s.IDs, policy, i.Recipient)
	if !p.Known() || p.Shared {
		return nil, nil, nil
	}
	for _, id := range []string{p.KeyID, p.NextKeyID} {
		if id == "" {
			continue
		}
		it, err := s.Store.Get(ctx, ledger.ContactKey.At(i.Tenant, id))
		if err != nil {
			return nil, nil, fmt.Errorf("read contact key: %w", err)
		}
		shared, _ := it[contact.SharedAttr].(bool)
		switch {
		case it == nil:
			noKeys = append(noKeys, id)
		case !shared:
			list = append(list, it.Text(contact.HolderAttr))
		}
	}
	return list, noKeys, nil
}

// survivor is the contact that an ID leads to, or one without ID.
func (s *Service) survivor(ctx context.Context, tenantID, id string) (contact.Contact, error) {
	found, _, err := contact.Follow(id, func(id string) (*contact.Contact, error) {
		it, err := s.Store.Get(ctx, ledger.Contact.At(tenantID, id))
		if err != nil {
			return nil, fmt.Errorf("read contact %s: %w", id, err)
		}
		if it == nil {
			return nil, nil
		}
		var c contact.Contact
		if it.Decode(&c) != nil {
			return nil, fmt.Errorf("%w: contact %s", errUnreadable, id)
		}
		return &c, nil
	})
	switch {
	case errors.Is(err, contact.ErrMergesDoNotEnd):
		return contact.Contact{}, fmt.Errorf("%w: %w", errUnreadable, err)
	case err != nil || found == nil:
		return contact.Contact{}, err
	}
	return *found, nil
}
