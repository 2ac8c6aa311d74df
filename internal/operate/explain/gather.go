package explain

import (
	"context"
	"fmt"

	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

// MaxNouns is the most events, intents and other nouns that one timeline follows, and
// MaxRecords the most records it reads from one index. What goes beyond is
// cut, and the timeline says so.
const (
	MaxNouns   = 2000
	MaxRecords = 5000
)

// gatherer collects rows and records from one to the next until nothing new
// is named.
type gatherer struct {
	ctx    context.Context
	store  ledger.Store
	tenant string
	// whole: everything of the person. Otherwise only what belongs to the
	// events and intents that were asked about.
	whole bool
	own   map[string]bool // when whole: the contacts that the address leads to
	asked string          // the guard of the address that was asked about
	cut   bool

	queue []ledger.Key
	seen  map[ledger.Key]bool

	records    map[ledger.Key]record
	events     map[string]*inbound.Event
	deliveries map[string][]inbound.Delivery
	readings   map[string][]reader.Stored
	decisions  map[string]*match.Decision
	intents    map[string]*followup.Intent
	attempts   map[string][]followup.Attempt
	contacts   map[string]*contact.Contact
	guards     map[string]ledger.Item
	operations map[string]*outbox.Operation
}

func newGatherer(ctx context.Context, store ledger.Store, tenant string) *gatherer {
	return &gatherer{
		ctx: ctx, store: store, tenant: tenant, seen: map[ledger.Key]bool{}, own: map[string]bool{},
		records: map[ledger.Key]record{}, events: map[string]*inbound.Event{}, deliveries: map[string][]inbound.Delivery{},
		readings: map[string][]reader.Stored{}, decisions: map[string]*match.Decision{}, intents: map[string]*followup.Intent{},
		attempts: map[string][]followup.Attempt{}, contacts: map[string]*contact.Contact{}, guards: map[string]ledger.Item{},
		operations: map[string]*outbox.Operation{},
	}
}

// want puts a noun on the list of those to look at.
func (g *gatherer) want(e ledger.Entity, id string) {
	k := e.At(g.tenant, id)
	if id == "" || g.seen[k] || k.Validate() != nil {
		return
	}
	if len(g.seen) >= MaxNouns {
		g.cut = true
		return
	}
	g.seen[k] = true
	g.queue = append(g.queue, k)
}

func (g *gatherer) follow() error {
	for len(g.queue) > 0 {
		k := g.queue[0]
		g.queue = g.queue[1:]
		if err := g.look(k); err != nil {
			return fmt.Errorf("read %s: %w", k.Entity, err)
		}
	}
	return nil
}

func (g *gatherer) look(k ledger.Key) error {
	it, err := g.store.Get(g.ctx, k)
	if err != nil {
		return err
	}
	if err := g.audit(k); err != nil || it == nil {
		return err
	}
	switch k.Entity {
	case ledger.Event:
		return g.event(k, it)
	case ledger.Intent:
		return g.intent(k, it)
	case ledger.Contact:
		return g.contact(k, it)
	case ledger.Guard:
		g.guards[k.ID] = it
	case ledger.Operation:
		op := new(outbox.Operation)
		g.operations[k.ID] = op
		return it.Decode(op)
	default: // of the others the records suffice
	}
	return nil
}

// follows tells whether a contact's story is part of the answer. A guard is
// wide: what it names may be another person's.
func (g *gatherer) follows(contactID string) bool { return !g.whole || g.own[contactID] }

func (g *gatherer) event(k ledger.Key, it ledger.Item) error {
	e := new(inbound.Event)
	if err := it.Decode(e); err != nil {
		return err
	}
	g.events[k.ID] = e
	if err := each(g, ledger.Delivery, k.ID, func(d inbound.Delivery) { g.deliveries[k.ID] = append(g.deliveries[k.ID], d) }); err != nil {
		return err
	}
	if err := each(g, ledger.Extraction, k.ID, func(x reader.Stored) { g.readings[k.ID] = append(g.readings[k.ID], x) }); err != nil {
		return err
	}
	d, err := g.store.Get(g.ctx, ledger.MatchDecision.At(g.tenant, k.ID))
	if err != nil {
		return err
	}
	if d != nil {
		g.decisions[k.ID] = new(match.Decision)
		if err := d.Decode(g.decisions[k.ID]); err != nil {
			return err
		}
	}
	g.want(ledger.ReviewTask, e.Review)
	if g.follows(e.Contact) {
		g.want(ledger.Intent, e.Intent)
		g.want(ledger.Contact, e.Contact)
	}
	return nil
}

func (g *gatherer) intent(k ledger.Key, it ledger.Item) error {
	i := new(followup.Intent)
	if err := it.Decode(i); err != nil {
		return err
	}
	if !g.follows(i.Contact) && !g.toAsked(i.Guard) {
		return nil
	}
	g.intents[k.ID] = i
	if err := each(g, ledger.Attempt, k.ID, func(a followup.Attempt) { g.attempts[k.ID] = append(g.attempts[k.ID], a) }); err != nil {
		return err
	}
	for _, a := range g.attempts[k.ID] {
		if err := g.audit(ledger.AttemptKey(g.tenant, k.ID, a.Number)); err != nil {
			return err
		}
	}
	if err := g.index(schema.ByIntent, schema.Ref(g.tenant, k.ID), true); err != nil {
		return err
	}
	g.want(ledger.Event, i.Event)
	if g.follows(i.Contact) {
		g.want(ledger.Contact, i.Contact)
	}
	g.want(ledger.Guard, i.Guard)
	g.want(ledger.ReviewTask, i.Review)
	return nil
}

func (g *gatherer) contact(k ledger.Key, it ledger.Item) error {
	c := new(contact.Contact)
	if err := it.Decode(c); err != nil {
		return err
	}
	g.contacts[k.ID] = c
	g.want(ledger.Contact, c.MergedInto)
	if err := g.index(schema.ByContact, schema.Ref(g.tenant, k.ID), g.whole); err != nil || !g.whole {
		return err
	}
	return each(g, ledger.Enquiry, k.ID, func(e contact.Enquiry) {
		g.want(ledger.Event, e.Event)
		g.want(ledger.Intent, e.FollowUp)
	})
}

// audit reads the records of a noun by its own key: complete at once.
func (g *gatherer) audit(noun ledger.Key) error {
	items, err := ledger.ReadAll(g.ctx, g.store, ledger.Audit.At(g.tenant, ledger.AuditKey(noun, 1).ID))
	if err != nil {
		return err
	}
	return g.keep(items, g.whole || noun.Entity == ledger.Intent)
}

// index reads records through an index; more tells whether what they name is
// looked at too.
func (g *gatherer) index(name, partition string, more bool) error {
	for read, cursor := 0, ""; ; {
		page, err := g.store.Query(g.ctx, ledger.Query{Table: schema.Audit, Index: name, Partition: partition, Cursor: cursor, Limit: 500})
		if err != nil {
			return err
		}
		if err := g.keep(page.Items, more); err != nil {
			return err
		}
		read += len(page.Items)
		if cursor = page.Next; cursor == "" {
			return nil
		}
		if read >= MaxRecords {
			g.cut = true
			return nil
		}
	}
}

func (g *gatherer) keep(items []ledger.Item, more bool) error {
	for _, it := range items {
		r := record{key: ledger.KeyOf(it)}
		if err := it.Decode(&r.Record); err != nil {
			return err
		}
		if _, have := g.records[r.key]; have {
			continue
		}
		g.records[r.key] = r
		if noun := ledger.Entity(r.Noun); (noun == ledger.Operation || noun == ledger.ReviewTask) && (more || g.belongs(r)) {
			g.want(noun, r.NounID)
		}
		if more {
			g.want(ledger.Event, r.InboundEvent)
			g.want(ledger.Intent, r.Intent)
		}
	}
	return nil
}

// each reads all items below a noun.
func each[T any](g *gatherer, e ledger.Entity, id string, use func(T)) error {
	items, err := ledger.ReadAll(g.ctx, g.store, e.At(g.tenant, id))
	if err != nil {
		return err
	}
	for _, it := range items {
		var noun T
		if err := it.Decode(&noun); err != nil {
			return err
		}
		use(noun)
	}
	return nil
}
