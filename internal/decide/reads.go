package decide

import (
	"errors"
	"fmt"
	"strings"

	"onefold/internal/decide/kept"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
)

// This file is all that a decision reads of the ledger. One more read takes a
// field of Seen or Party, a part, and its ask in the walk.

// Seen is what was read of the ledger. Each part is nil when it was not there.
type Seen struct {
	Key *contact.Key // of the person's address
	// Contact is the key's contact, read through merges. Of a shared inbox, whose
	// key names nobody, it is the contact that a person approved for this cause.
	Contact *contact.Contact
	Guard   ledger.Item // of the person's address
	// Elsewhere are the guards of the contact's other addresses, and of those of
	// the contacts that were merged into it; only such as there are.
	Elsewhere []ledger.Item
	Enquiry   *contact.Enquiry  // of this cause, when the contact has it already
	Cadence   *followup.Cadence // of the contact under the rule that answers
	Slot      *followup.Intent  // the intent that the cadence names
	// Unapproved: another rule's mail to the contact waits for a person or was
	// refused, and none was approved. It is read only where the policy has first
	// mails approved and the rule that answers has no mail in the slot.
	Unapproved bool
	Intent     *followup.Intent // of this cause under that rule
	Task       *review.Task     // the open task that holds this event
	Replied    *followup.Intent // our own mail that this event replies to
	Ours       bool             // the event is a mail of ours: the message index has its own Message-ID
	Caps       []ledger.Item    // of CapsOf, in its order
	// Returned are those of Facts.Returned that there are; of anything but a report
	// or a wish not to be mailed they are not read.
	Returned []followup.Intent
	// Mailed are whom the mails of ours went to that a wish answers or gives back,
	// or that a complaint is of, in the order of mails.
	Mailed []Party

	// During a migration of the identity rule. Contact is then that of Next where
	// Key is nil.
	Next        *contact.Key     // of the person's address, under the next rule
	NextContact *contact.Contact // Next's, read through merges
	Holder      *contact.Contact // the contact that the key names, where it was merged into Contact
	CustomerKey *contact.Key     // of the customer ID that the event states
	Customer    *contact.Contact // that key's, read through merges
	SecondKey   *contact.Key     // of the other one of From and Reply-To
	Second      *contact.Contact // that key's, read through merges
	PhoneKey    *contact.Key     // of another's or this contact's phone and name, where the event states both
}

// The roles that a replay tells apart.
const (
	RoleKey   = "key"
	RoleGuard = "guard"
)

// The parts. Those that share a role are read of rows of one kind: what answers
// one of them answers the other.
var (
	keyPart      = noun(RoleKey, "k", LostPerson, kept.KeyOf, kept.Key.Row)
	nextPart     = noun(RoleKey, "n", LostPerson, kept.KeyOf, kept.Key.Row)
	secondPart   = noun(RoleKey, "p", LostPerson, kept.KeyOf, kept.Key.Row)
	customerPart = noun("customer_key", "q", LostContact, kept.KeyOf, kept.Key.Row)
	phonePart    = noun("phone_key", "z", LostNothing, kept.KeyOf, kept.Key.Row)
	guardPart    = part[ledger.Item]{
		role: RoleGuard, lost: LostPerson,
		keep: func(w *walk, g ledger.Item) { put(w, "g", kept.GuardOf(g)) },
		thaw: func(w *walk) ledger.Item { return get[kept.Guard](w, "g").Row() },
	}
	holderPart = contactPart("holder", "h", nil, nil) // no field of it is read
	taskPart   = part[*review.Task]{                  // no first decision has one
		role: "task", lost: LostPerson, keep: func(*walk, *review.Task) {}, thaw: func(*walk) *review.Task { return nil },
	}
	intentPart   = noun("intent", "i", LostNothing, kept.IntentOf, kept.Intent.Row)
	returnedPart = list("returned", "w", LostThread,
		func(i followup.Intent) string { return i.Guard },
		func(id string) followup.Intent { return followup.Intent{Guard: id} })
	repliedPart = part[*followup.Intent]{
		role: "replied", lost: LostThread, whole: true,
		keep: func(w *walk, i *followup.Intent) {
			if i != nil {
				put(w, "y", i.ID)
				if wishes(w.g.Facts, w.g.Extraction) {
					put(w, "b", i.Guard)
				}
			}
		},
		thaw: func(w *walk) *followup.Intent {
			id := get[*string](w, "y")
			if id == nil {
				return nil
			}
			return &followup.Intent{ID: *id, Guard: get[string](w, "b")}
		},
	}
	mailedPart = contactPart("mailed", "c", nil, nil).ofWholeRows()
	oursPart   = part[bool]{
		role: "ours", lost: LostThread,
		keep: func(w *walk, is bool) { put(w, "f", is) },
		thaw: func(w *walk) bool { return get[bool](w, "f") },
	}
	elsewherePart = list("guards_elsewhere", "j", LostFollowUp, kept.GuardOf, kept.Guard.Row)
	capsPart      = list("caps", "u", LostCount, kept.CapOf, (*kept.Cap).Row)
	enquiryPart   = noun("enquiry", "e", LostFollowUp, kept.EnquiryOf, kept.Enquiry.Row).ofWholeRows()
	cadencePart   = noun("cadence", "d", LostRule, kept.CadenceOf, kept.Cadence.Row)
	slotPart      = part[*followup.Intent]{
		role: "slot", lost: LostRule, whole: true,
		keep: func(w *walk, i *followup.Intent) {
			if i != nil {
				put(w, "l", i.State)
				put(w, "r", i.Reason == followup.ReasonRefused)
			}
		},
		thaw: func(w *walk) *followup.Intent {
			state := get[*string](w, "l")
			if state == nil {
				return nil
			}
			i := &followup.Intent{State: *state}
			if get[bool](w, "r") {
				i.Reason = followup.ReasonRefused
			}
			return i
		},
	}
	unapprovedPart = part[bool]{
		role: "unapproved", lost: LostRule,
		keep: func(w *walk, is bool) { put(w, "o", is) },
		thaw: func(w *walk) bool { return get[bool](w, "o") },
	}
)

// contactPart is a contact, said being the fields of it that the event states.
func contactPart(role, letter string, said map[string]string, same func(field, have, stated string) bool) part[*contact.Contact] {
	return noun(role, letter, LostContact,
		func(c contact.Contact) kept.Contact { return kept.ContactOf(c, said, same) },
		func(k kept.Contact) contact.Contact { return k.Row(said) })
}

// walk asks for all that a decision reads, in the order in which one thing leads
// to the next.
func (w *walk) walk() {
	g, s := &w.g, &w.g.Seen
	w.chains = map[string][]string{}
	if w.mode != keeping {
		g.Person = Identify(w.ids, g.Policy, AddressOf(g.Facts, g.Extraction, g.Answer))
	}
	// Who the event is of.
	if id := g.Event.Review; id != "" {
		askRow(w, taskPart, w.key(ledger.ReviewTask, id), &s.Task)
	}
	p, own := g.main(), (&builder{g: *g}).stated()
	w.party(&p)
	if s.Key, s.Guard, s.Next = p.Key, p.Guard, p.Next; !w.pending(RoleKey) {
		w.contacts(&p, "contact", w.from(), own)
		s.Contact, s.NextContact = p.Contact, p.NextContact
	}
	if id := CustomerOf(g.Policy, g.Facts).KeyID; id != "" {
		askRow(w, customerPart, w.key(ledger.ContactKey, id), &s.CustomerKey)
	}
	if k := s.CustomerKey; k != nil {
		w.contact(contactPart("contact", "x", own, (&builder{g: *g}).same), k.Contact, &s.Customer)
	}
	if id := (&builder{g: *g, ids: w.ids}).likelyKey(); id != "" {
		askRow(w, phonePart, w.key(ledger.ContactKey, id), &s.PhoneKey)
	}
	identified := len(w.missing) == 0 && w.answerable()
	// What belongs to the event.
	rule, ruled := RuleFor(*g)
	if ruled {
		askRow(w, intentPart, w.key(ledger.Intent, followup.IntentID(w.ids, g.Event.Tenant, g.Facts.Cause, rule.ID, rule.Version)), &s.Intent)
	}
	if of := g.Facts.Returned; len(of) > 0 && (g.Facts.Report() || wishes(g.Facts, g.Extraction)) {
		ask(w, returnedPart, strings.Join(of, " "), &s.Returned, w.returned)
	}
	if !g.Facts.Machine() {
		w.caps()
	}
	if keys := RepliesTo(g.Facts); len(keys) > 0 && (!g.Facts.Machine() || wishes(g.Facts, g.Extraction)) {
		ask(w, repliedPart, named(keys), &s.Replied, func() *followup.Intent { return w.replied(keys) })
	}
	g.Facts = accused(g.Facts, g.Person, s.Returned)
	w.others()
	w.second()
	// What belongs to the contact that it leads to.
	if !identified || w.err != nil {
		return
	}
	c := LedTo(*g)
	if c == nil {
		return
	}
	w.hanging(*c)
	if ruled {
		w.underRule(c.ID, rule.ID)
	}
}

// party reads what is known of an address by itself.
func (w *walk) party(p *Party) {
	if id := p.Person.KeyID; id != "" {
		askRow(w, keyPart, w.key(ledger.ContactKey, id), &p.Key)
	}
	if id := p.Person.GuardID; id != "" {
		ask(w, guardPart, id, &p.Guard, func() ledger.Item { return w.item(w.key(ledger.Guard, id)) })
	}
	if id := p.Person.NextKeyID; id != "" {
		askRow(w, nextPart, w.key(ledger.ContactKey, id), &p.Next)
	}
}

// contacts reads the contacts that an address leads to. said are the fields of
// them that are read.
func (w *walk) contacts(p *Party, role, from string, said map[string]string) {
	same := (&builder{g: w.g}).same
	if n := p.Next; n != nil && !n.Shared {
		w.contact(contactPart(role, "m", said, same), n.Contact, &p.NextContact)
	}
	w.contact(contactPart(role, "c", said, same), from, &p.Contact)
}

// contact follows merges from an ID to the contact it leads to now; nil if one
// on the way is not there.
func (w *walk) contact(p part[*contact.Contact], from string, answer **contact.Contact) {
	if from == "" {
		return
	}
	ask(w, p, from, answer, func() *contact.Contact { return w.follow(from) })
	if w.answers != nil && p.role == "contact" { // it says all that is read of another party's
		w.answers[Ask{"contact_of_another", from}] = *answer
	}
}

func (w *walk) follow(from string) *contact.Contact {
	if from == "" {
		return nil
	}
	c, chain, err := contact.Follow(from, func(id string) (*contact.Contact, error) {
		return row[contact.Contact](w, w.key(ledger.Contact, id)), nil
	})
	if err != nil && w.err == nil {
		w.err = err
	}
	w.chains[from] = chain
	return c
}

// from is where the event's address leads to, before any merge.
func (w *walk) from() string {
	b, s := builder{g: w.g}, w.g.Seen
	switch {
	case b.shared():
		return KeylessContact(w.ids, w.g.Event.Tenant, w.g.Facts.Cause)
	case s.Key != nil:
		return s.Key.Contact
	case s.Next != nil && !s.Next.Shared:
		return s.Next.Contact
	}
	return ""
}

// others reads what is known of the further people that the event stops or holds
// mail to. No field of their contacts is read.
func (w *walk) others() {
	g, first := &w.g, w.kept
	if w.mode != keeping {
		for _, o := range Others(w.ids, g.Policy, g.Facts, g.Extraction, g.Person) {
			g.Also = append(g.Also, Party{Person: o})
		}
	}
	b := builder{g: *g}
	mails := b.mails()
	g.Seen.Mailed = b.mailed()
	if n := len(g.Also) + len(mails); w.mode == thawing && len(w.also) != n {
		w.err = fmt.Errorf("%w: it is of %d more people, not %d", ErrGround, len(w.also), n)
		return
	}
	next := func(n int) {
		if w.mode != thawing {
			w.also = append(w.also, parts{})
		}
		w.kept = w.also[n]
	}
	for n := range g.Also {
		next(n)
		p := &g.Also[n]
		w.party(p)
		from := ""
		if p.Key != nil {
			from = p.Key.Contact
		}
		w.contacts(p, "contact_of_another", from, nil)
	}
	// Known by the mail alone, so that a kept ground needs no address of it.
	for n, i := range mails {
		next(len(g.Also) + n)
		p := &g.Seen.Mailed[n]
		w.party(p)
		if g.Facts.Report() || g.Facts.OptOutPlain() { // else it is held at most
			ask(w, mailedPart, i.Guard, &p.Contact, func() *contact.Contact { return w.follow(i.Contact) })
		}
	}
	w.kept = first
}

// second reads who is the other one of From and Reply-To, where the one is known.
// No field of the contact is read.
func (w *walk) second() {
	s := &w.g.Seen
	if o := secondOf(w.ids, w.g.Policy, w.g.Facts, w.g.Person); o.KeyID != "" && (s.Key != nil || s.Next != nil) {
		askRow(w, secondPart, w.key(ledger.ContactKey, o.KeyID), &s.SecondKey)
	}
	if k := s.SecondKey; k != nil && !k.Shared {
		w.contact(contactPart("contact_of_another", "v", nil, nil), k.Contact, &s.Second)
	}
}

// ErrTaskMoved means that the task which a person answers is not as it was shown
// to them. The answer is to something else; they look at it again.
var ErrTaskMoved = errors.New("decide: the task has moved since it was shown")

// answerable tells whether the task that a person answers is as they saw it.
func (w *walk) answerable() bool {
	a, t := w.g.Answer, w.g.Seen.Task
	switch {
	case a == nil:
	case a.Asked != nil && (t == nil || t.State != review.Open || t.Transition != a.Asked.Transition):
		w.err = ErrTaskMoved
	case t == nil:
		w.err = errors.New("decide: an answer without its task")
	}
	return w.err == nil
}

func (w *walk) returned() (there []followup.Intent) {
	for _, id := range w.g.Facts.Returned {
		if i := row[followup.Intent](w, w.key(ledger.Intent, id)); i != nil {
			there = append(there, *i)
		}
	}
	return there
}

// caps reads how many follow-ups the thread has had, and its sender's domain.
func (w *walk) caps() {
	g, s := &w.g, &w.g.Seen
	var caps []ledger.Key
	for _, c := range CapsOf(w.ids, g.Policy, g.Facts, g.Person, g.Now.Std()) {
		caps = append(caps, capKey(g.Event.Tenant, c))
	}
	ask(w, capsPart, named(caps), &s.Caps, func() []ledger.Item {
		counts := make([]ledger.Item, len(caps))
		for n, k := range caps {
			counts[n] = w.item(k)
		}
		return counts
	})
	if k := ourID(g.Facts); k != (ledger.Key{}) {
		ask(w, oursPart, k.ID, &s.Ours, func() bool {
			m := row[followup.ProviderMessage](w, k)
			return m != nil && m.Tenant == g.Event.Tenant
		})
	}
}

func named(keys []ledger.Key) (of string) {
	for _, k := range keys {
		of += k.ID + " "
	}
	return of
}

// replied is the nearest intent of this tenant that the message index names.
func (w *walk) replied(keys []ledger.Key) *followup.Intent {
	first := len(w.missing)
	var ours []string
	for _, k := range keys {
		if m := row[followup.ProviderMessage](w, k); m != nil && m.Tenant == w.g.Event.Tenant {
			ours = append(ours, m.Intent)
		}
	}
	for _, id := range ours {
		if len(w.missing) > first {
			return nil
		}
		if i := row[followup.Intent](w, w.key(ledger.Intent, id)); i != nil {
			return i
		}
	}
	return nil
}

// hanging reads what hangs on the contact that was found.
func (w *walk) hanging(c contact.Contact) {
	g, s := &w.g, &w.g.Seen
	b, from, of, names := builder{g: *g}, w.from(), []contact.Contact{c}, c.ID
	if a := s.Contact; a != nil && a.ID != c.ID {
		// A customer ID beats the address: also those of the contact that the mail would reach.
		of, names = append(of, *a), names+" "+a.ID
	} else if a != nil && g.Person.NextKeyID != "" && from != c.ID && (s.Key == nil) != (s.Next == nil) && !b.shared() {
		// The contact that will list the form that is missing: the other form names it.
		askRow(w, holderPart, w.key(ledger.Contact, from), &s.Holder)
	}
	ask(w, elsewherePart, names, &s.Elsewhere, func() (guards []ledger.Item) {
		for _, one := range of {
			guards = append(guards, w.elsewhere(one)...)
		}
		return guards
	})
	// It may have been filed under one that was merged into the contact since.
	if s.Contact == nil || s.Contact.ID != c.ID {
		from = s.CustomerKey.Contact
	}
	ask(w, enquiryPart, c.ID+" "+g.Facts.Cause, &s.Enquiry, func() (last *contact.Enquiry) {
		for _, id := range w.chains[from] {
			if e := row[contact.Enquiry](w, ledger.Enquiry.Under(g.Event.Tenant, id, g.Facts.Cause)); e != nil {
				last = e
			}
		}
		return last
	})
}

// elsewhere are the guards of a contact's addresses, and of those of the contacts
// that were merged into it, but for the one in hand.
func (w *walk) elsewhere(c contact.Contact) (guards []ledger.Item) {
	all, first := []contact.Contact{c}, len(w.missing)
	for _, id := range c.Absorbed {
		one := row[contact.Contact](w, w.key(ledger.Contact, id))
		switch {
		case one != nil:
			all = append(all, *one)
		case len(w.missing) == first:
			w.err = fmt.Errorf("contact %s was merged into %s and is not there", id, c.ID)
		}
	}
	if len(w.missing) > first {
		return nil
	}
	for _, id := range GuardsOf(w.ids, w.g.Event.Tenant, w.g.Person.GuardID, all...) {
		if it := w.item(w.key(ledger.Guard, id)); it != nil {
			guards = append(guards, it)
		}
	}
	return guards
}

// underRule reads what the rules had done for a contact.
func (w *walk) underRule(contactID, rule string) {
	s := &w.g.Seen
	askRow(w, cadencePart, w.cadence(contactID, rule), &s.Cadence)
	if c := s.Cadence; c != nil && c.Intent != "" {
		askRow(w, slotPart, w.key(ledger.Intent, c.Intent), &s.Slot)
	}
	if !w.g.Policy.Review.NewContacts || w.pending(cadencePart.role, slotPart.role) || s.Slot != nil {
		return
	}
	others, of := []ledger.Key{}, contactID+" "+rule
	for _, r := range w.g.Policy.Rules {
		if r.ID != rule {
			others, of = append(others, w.cadence(contactID, r.ID)), of+" "+r.ID
		}
	}
	ask(w, unapprovedPart, of, &s.Unapproved, func() bool { return w.unapproved(others) })
}

func (w *walk) cadence(contactID, rule string) ledger.Key {
	return ledger.Cadence.Under(w.g.Event.Tenant, contactID, rule)
}

// unapproved tells of a contact whether the other rules' mails to it were none
// but such as wait for a person or were refused.
func (w *walk) unapproved(cadences []ledger.Key) bool {
	waits, approved := false, false
	for _, k := range cadences {
		c := row[followup.Cadence](w, k)
		if c == nil || c.Intent == "" {
			continue
		}
		if i := row[followup.Intent](w, w.key(ledger.Intent, c.Intent)); i != nil {
			waits, approved = waits || Unapproved(*i), approved || i.ApprovedBy != ""
		}
	}
	return waits && !approved
}
