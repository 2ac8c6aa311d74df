package verify

import (
	"context"
	"slices"

	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
)

func deliveriesBelong(f *finder) {
	for r, d := range f.v.deliveries {
		if f.v.events[r] == nil {
			f.wrong(on(d.first, eventKey(r.tenant, r.id)), "event %s has deliveries and does not exist", r.id)
		}
	}
	for r, e := range f.v.events {
		d := f.v.deliveries[r]
		switch {
		case d == nil || len(d.recorded) == 0:
			n := f.wrong(on(e.key), "no delivery says that it recorded event %s", r.id)
			n.again = func(ctx context.Context, s ledger.Store) (bool, error) {
				items, err := ledger.ReadAll(ctx, s, ledger.Delivery.At(r.tenant, r.id))
				none := !slices.ContainsFunc(items, func(it ledger.Item) bool { return it.Text("answer") == inbound.AnswerRecorded })
				return none, err
			}
		case len(d.recorded) > 1:
			f.wrong(append(on(e.key), d.recorded...), "%d deliveries say that they recorded event %s", len(d.recorded), r.id)
		}
	}
}

func keysLead(f *finder) {
	for _, k := range f.v.keys {
		if k.contact == "" || f.v.contacts[ref{k.key.Tenant, k.contact}] == nil {
			f.wrong(on(k.key, contactKey(k.key.Tenant, k.contact)), "contact key %s leads to contact %q, which does not exist", hidden(k.key.ID), k.contact)
		}
	}
}

func keysLeadBack(f *finder) {
	for _, c := range f.v.contacts {
		own, ownChain, ok := f.v.survivor(c.key.Tenant, c.key.ID)
		if !ok || c.status == contact.Erased {
			continue // merges_end reports the one, and nothing is left of the other
		}
		for _, id := range c.keys {
			kk := ledger.ContactKey.At(c.key.Tenant, id)
			k := f.v.keys[refOf(kk)]
			if k == nil {
				f.wrong(on(c.key, kk), "contact %s lists key %s, which does not exist", c.key.ID, hidden(id))
				continue
			}
			if led, chain, ok := f.v.survivor(c.key.Tenant, k.contact); ok && led != own {
				f.wrong(append(append(on(c.key, kk), ownChain...), chain...), "contact %s lists key %s, which leads to contact %s", c.key.ID, hidden(id), led.key.ID)
			}
		}
	}
}

func oneContactPerKey(f *finder) {
	first := map[ref]*contactRow{}
	for _, c := range f.v.contacts {
		if c.status != contact.Active {
			continue
		}
		for _, id := range c.keys {
			r := ref{c.key.Tenant, id}
			other := first[r]
			if other == nil || other == c {
				first[r] = c
				continue
			}
			a, b := inOrder(other.key, c.key)
			f.wrong(on(a, b), "contacts %s and %s are active and both list key %s", a.ID, b.ID, hidden(id))
		}
	}
}

// inOrder puts two keys into the order of their IDs, so that a finding reads
// the same in every pass.
func inOrder(a, b ledger.Key) (ledger.Key, ledger.Key) {
	if b.ID < a.ID {
		return b, a
	}
	return a, b
}

func mergesEnd(f *finder) {
	for _, c := range f.v.contacts {
		if c.status != contact.Merged {
			continue
		}
		if _, chain, ok := f.v.survivor(c.key.Tenant, c.key.ID); !ok {
			f.wrong(chain, "the merges of contact %s lead to contact %q, which does not exist or leads back", c.key.ID, chain[len(chain)-1].ID)
		}
	}
}

func contactLinks(f *finder) {
	for _, list := range [][]*linkRow{f.v.enquiries, f.v.cadences, f.v.mappings} {
		for _, l := range list {
			if k := contactKey(l.key.Tenant, l.key.ID); !f.v.has(k) {
				f.wrong(on(l.key, k), "a %s is of contact %s, which does not exist", l.key.Entity, l.key.ID)
			}
			if k := intentKey(l.key.Tenant, l.intent); l.intent != "" && !f.v.has(k) {
				f.wrong(on(l.key, k), "a %s of contact %s names intent %s, which does not exist", l.key.Entity, l.key.ID, l.intent)
			}
			if k := eventKey(l.key.Tenant, l.event); l.event != "" && !f.v.has(k) {
				f.wrong(on(l.key, k), "an %s of contact %s names event %s, which does not exist", l.key.Entity, l.key.ID, l.event)
			}
		}
	}
}

func crmRecords(f *finder) {
	type record struct{ tenant, crm, id string }
	first := map[record]*linkRow{}
	for _, m := range f.v.mappings {
		c := f.v.contacts[ref{m.key.Tenant, m.key.ID}]
		if m.crmID == "" || c == nil || c.status == contact.Merged {
			continue
		}
		r := record{m.key.Tenant, m.key.Sub, m.crmID}
		if other := first[r]; other != nil {
			a, b := inOrder(other.key, m.key)
			f.wrong(on(a, b, contactKey(a.Tenant, a.ID), contactKey(b.Tenant, b.ID)), "contacts %s and %s are both record %s in %s", a.ID, b.ID, r.id, r.crm)
			continue
		}
		first[r] = m
	}
	synced := map[ref]bool{}
	names := map[string]bool{}
	for _, m := range f.v.mappings {
		names[m.key.Sub] = true
		synced[refOf(m.key)] = synced[refOf(m.key)] || m.crmID != ""
	}
	for _, op := range f.v.operations {
		if op.kind != outbox.CRMContact || op.state != outbox.Done {
			continue
		}
		last, chain, ok := f.v.survivor(op.key.Tenant, op.contact)
		if !ok || last.status != contact.Active || synced[refOf(last.key)] || synced[ref{op.key.Tenant, op.contact}] {
			continue
		}
		rows := append(on(op.key), chain...)
		for name := range names {
			rows = append(rows, mappingKey(last.key, name))
		}
		f.wrong(rows, "operation %s is done and contact %s has no record in any CRM", op.key.ID, last.key.ID)
	}
}

func mappingKey(c ledger.Key, name string) ledger.Key {
	return ledger.CRMMapping.Under(c.Tenant, c.ID, name)
}
