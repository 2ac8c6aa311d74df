package mailbox

import (
	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
)

// look reads a rehearsal's ledger for a decision: what package process reads of
// a real one. A test holds the two against each other. The first error stays.
type look struct {
	items map[ledger.Key]ledger.Item
	ids   digest.Key
	err   error
}

// see is the ledger as a decision needs it. Nothing is ever merged here, and no
// mail of the mailbox is one of Onefold's.
func (l *look) see(g decide.Ground) (seen decide.Seen) {
	t := g.Event.Tenant
	if g.Person.Known() {
		seen.Guard = l.guard(t, g.Person)
		seen.Key = l.key(t, g.Person)
	}
	rule, ruled := decide.RuleFor(g)
	if ruled {
		id := followup.IntentID(l.ids, t, g.Facts.Cause, rule.ID, rule.Version)
		l.get(ledger.Key{Entity: ledger.Intent, Tenant: t, ID: id}, &seen.Intent)
	}
	if g.Event.Review != "" {
		l.get(ledger.Key{Entity: ledger.ReviewTask, Tenant: t, ID: g.Event.Review}, &seen.Task)
	}
	if !g.Facts.Machine() {
		for _, c := range decide.CapsOf(l.ids, g.Policy, g.Facts, g.Person, g.Now.Std()) {
			seen.Caps = append(seen.Caps, l.items[decide.CapKey(t, c)])
		}
	}
	id := ""
	switch {
	case g.Person.Shared || seen.Key != nil && seen.Key.Shared:
		id = decide.KeylessContact(l.ids, t, g.Facts.Cause)
	case seen.Key != nil:
		id = seen.Key.Contact
	}
	if seen.Contact = l.contact(t, id); seen.Contact == nil {
		return seen
	}
	l.get(ledger.Key{Entity: ledger.Enquiry, Tenant: t, ID: id, Sub: g.Facts.Cause}, &seen.Enquiry)
	if ruled {
		l.get(ledger.Key{Entity: ledger.Cadence, Tenant: t, ID: id, Sub: rule.ID}, &seen.Cadence)
	}
	if c := seen.Cadence; c != nil {
		l.get(ledger.Key{Entity: ledger.Intent, Tenant: t, ID: c.Intent}, &seen.Slot)
	}
	return seen
}

// party is what the ledger holds of one more address.
func (l *look) party(t string, p decide.Person) decide.Party {
	out := decide.Party{Person: p, Guard: l.guard(t, p), Key: l.key(t, p)}
	if out.Key != nil {
		out.Contact = l.contact(t, out.Key.Contact)
	}
	return out
}

func (l *look) guard(t string, p decide.Person) ledger.Item {
	return l.items[ledger.Key{Entity: ledger.Guard, Tenant: t, ID: p.GuardID}]
}

func (l *look) key(t string, p decide.Person) (k *contact.Key) {
	l.get(ledger.Key{Entity: ledger.ContactKey, Tenant: t, ID: p.KeyID}, &k)
	return k
}

func (l *look) contact(t, id string) (c *contact.Contact) {
	l.get(ledger.Key{Entity: ledger.Contact, Tenant: t, ID: id}, &c)
	return c
}

// get decodes an item into what dst points to; an absent one leaves it nil.
func (l *look) get(k ledger.Key, dst any) {
	if it := l.items[k]; it != nil && l.err == nil {
		l.err = it.Decode(dst)
	}
}
