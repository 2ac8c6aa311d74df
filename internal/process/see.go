package process

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"onefold/internal/contact"
	"onefold/internal/flow"
	"onefold/internal/followup"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
)

// MaxRedirects bounds the chain of merges that a key is read through.
const MaxRedirects = 20

// see reads the ledger for a decision: first by the address and the cause,
// then by the contact that was found. The reads are not of one moment; the
// commit's conditions make up for it.
func (s *Service) see(ctx context.Context, g flow.Ground) (flow.Seen, error) {
	t := g.Event.Tenant
	var seen flow.Seen
	var reads []read
	if g.Person.Known() {
		reads = append(reads,
			read{ledger.Key{Entity: ledger.ContactKey, Tenant: t, ID: g.Person.KeyID}, into(&seen.Key)},
			read{ledger.Key{Entity: ledger.Guard, Tenant: t, ID: g.Person.GuardID}, func(it ledger.Item) error { seen.Guard = it; return nil }},
		)
	}
	rule, ruled := flow.RuleFor(g)
	if ruled && g.Facts.Cause != "" {
		id := followup.IntentID(s.IDs, t, g.Facts.Cause, rule.ID, rule.Version)
		reads = append(reads, read{ledger.Key{Entity: ledger.Intent, Tenant: t, ID: id}, into(&seen.Intent)})
	}
	if g.Event.Review != "" {
		reads = append(reads, read{ledger.Key{Entity: ledger.ReviewTask, Tenant: t, ID: g.Event.Review}, into(&seen.Task)})
	}
	if err := s.read(ctx, reads); err != nil {
		return seen, err
	}
	if seen.Key == nil || seen.Key.Contact == "" {
		return seen, nil
	}
	var err error
	if seen.Contact, err = s.survivor(ctx, t, seen.Key.Contact); err != nil || seen.Contact == nil {
		return seen, err
	}
	reads = nil
	if g.Facts.Cause != "" {
		reads = append(reads, read{ledger.Key{Entity: ledger.Enquiry, Tenant: t, ID: seen.Contact.ID, Sub: g.Facts.Cause}, into(&seen.Enquiry)})
	}
	if ruled {
		reads = append(reads, read{ledger.Key{Entity: ledger.Cadence, Tenant: t, ID: seen.Contact.ID, Sub: rule.ID}, into(&seen.Cadence)})
	}
	return seen, s.read(ctx, reads)
}

// survivor follows merges to the contact that a key stands for now.
func (s *Service) survivor(ctx context.Context, t, id string) (*contact.Contact, error) {
	for range MaxRedirects {
		var c *contact.Contact
		if err := s.read(ctx, []read{{ledger.Key{Entity: ledger.Contact, Tenant: t, ID: id}, into(&c)}}); err != nil {
			return nil, err
		}
		if c == nil || c.Status != contact.Merged {
			return c, nil
		}
		id = c.MergedInto
	}
	return nil, fmt.Errorf("contact %s: more than %d merges in a row", id, MaxRedirects)
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
func (s *Service) logDecision(ctx context.Context, e inbound.Event, res flow.Result) {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "event decided",
		slog.String("tenant", e.Tenant), slog.String("event", flow.LogID(e.Tenant, e.ID)), slog.String("outcome", res.Outcome),
		slog.String("reasons", strings.Join(res.Reasons, ",")), slog.String("contact", res.Contact),
		slog.String("intent", res.Intent), slog.String("task", res.Task))
}
