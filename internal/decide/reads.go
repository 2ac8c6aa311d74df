package decide

import (
	"fmt"
	"slices"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// Seen is what was read of the ledger. Each part is nil when it was not there.
// A field, and its line in reads, is all that a further read takes.
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
	Caps       []ledger.Item    // of CapsOf, in its order
	// Returned are those of Facts.Returned that there are.
	Returned []followup.Intent

	// During a migration of the identity rule. Contact is then that of Next where
	// Key is nil.
	Next        *contact.Key     // of the person's address, under the next rule
	NextContact *contact.Contact // Next's, read through merges
	Holder      *contact.Contact // whom the key that leads to Contact names, where that was merged into it
	CustomerKey *contact.Key     // of the customer ID that the event states
	Customer    *contact.Contact // that key's, read through merges
}

// The roles of asks that a replay tells apart from the others.
const (
	RoleKey     = "key"
	RoleContact = "contact"
	RoleOther   = "contact of another party" // of whose contact no field is read
	RoleGuard   = "guard"
)

// read is one thing that a decision reads of the ledger: how it is found, and
// what of it is kept with the event. Exactly one of look, thread and of is set.
type read struct {
	lost   Lost
	look   func(w *walk)                    // who the event is of
	thread func(w *walk)                    // what belongs to the event
	of     func(w *walk, c contact.Contact) // what belongs to the contact that is found
	keep   func(g Ground, k *kept)
	thaw   func(k *kept, g *Ground)
}

// reads are all of them but those of a party.
func reads() []read {
	return []read{
		{
			lost: LostPerson, // no first decision has a task
			look: func(w *walk) {
				if id := w.g.Event.Review; id != "" {
					w.g.Seen.Task = ask(w, "task", id, w.was.Seen.Task, func() *review.Task { return row[review.Task](w, w.key(ledger.ReviewTask, id)) })
				}
			},
		},
		{
			lost: LostContact,
			look: func(w *walk) {
				if id := CustomerOf(w.g.Policy, w.g.Facts).KeyID; id != "" {
					w.g.Seen.CustomerKey = ask(w, "customer key", id, w.was.Seen.CustomerKey, func() *contact.Key { return row[contact.Key](w, w.key(ledger.ContactKey, id)) })
				}
			},
			keep: func(g Ground, k *kept) { k.put("q", freezeKey(g.Seen.CustomerKey)) },
			thaw: func(k *kept, g *Ground) {
				g.Seen.CustomerKey = thawKey(k, "q", CustomerOf(g.Policy, g.Facts).KeyID, g.Event.Tenant)
			},
		},
		{
			lost: LostContact,
			look: func(w *walk) {
				if k := w.g.Seen.CustomerKey; k != nil {
					w.g.Seen.Customer = w.contact(RoleContact, k.Contact, w.was.Seen.Customer)
				}
			},
			keep: func(g Ground, k *kept) { k.put("x", freezeContact(g.Seen.Customer, g.Extraction)) },
			thaw: func(k *kept, g *Ground) { g.Seen.Customer = thawContact(k, "x", g.Event.Tenant, g.Extraction) },
		},
		{
			lost: LostNothing,
			thread: func(w *walk) {
				if rule, ruled := RuleFor(w.g); ruled {
					id := followup.IntentID(w.ids, w.g.Event.Tenant, w.g.Facts.Cause, rule.ID, rule.Version)
					w.g.Seen.Intent = ask(w, "intent", id, w.was.Seen.Intent, func() *followup.Intent { return row[followup.Intent](w, w.key(ledger.Intent, id)) })
				}
			},
			keep: func(g Ground, k *kept) {
				if i := g.Seen.Intent; i != nil {
					k.put("i", keptIntent{i.ID, i.Contact})
				}
			},
			thaw: func(k *kept, g *Ground) {
				if i := get[*keptIntent](k, "i"); i != nil {
					g.Seen.Intent = &followup.Intent{Tenant: g.Event.Tenant, ID: i.ID, Contact: i.Contact}
				}
			},
		},
		{
			lost: LostThread,
			thread: func(w *walk) {
				if ids := w.g.Facts.Returned; len(ids) > 0 {
					w.g.Seen.Returned = whole(w, "returned", strings.Join(ids, " "), w.was.Seen.Returned, func() (there []followup.Intent) {
						for _, id := range ids {
							if i := row[followup.Intent](w, w.key(ledger.Intent, id)); i != nil {
								there = append(there, *i)
							}
						}
						return there
					})
				}
			},
			keep: func(g Ground, k *kept) { // their guards
				var guards []string
				for _, i := range g.Seen.Returned {
					guards = append(guards, i.Guard)
				}
				k.put("w", guards)
			},
			thaw: func(k *kept, g *Ground) {
				for _, id := range get[[]string](k, "w") {
					g.Seen.Returned = append(g.Seen.Returned, followup.Intent{Tenant: g.Event.Tenant, Guard: id})
				}
			},
		},
		{
			lost: LostThread,
			thread: func(w *walk) {
				keys := RepliesTo(w.g.Facts)
				if w.g.Facts.Machine() || len(keys) == 0 {
					return
				}
				of := ""
				for _, k := range keys {
					of += k.ID + " "
				}
				w.g.Seen.Replied = whole(w, "replied", of, w.was.Seen.Replied, func() *followup.Intent { return w.replied(keys) })
			},
			keep: func(g Ground, k *kept) {
				if i := g.Seen.Replied; i != nil {
					k.put("y", i.ID)
				}
			},
			thaw: func(k *kept, g *Ground) {
				if id := get[*string](k, "y"); id != nil {
					g.Seen.Replied = &followup.Intent{Tenant: g.Event.Tenant, ID: *id}
				}
			},
		},
		{
			lost: LostCount,
			thread: func(w *walk) {
				if w.g.Facts.Machine() {
					return
				}
				was := builder{g: w.was}
				for n, c := range CapsOf(w.ids, w.g.Policy, w.g.Facts, w.g.Person, w.g.Now.Std()) {
					w.g.Seen.Caps = append(w.g.Seen.Caps, whole(w, "cap", c.ID, was.seenCap(n), func() ledger.Item {
						it, _ := w.item(CapKey(w.g.Event.Tenant, c))
						return it
					}))
				}
			},
			keep: func(g Ground, k *kept) {
				var caps []*keptCap
				for _, c := range g.Seen.Caps {
					var cap *keptCap
					if c != nil {
						cap = &keptCap{c.Version(), c.Int("count")}
					}
					caps = append(caps, cap)
				}
				k.put("u", caps)
			},
			thaw: func(k *kept, g *Ground) {
				for _, c := range get[[]*keptCap](k, "u") {
					var it ledger.Item
					if c != nil {
						it = ledger.Item{schema.Version: c.Version, "count": c.Count}
					}
					g.Seen.Caps = append(g.Seen.Caps, it)
				}
			},
		},
		{
			lost: LostContact,
			of: func(w *walk, _ contact.Contact) {
				// The contact that will list the form that is missing: the one that the other
				// form names.
				s := w.g.Seen
				from := w.from(w.g.main())
				if c := s.Contact; w.g.Person.NextKeyID != "" && c != nil && from != c.ID && (s.Key == nil) != (s.Next == nil) && !w.shared() {
					w.g.Seen.Holder = ask(w, "holder", from, w.was.Seen.Holder, func() *contact.Contact { return row[contact.Contact](w, w.key(ledger.Contact, from)) })
				}
			},
			keep: func(g Ground, k *kept) { k.put("h", freezeContact(g.Seen.Holder, nil)) },
			thaw: func(k *kept, g *Ground) { g.Seen.Holder = thawContact(k, "h", g.Event.Tenant, nil) },
		},
		{
			lost: LostFollowUp,
			of: func(w *walk, c contact.Contact) {
				// Where a customer ID beats the address, also those of the contact that the mail
				// would reach.
				of, name := []contact.Contact{c}, c.ID
				if a := w.g.Seen.Contact; a != nil && a.ID != c.ID {
					of, name = append(of, *a), name+" "+a.ID
				}
				w.g.Seen.Elsewhere = whole(w, "guards elsewhere", name, w.was.Seen.Elsewhere, func() (guards []ledger.Item) {
					for _, one := range of {
						guards = append(guards, w.elsewhere(one)...)
					}
					return guards
				})
			},
			keep: func(g Ground, k *kept) {
				var guards []map[string]any
				for _, e := range g.Seen.Elsewhere {
					guards = append(guards, freezeGuard(e))
				}
				k.put("j", guards)
			},
			thaw: func(k *kept, g *Ground) {
				for _, e := range get[[]map[string]any](k, "j") {
					g.Seen.Elsewhere = append(g.Seen.Elsewhere, thawGuard(k, e))
				}
			},
		},
		{
			lost: LostFollowUp,
			of: func(w *walk, c contact.Contact) {
				// It may have been filed under one that was merged into the contact since.
				from := w.from(w.g.main())
				if a := w.g.Seen.Contact; a == nil || a.ID != c.ID {
					from = w.g.Seen.CustomerKey.Contact
				}
				w.g.Seen.Enquiry = whole(w, "enquiry", c.ID+" "+w.g.Facts.Cause, w.was.Seen.Enquiry, func() (last *contact.Enquiry) {
					for _, id := range w.chains[from] {
						k := w.key(ledger.Enquiry, id)
						k.Sub = w.g.Facts.Cause
						if e := row[contact.Enquiry](w, k); e != nil {
							last = e
						}
					}
					return last
				})
			},
			keep: func(g Ground, k *kept) {
				if e := g.Seen.Enquiry; e != nil {
					k.put("e", keptEnquiry{e.FollowUp})
				}
			},
			thaw: func(k *kept, g *Ground) {
				if e := get[*keptEnquiry](k, "e"); e != nil {
					g.Seen.Enquiry = &contact.Enquiry{Tenant: g.Event.Tenant, FollowUp: e.FollowUp}
				}
			},
		},
		{
			lost: LostRule,
			of: func(w *walk, c contact.Contact) {
				if rule, ruled := RuleFor(w.g); ruled {
					w.g.Seen.Cadence = ask(w, "cadence", c.ID+" "+rule.ID, w.was.Seen.Cadence, func() *followup.Cadence { return w.cadence(c.ID, rule.ID) })
				}
			},
			keep: func(g Ground, k *kept) {
				if c := g.Seen.Cadence; c != nil {
					k.put("d", keptCadence{c.Intent, c.FoldUntil, c.Version})
				}
			},
			thaw: func(k *kept, g *Ground) {
				if c := get[*keptCadence](k, "d"); c != nil {
					g.Seen.Cadence = &followup.Cadence{Tenant: g.Event.Tenant, Intent: c.Intent, FoldUntil: c.FoldUntil, Version: c.Version}
				}
			},
		},
		{
			lost: LostRule,
			of: func(w *walk, _ contact.Contact) {
				if c := w.g.Seen.Cadence; c != nil && c.Intent != "" {
					w.g.Seen.Slot = whole(w, "slot", c.Intent, w.was.Seen.Slot, func() *followup.Intent { return row[followup.Intent](w, w.key(ledger.Intent, c.Intent)) })
				}
			},
			keep: func(g Ground, k *kept) {
				if i := g.Seen.Slot; i != nil {
					k.put("l", i.State)
					if i.Reason == followup.ReasonRefused {
						k.put("r", true)
					}
				}
			},
			thaw: func(k *kept, g *Ground) {
				if state := get[*string](k, "l"); state != nil {
					g.Seen.Slot = &followup.Intent{Tenant: g.Event.Tenant, State: *state}
					if get[bool](k, "r") {
						g.Seen.Slot.Reason = followup.ReasonRefused
					}
				}
			},
		},
		{
			lost: LostRule,
			of: func(w *walk, c contact.Contact) {
				rule, ruled := RuleFor(w.g)
				if w.pending("cadence", "slot") || w.g.Seen.Slot != nil || !ruled || !w.g.Policy.Review.NewContacts {
					return
				}
				others := otherRules(w.g.Policy, rule.ID)
				w.g.Seen.Unapproved = ask(w, "unapproved", c.ID+" "+rule.ID+" "+strings.Join(others, " "), w.was.Seen.Unapproved, func() bool { return w.unapproved(c.ID, others) })
			},
			keep: func(g Ground, k *kept) {
				if g.Seen.Unapproved {
					k.put("o", true)
				}
			},
			thaw: func(k *kept, g *Ground) { g.Seen.Unapproved = get[bool](k, "o") },
		},
	}
}

// replied is the nearest intent of this tenant that the message index names.
func (w *walk) replied(keys []ledger.Key) *followup.Intent {
	first := len(w.missing)
	var ours []followup.ProviderMessage
	for _, k := range keys {
		if m := row[followup.ProviderMessage](w, k); m != nil && m.Tenant == w.g.Event.Tenant {
			ours = append(ours, *m)
		}
	}
	for _, m := range ours {
		if len(w.missing) > first {
			return nil
		}
		if i := row[followup.Intent](w, w.key(ledger.Intent, m.Intent)); i != nil {
			return i
		}
	}
	return nil
}

// elsewhere are the guards of a contact's addresses and of those of the contacts
// that were merged into it, but for the one in hand.
func (w *walk) elsewhere(c contact.Contact) (guards []ledger.Item) {
	all, first := []contact.Contact{c}, len(w.missing)
	for _, id := range c.Absorbed {
		one := row[contact.Contact](w, w.key(ledger.Contact, id))
		switch {
		case one != nil:
			all = append(all, *one)
		case len(w.missing) == first && w.err == nil:
			w.err = errPart(c.ID, id)
		}
	}
	if len(w.missing) > first {
		return nil
	}
	for _, id := range GuardsOf(w.ids, c.Tenant, w.g.Person.GuardID, all...) {
		if it, _ := w.item(w.key(ledger.Guard, id)); it != nil {
			guards = append(guards, it)
		}
	}
	return guards
}

func (w *walk) cadence(contactID, rule string) *followup.Cadence {
	k := w.key(ledger.Cadence, contactID)
	k.Sub = rule
	return row[followup.Cadence](w, k)
}

// unapproved tells of a contact whether the other rules' mails to it were none
// but such as wait for a person or were refused.
func (w *walk) unapproved(contactID string, rules []string) bool {
	waits, approved := false, false
	var slots []string
	for _, r := range rules {
		if c := w.cadence(contactID, r); c != nil && c.Intent != "" {
			slots = append(slots, c.Intent)
		}
	}
	for _, id := range slots {
		if i := row[followup.Intent](w, w.key(ledger.Intent, id)); i != nil {
			waits, approved = waits || Unapproved(*i), approved || i.ApprovedBy != ""
		}
	}
	return waits && !approved
}

type (
	keptEnquiry struct {
		FollowUp string `json:"f,omitempty"`
	}
	keptCadence struct {
		Intent    string   `json:"i,omitempty"`
		FoldUntil utc.Time `json:"u,omitzero"`
		Version   int64    `json:"v"`
	}
	keptIntent struct {
		ID      string `json:"i"`
		Contact string `json:"c"`
	}
	keptCap struct {
		Version int64 `json:"v"`
		Count   int64 `json:"c"`
	}
)

func otherRules(p tenant.Policy, id string) (others []string) {
	for _, r := range p.Rules {
		if r.ID != id {
			others = append(others, r.ID)
		}
	}
	slices.Sort(others)
	return others
}

func (w *walk) shared() bool { return (&builder{g: w.g}).shared() }

func errPart(c, id string) error {
	return fmt.Errorf("contact %s was merged into %s and is not there", id, c)
}
