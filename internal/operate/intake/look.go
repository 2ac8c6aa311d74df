package intake

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"onefold/internal/crm"
	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// ground is an entry with all that the ledger holds of it.
type ground struct {
	*run
	Entry
	policy tenant.Policy
	now    utc.Time

	usable   []decide.Person // its addresses that can name somebody, each once
	stops    []decide.Person // those that an opt-out would stop
	faults   []string        // why others cannot: words of package match
	customer decide.Customer
	likely   string // key of phone and name

	keys     map[string]*contact.Key     // by ID, nil where nobody has it
	contacts map[string]*contact.Contact // by the ID in a key, as it leads now
	guards   map[string]ledger.Item      // by guard ID
	mappings []crm.Mapping               // of the contacts, in the list's CRM
	holder   *contact.Contact            // of the record, by the mappings
	byRef    *contact.Contact            // whom the record's reference names
}

// look reads what an entry is decided on. The policy is read each time, so that
// a long run does not work under one that no longer holds.
func (r *run) look(ctx context.Context, e Entry) (*ground, error) {
	policy, err := r.Policies.Current(ctx, r.list.Tenant)
	if err != nil {
		return nil, err
	}
	g := &ground{
		run: r, Entry: e, policy: policy, now: utc.At(r.Now()),
		keys: map[string]*contact.Key{}, contacts: map[string]*contact.Contact{}, guards: map[string]ledger.Item{},
	}
	g.identify()
	if g.many() {
		return g, nil
	}
	if err := g.read(ctx); err != nil {
		return nil, err
	}
	return g, g.readRecord(ctx)
}

// identify applies the tenant's rules to the addresses.
func (g *ground) identify() {
	for _, written := range g.Emails {
		p := decide.Identify(g.IDs, g.policy, written)
		why := p.Fault
		switch {
		case !p.Known():
		case p.Own:
			why = match.ReasonOwnAddress
		case p.Role:
			why = match.ReasonRoleAddress
		case p.Shared:
			why = match.ReasonSharedInbox
		case !slices.ContainsFunc(g.usable, func(o decide.Person) bool { return o.KeyID == p.KeyID }):
			g.usable = append(g.usable, p)
		}
		if why != "" && why != match.ReasonNoKey {
			g.faults = append(g.faults, why)
		}
		if p.Known() && !p.Own && g.OptedOut && !slices.ContainsFunc(g.stops, func(o decide.Person) bool { return o.KeyID == p.KeyID }) {
			g.stops = append(g.stops, p)
		}
	}
	g.customer = decide.CustomerOf(g.policy, content.Facts{CustomerID: g.CustomerID})
	g.likely = decide.PhoneKey(g.IDs, g.policy, g.value(crm.FieldPhone), g.value(crm.FieldName))
}

// read reads keys and guards, and the contacts that the keys lead to.
func (g *ground) read(ctx context.Context) error {
	var rows []ledger.Key
	want := func(k ledger.Key) {
		if k.ID != "" && !slices.Contains(rows, k) {
			rows = append(rows, k)
		}
	}
	for _, p := range slices.Concat(g.usable, g.stops) {
		want(g.keyAt(p.KeyID))
		want(g.keyAt(p.NextKeyID))
		want(ledger.Guard.At(g.policy.Tenant, p.GuardID))
	}
	want(g.keyAt(g.customer.KeyID))
	want(g.keyAt(g.likely))
	for part := range slices.Chunk(rows, 100) {
		items, err := g.Store.GetMany(ctx, part)
		if err != nil {
			return fmt.Errorf("read the keys of an entry: %w", err)
		}
		for n, k := range part {
			if k.Entity == ledger.Guard {
				g.guards[k.ID] = items[n]
				continue
			}
			if items[n] == nil {
				continue
			}
			key := new(contact.Key)
			if err := items[n].Decode(key); err != nil {
				return err
			}
			g.keys[k.ID] = key
			if _, known := g.contacts[key.Contact]; known {
				continue
			}
			if g.contacts[key.Contact], _, err = people.Find(ctx, g.Store, g.policy.Tenant, key.Contact); err != nil {
				return err
			}
		}
	}
	return nil
}

// readRecord reads whose the record is: by a mapping, and by its reference.
func (g *ground) readRecord(ctx context.Context) (err error) {
	if g.Record == "" {
		return nil
	}
	find := func(id string) (*contact.Contact, error) {
		if id == "" || people.Key(g.policy.Tenant, id).Validate() != nil {
			return nil, nil
		}
		c, _, err := people.Find(ctx, g.Store, g.policy.Tenant, id)
		return c, err
	}
	if g.holder, err = find(g.records[g.Record]); err != nil {
		return err
	}
	if g.byRef, err = find(g.Ref); err != nil {
		return err
	}
	var rows []ledger.Key
	for _, c := range g.contacts {
		if c == nil {
			continue
		}
		for _, id := range append([]string{c.ID}, c.Absorbed...) {
			if k := ledger.CRMMapping.Under(c.Tenant, id, g.list.CRM); !slices.Contains(rows, k) {
				rows = append(rows, k)
			}
		}
	}
	for part := range slices.Chunk(rows, 100) {
		items, err := g.Store.GetMany(ctx, part)
		if err != nil {
			return fmt.Errorf("read the mappings of an entry: %w", err)
		}
		for _, it := range items {
			var m crm.Mapping
			if it == nil {
				continue
			}
			if err := it.Decode(&m); err != nil {
				return err
			}
			g.mappings = append(g.mappings, m)
		}
	}
	return nil
}

// mappings are those of a tenant in one CRM.
func (s *Service) mappings(ctx context.Context, tenantID, name string) iter.Seq2[crm.Mapping, error] {
	return func(yield func(crm.Mapping, error) bool) {
		for cursor := ""; ; {
			page, err := s.Store.Scan(ctx, ledger.Scan{Table: schema.Ledger, Segments: 1, Cursor: cursor, Limit: 1000})
			if err != nil {
				yield(crm.Mapping{}, fmt.Errorf("scan the mappings of tenant %s: %w", tenantID, err))
				return
			}
			for _, it := range page.Items {
				if k := ledger.KeyOf(it); k.Entity != ledger.CRMMapping || k.Tenant != tenantID || k.Sub != name {
					continue
				}
				var m crm.Mapping
				if err := it.Decode(&m); !yield(m, err) || err != nil {
					return
				}
			}
			if cursor = page.Next; cursor == "" {
				return
			}
		}
	}
}

func (g *ground) keyAt(id string) ledger.Key { return ledger.ContactKey.At(g.policy.Tenant, id) }

// leads is whom a key leads to: nil where nobody has it, or its contact is gone.
func (g *ground) leads(id string) *contact.Contact {
	if k := g.keys[id]; k != nil {
		return g.contacts[k.Contact]
	}
	return nil
}
