package rekey

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/machine"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// pass goes through all keys from where the row says that it is. What is added
// stands before the row says so: a run that dies in between finds it done.
func (w *work) pass(ctx context.Context) error {
	for w.m.Segment < w.m.Segments {
		pg, err := w.Store.Scan(ctx, ledger.Scan{
			Table: schema.Ledger, Segment: int(w.m.Segment), Segments: int(w.m.Segments), Cursor: w.m.Cursor, Limit: page,
		})
		if err != nil {
			return fmt.Errorf("scan the contact keys of tenant %s: %w", w.p.Tenant, err)
		}
		m := w.m
		for _, it := range pg.Items {
			if err := w.visit(ctx, ledger.KeyOf(it), &m); err != nil {
				return err
			}
		}
		if m.Cursor = pg.Next; m.Cursor == "" {
			m.Segment++
		}
		set := m.PassAttrs()
		set["added"] = m.Added
		if err := w.save(ctx, set); err != nil {
			return err
		}
		if w.Told != nil {
			w.Told(w.m)
		}
	}
	return nil
}

// visit sees to one row of the scan, if it is a key under the rule in force, and
// counts what came of it.
func (w *work) visit(ctx context.Context, k ledger.Key, m *contact.Migration) error {
	if k.Entity != ledger.ContactKey || k.Tenant != w.p.Tenant {
		return nil
	}
	if rule, _, ok := contact.EmailKey(k.ID); !ok || rule != max(w.p.Identity.Version, 1) {
		return nil
	}
	m.Seen++
	found, err := w.form(ctx, k)
	switch found {
	case put:
		m.Missing++
		m.Added++
	case open:
		m.Missing++
	case taken:
		m.Collisions++
	case there:
	}
	return err
}

// formed is what came of the next form of a key.
type formed int

const (
	there formed = iota // it led there already, or is shared
	put                 // it was missing
	taken               // it is another's
	open                // the key names nobody, and the form of it still does
)

// tries is how often a key is looked at again that moved meanwhile.
const tries = 8

// form sees to the next form of one key.
func (w *work) form(ctx context.Context, k ledger.Key) (formed, error) {
	for range tries {
		v, err := w.look(ctx, k)
		if err != nil {
			return there, err
		}
		found := v.verdict()
		var c ledger.Commit
		switch found {
		case there:
			return there, nil
		case put:
			err = w.add(&c, v)
		case open:
			err = w.share(&c, v)
		case taken:
			var asked bool
			if asked, err = w.ask(ctx, &c, v); asked {
				return taken, nil
			}
		}
		if err != nil {
			return there, err
		}
		// Nothing is added for a rule that does not come, or is in force.
		c.Check("migration", w.key(), ledger.Is(machine.StateAttr, contact.MigrationAdding))
		err = w.Store.Commit(ctx, c)
		if err == nil {
			return found, nil
		}
		if r, refused := ledger.AsRefused(err); refused {
			if _, moved := r.By("migration"); moved {
				return there, ErrElsewhere
			}
		} else if !errors.Is(err, ledger.ErrContention) {
			return there, fmt.Errorf("write the key of contact %s under identity rule %d: %w", v.key.Contact, w.m.Rule, err)
		}
	}
	return there, fmt.Errorf("the key of a contact of tenant %s kept changing: %w", w.p.Tenant, ledger.ErrContention)
}

// view is one key with its next form, as they were read.
type view struct {
	key      contact.Key
	holder   contact.Contact // whom the key names
	survivor contact.Contact // whom that leads to
	nextID   string
	next     *contact.Key
	other    contact.Contact // whom the next form leads to
}

func (v view) verdict() formed {
	switch {
	case v.next == nil:
		return put
	case v.next.Shared:
		return there
	case v.other.ID != v.survivor.ID:
		return taken
	case v.key.Shared:
		return open
	}
	return there
}

func (w *work) look(ctx context.Context, k ledger.Key) (v view, err error) {
	if err = w.read(ctx, k, &v.key); err != nil {
		return v, err
	}
	if v.holder, v.survivor, err = w.leads(ctx, k.Tenant, v.key.Contact); err != nil {
		return v, err
	}
	a, err := w.written(v)
	if err != nil {
		return v, err
	}
	v.nextID = decide.KeyUnder(*w.p.IdentityNext, a)
	it, err := w.Store.Get(ctx, keyNamed(k.Tenant, v.nextID))
	if err != nil || it == nil {
		return v, err
	}
	v.next = new(contact.Key)
	if err := it.Decode(v.next); err != nil {
		return v, err
	}
	_, v.other, err = w.leads(ctx, k.Tenant, v.next.Contact)
	return v, err
}

// written is the address that a key was made from, as far as the ledger knows
// it: as first written where it is the contact's own, else by what the rule in
// force kept of it.
func (w *work) written(v view) (address.Address, error) {
	if a, err := address.Parse(v.holder.Email); err == nil && decide.KeyUnder(w.p.Identity, a) == v.key.ID {
		return a, nil
	}
	_, value, _ := contact.EmailKey(v.key.ID)
	a, ok := address.OfKey(address.IdentityKey(value))
	if !ok {
		return a, fmt.Errorf("a key of contact %s holds no address", v.key.Contact)
	}
	return a, nil
}

// add puts the next form. It leads where the key does, not to the survivor of a
// merge, so that a merge can be undone; and it is shared if the key is.
func (w *work) add(c *ledger.Commit, v view) error {
	now := utc.At(w.Now())
	next := contact.Key{
		Tenant: w.p.Tenant, ID: v.nextID, Contact: v.key.Contact, Shared: v.key.Shared, Disputed: v.key.Disputed,
		RuleVersion: w.m.Rule, CreatedAt: now, InboundEvent: v.key.InboundEvent,
	}
	if err := decide.PutContactKey(c, "next_key", next); err != nil {
		return err
	}
	c.Check("contact_key", keyNamed(next.Tenant, v.key.ID), ledger.AtVersion(v.key.Version))
	set := ledger.Item{contact.KeysAttr: append(slices.Clone(v.holder.Keys), next.ID)}
	if v.holder.Status == contact.Erased {
		set = nil // nothing personal is left in it, and nothing comes back
	}
	return w.note(c, v, "add_key", set, decide.ReasonOtherForm)
}

// share makes the next form name nobody, as the key does by a person's word.
func (w *work) share(c *ledger.Commit, v view) error {
	if err := c.Update("next_key", keyNamed(w.p.Tenant, v.nextID), ledger.AtVersion(v.next.Version), ledger.Item{contact.SharedAttr: true}); err != nil {
		return err
	}
	c.Check("contact_key", keyNamed(w.p.Tenant, v.key.ID), ledger.AtVersion(v.key.Version))
	return w.note(c, v, "share_key", nil, decide.ReasonOtherForm, "shared_inbox")
}

// note puts what happens to a key on the record of the contact that it names.
func (w *work) note(c *ledger.Commit, v view, event string, set ledger.Item, reasons ...string) error {
	_, err := c.Move(ledger.Step{
		Key:        ledger.Contact.At(w.p.Tenant, v.holder.ID),
		Transition: v.holder.Transition, Event: event, Set: set,
		Audit: audit.Record{At: utc.At(w.Now()), By: w.By, Reasons: reasons, Contact: v.holder.ID},
	})
	return err
}
