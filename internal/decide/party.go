package decide

import (
	"onefold/internal/ledger"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
)

// Party is an address that an event is about, with what the ledger holds of it.
// A field, and its line in partyReads, is all that a further read takes.
type Party struct {
	Person  Person
	Key     *contact.Key
	Contact *contact.Contact // the key's, read through merges
	Guard   ledger.Item

	Next        *contact.Key // as in Seen
	NextContact *contact.Contact
}

// partyRead is one thing that a decision reads of each address. x is the answer
// that is in force for the person's own; no field of another party's contact is
// read.
type partyRead struct {
	lost Lost
	look func(w *walk, p *Party, was Party, role string)
	keep func(p Party, x *reader.Stored, k *kept)
	thaw func(k *kept, p *Party, tenantID string, x *reader.Stored)
}

func partyReads() []partyRead {
	return []partyRead{
		{
			lost: LostPerson,
			look: func(w *walk, p *Party, was Party, _ string) { p.Key = w.contactKey(p.Person.KeyID, was.Key) },
			keep: func(p Party, _ *reader.Stored, k *kept) { k.put("k", freezeKey(p.Key)) },
			thaw: func(k *kept, p *Party, t string, _ *reader.Stored) { p.Key = thawKey(k, "k", p.Person.KeyID, t) },
		},
		{
			lost: LostPerson,
			look: func(w *walk, p *Party, was Party, _ string) {
				if id := p.Person.GuardID; id != "" {
					p.Guard = ask(w, RoleGuard, id, was.Guard, func() ledger.Item {
						it, _ := w.item(w.key(ledger.Guard, id))
						return it
					})
				}
			},
			keep: func(p Party, _ *reader.Stored, k *kept) { k.put("g", freezeGuard(p.Guard)) },
			thaw: func(k *kept, p *Party, _ string, _ *reader.Stored) {
				p.Guard = thawGuard(k, get[map[string]any](k, "g"))
			},
		},
		{
			lost: LostPerson,
			look: func(w *walk, p *Party, was Party, _ string) { p.Next = w.contactKey(p.Person.NextKeyID, was.Next) },
			keep: func(p Party, _ *reader.Stored, k *kept) { k.put("n", freezeKey(p.Next)) },
			thaw: func(k *kept, p *Party, t string, _ *reader.Stored) { p.Next = thawKey(k, "n", p.Person.NextKeyID, t) },
		},
		{
			lost: LostContact,
			look: func(w *walk, p *Party, was Party, role string) {
				if n := p.Next; n != nil && !n.Shared {
					p.NextContact = w.contact(role, n.Contact, was.NextContact)
				}
			},
			keep: func(p Party, x *reader.Stored, k *kept) { k.put("m", freezeContact(p.NextContact, x)) },
			thaw: func(k *kept, p *Party, t string, x *reader.Stored) { p.NextContact = thawContact(k, "m", t, x) },
		},
		{
			lost: LostContact,
			look: func(w *walk, p *Party, was Party, role string) {
				switch {
				case role == RoleContact:
					if !w.pending(RoleKey) {
						p.Contact = w.contact(role, w.from(*p), was.Contact)
					}
				case p.Key != nil:
					p.Contact = w.contact(role, p.Key.Contact, was.Contact)
				}
			},
			keep: func(p Party, x *reader.Stored, k *kept) { k.put("c", freezeContact(p.Contact, x)) },
			thaw: func(k *kept, p *Party, t string, x *reader.Stored) { p.Contact = thawContact(k, "c", t, x) },
		},
	}
}

func (w *walk) contactKey(id string, kept *contact.Key) *contact.Key {
	if id == "" {
		return nil
	}
	return ask(w, RoleKey, id, kept, func() *contact.Key { return row[contact.Key](w, w.key(ledger.ContactKey, id)) })
}

// from is the contact that an event is led to by its address, as its key has it.
func (w *walk) from(p Party) string {
	switch {
	case p.Person.Shared || p.Key != nil && p.Key.Shared:
		return KeylessContact(w.ids, w.g.Event.Tenant, w.g.Facts.Cause)
	case p.Key != nil:
		return p.Key.Contact
	case p.Next != nil && !p.Next.Shared:
		return p.Next.Contact
	}
	return ""
}

// main is who the event is about.
func (g Ground) main() Party {
	s := g.Seen
	return Party{Person: g.Person, Key: s.Key, Contact: s.Contact, Guard: s.Guard, Next: s.Next, NextContact: s.NextContact}
}

func (g *Ground) setMain(p Party) {
	s := &g.Seen
	g.Person, s.Key, s.Contact, s.Guard, s.Next, s.NextContact = p.Person, p.Key, p.Contact, p.Guard, p.Next, p.NextContact
}
