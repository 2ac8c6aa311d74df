package extract

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
)

// see reads the ledger for a decision: first by the address and the cause,
// then by the contact that was found. The reads are not of one moment; the
// commit's conditions make up for it.
func (s *Service) see(ctx context.Context, g decide.Ground) (decide.Seen, error) {
	t := g.Event.Tenant
	var seen decide.Seen
	var reads []read
	if g.Person.Known() {
		reads = append(addressed(t, g.Person, &seen.Key, &seen.Guard), nextForm(t, g.Person, &seen.Next)...)
	}
	if cu := decide.CustomerOf(g.Policy, g.Facts); cu.KeyID != "" {
		reads = append(reads, read{ledger.Key{Entity: ledger.ContactKey, Tenant: t, ID: cu.KeyID}, into(&seen.CustomerKey)})
	}
	if rule, ruled := decide.RuleFor(g); ruled {
		id := followup.IntentID(s.IDs, t, g.Facts.Cause, rule.ID, rule.Version)
		reads = append(reads, read{ledger.Key{Entity: ledger.Intent, Tenant: t, ID: id}, into(&seen.Intent)})
	}
	returned := make([]*followup.Intent, len(g.Facts.Returned))
	for n, id := range g.Facts.Returned {
		reads = append(reads, read{ledger.Key{Entity: ledger.Intent, Tenant: t, ID: id}, into(&returned[n])})
	}
	if g.Event.Review != "" {
		reads = append(reads, read{ledger.Key{Entity: ledger.ReviewTask, Tenant: t, ID: g.Event.Review}, into(&seen.Task)})
	}
	if err := s.read(ctx, reads); err != nil {
		return seen, err
	}
	for _, i := range returned {
		if i != nil {
			seen.Returned = append(seen.Returned, *i)
		}
	}
	if err := s.seeThread(ctx, g, &seen); err != nil {
		return seen, err
	}
	if err := s.seeNext(ctx, t, seen.Next, &seen.NextContact); err != nil {
		return seen, err
	}
	from := ""
	switch {
	case g.Person.Shared || seen.Key != nil && seen.Key.Shared:
		from = decide.KeylessContact(s.IDs, t, g.Facts.Cause)
	case seen.Key != nil:
		from = seen.Key.Contact
	case seen.Next != nil && !seen.Next.Shared:
		from = seen.Next.Contact
	}
	var ofAddress, ofCustomer []string
	var err error
	if from != "" {
		if seen.Contact, ofAddress, err = people.Find(ctx, s.Store, t, from); err != nil {
			return seen, err
		}
	}
	if k := seen.CustomerKey; k != nil {
		if seen.Customer, ofCustomer, err = people.Find(ctx, s.Store, t, k.Contact); err != nil {
			return seen, err
		}
	}
	g.Seen = seen
	c, chain := decide.LedTo(g), ofAddress
	switch {
	case c == nil:
		return seen, nil
	case c == seen.Customer:
		chain = ofCustomer
	}
	if err := s.seeElsewhere(ctx, g, &seen, *c); err != nil {
		return seen, err
	}
	if err := s.seeHolder(ctx, g, ofAddress, &seen); err != nil {
		return seen, err
	}
	return seen, s.seeContact(ctx, g, c.ID, chain, &seen)
}

// seeElsewhere reads the guards of the person's other addresses and, where a
// customer ID beats the address, of those of whom the mail would reach.
func (s *Service) seeElsewhere(ctx context.Context, g decide.Ground, seen *decide.Seen, c contact.Contact) error {
	of := []contact.Contact{c}
	if a := seen.Contact; a != nil && a.ID != c.ID {
		of = append(of, *a)
	}
	for _, one := range of {
		guards, err := people.Elsewhere(ctx, s.Store, s.IDs, one, g.Person.GuardID)
		if err != nil {
			return err
		}
		for _, e := range guards {
			if e.Item != nil {
				seen.Elsewhere = append(seen.Elsewhere, e.Item)
			}
		}
	}
	return nil
}

// seeContact reads what hangs on the contact that was found. Its enquiry of
// this cause may have been filed under one that was merged into it since.
func (s *Service) seeContact(ctx context.Context, g decide.Ground, who string, chain []string, seen *decide.Seen) error {
	t := g.Event.Tenant
	var reads []read
	for _, id := range chain {
		reads = append(reads, read{ledger.Key{Entity: ledger.Enquiry, Tenant: t, ID: id, Sub: g.Facts.Cause}, into(&seen.Enquiry)})
	}
	if rule, ruled := decide.RuleFor(g); ruled {
		reads = append(reads, read{ledger.Key{Entity: ledger.Cadence, Tenant: t, ID: who, Sub: rule.ID}, into(&seen.Cadence)})
	}
	if err := s.read(ctx, reads); err != nil {
		return err
	}
	if seen.Cadence != nil && seen.Cadence.Intent != "" {
		if err := s.read(ctx, []read{{ledger.Key{Entity: ledger.Intent, Tenant: t, ID: seen.Cadence.Intent}, into(&seen.Slot)}}); err != nil {
			return err
		}
	}
	if !g.Policy.Review.NewContacts || seen.Slot != nil {
		return nil
	}
	var err error
	seen.Unapproved, err = s.unapproved(ctx, g, who)
	return err
}

// unapproved tells of a contact whether the other rules' mails to it were none
// but such as wait for a person or were refused.
func (s *Service) unapproved(ctx context.Context, g decide.Ground, who string) (bool, error) {
	t := g.Event.Tenant
	var cadences, slots []read
	var taken []*followup.Cadence
	answers, _ := decide.RuleFor(g)
	for _, r := range g.Policy.Rules {
		if r.ID == answers.ID {
			continue
		}
		cadences = append(cadences, read{ledger.Key{Entity: ledger.Cadence, Tenant: t, ID: who, Sub: r.ID}, func(it ledger.Item) error {
			c := new(followup.Cadence)
			if it == nil {
				return nil
			}
			taken = append(taken, c)
			return it.Decode(c)
		}})
	}
	if err := s.read(ctx, cadences); err != nil {
		return false, err
	}
	waits, approved := false, false
	for _, c := range taken {
		if c.Intent == "" {
			continue
		}
		slots = append(slots, read{ledger.Key{Entity: ledger.Intent, Tenant: t, ID: c.Intent}, func(it ledger.Item) error {
			var i followup.Intent
			if it == nil {
				return nil
			}
			err := it.Decode(&i)
			waits = waits || decide.Unapproved(i)
			approved = approved || i.ApprovedBy != ""
			return err
		}})
	}
	err := s.read(ctx, slots)
	return waits && !approved, err
}

// seeThread reads what is known of the thread: how many follow-ups it has had,
// its sender's domain too, and which mails in it are ours.
func (s *Service) seeThread(ctx context.Context, g decide.Ground, seen *decide.Seen) error {
	if g.Facts.Machine() {
		return nil
	}
	t := g.Event.Tenant
	var reads []read
	for _, c := range decide.CapsOf(s.IDs, g.Policy, g.Facts, g.Person, g.Now.Std()) {
		reads = append(reads, read{decide.CapKey(t, c), func(it ledger.Item) error { seen.Caps = append(seen.Caps, it); return nil }})
	}
	keys := decide.RepliesTo(g.Facts)
	ours := make([]*followup.ProviderMessage, len(keys))
	for n, k := range keys {
		reads = append(reads, read{k, into(&ours[n])})
	}
	err := s.read(ctx, reads)
	if err == nil {
		seen.Replied, err = s.replied(ctx, t, ours)
	}
	return err
}

// replied reads the nearest intent of this tenant that the message index named.
func (s *Service) replied(ctx context.Context, t string, ours []*followup.ProviderMessage) (*followup.Intent, error) {
	for _, m := range ours {
		if m == nil || m.Tenant != t {
			continue
		}
		var i *followup.Intent
		err := s.read(ctx, []read{{ledger.Key{Entity: ledger.Intent, Tenant: t, ID: m.Intent}, into(&i)}})
		if err != nil || i != nil {
			return i, err
		}
	}
	return nil, nil
}

// party reads what the ledger holds of one more address.
func (s *Service) party(ctx context.Context, t string, p decide.Person) (decide.Party, error) {
	out := decide.Party{Person: p}
	reads := append(addressed(t, p, &out.Key, &out.Guard), nextForm(t, p, &out.Next)...)
	if err := s.read(ctx, reads); err != nil || out.Key == nil && out.Next == nil {
		return out, err
	}
	err := s.seeNext(ctx, t, out.Next, &out.NextContact)
	if err != nil || out.Key == nil {
		return out, err
	}
	out.Contact, _, err = people.Find(ctx, s.Store, t, out.Key.Contact)
	return out, err
}

func addressed(t string, p decide.Person, key **contact.Key, guard *ledger.Item) []read {
	return []read{
		{ledger.Key{Entity: ledger.ContactKey, Tenant: t, ID: p.KeyID}, into(key)},
		{ledger.Key{Entity: ledger.Guard, Tenant: t, ID: p.GuardID}, func(it ledger.Item) error { *guard = it; return nil }},
	}
}

type read struct {
	key ledger.Key
	use func(ledger.Item) error
}

// into decodes an item into a noun; an absent item leaves it nil.
func into[T any](dst **T) func(ledger.Item) error {
	return func(it ledger.Item) error {
		if it == nil {
			return nil
		}
		noun := new(T)
		if err := it.Decode(noun); err != nil {
			return err
		}
		*dst = noun
		return nil
	}
}

func (s *Service) read(ctx context.Context, reads []read) error {
	if len(reads) == 0 {
		return nil
	}
	keys := make([]ledger.Key, len(reads))
	for i, r := range reads {
		keys[i] = r.key
	}
	items, err := s.Store.GetMany(ctx, keys)
	if err != nil {
		return fmt.Errorf("read the ground: %w", err)
	}
	for i, r := range reads {
		if err := r.use(items[i]); err != nil {
			return err
		}
	}
	return nil
}

// logDecision says what came of an event, without a word of it.
func (s *Service) logDecision(ctx context.Context, e inbound.Event, res decide.Result) {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "event decided",
		slog.String("tenant", e.Tenant), slog.String("event", decide.LogID(e.Tenant, e.ID)), slog.String("outcome", res.Outcome),
		slog.String("reasons", strings.Join(res.Reasons, ",")), slog.String("contact", res.Contact),
		slog.String("intent", res.Intent), slog.String("task", res.Task), s.measured(e, res))
}
