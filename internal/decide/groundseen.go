package decide

import (
	"fmt"
	"maps"
	"strings"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// What was read of the ledger, so far as Decide reads it. A field that Decide
// begins to read belongs here: TestEveryFieldOfAGroundIsKeptOrLeftOut lists them.
type (
	keptSeen struct {
		Key     *keptKey       `json:"k,omitempty"`
		Contact *keptContact   `json:"c,omitempty"`
		Guard   map[string]any `json:"g,omitempty"`
		Enquiry *keptEnquiry   `json:"e,omitempty"`
		Cadence *keptCadence   `json:"d,omitempty"`
		Slot    *string        `json:"l,omitempty"` // state
		Refused bool           `json:"r,omitempty"` // by a person: what was in the slot
		Intent  *keptIntent    `json:"i,omitempty"`
		Others  bool           `json:"o,omitempty"` // Unapproved
		Replied *string        `json:"y,omitempty"` // intent
		Caps    []*keptCap     `json:"u,omitempty"`
		// Returned are the guards of the intents that a report gives back.
		Returned []string `json:"w,omitempty"`

		Elsewhere   []map[string]any `json:"j,omitempty"` // guards
		Next        *keptKey         `json:"n,omitempty"`
		NextContact *keptContact     `json:"m,omitempty"`
		Holder      *keptContact     `json:"h,omitempty"`
		CustomerKey *keptKey         `json:"q,omitempty"`
		Customer    *keptContact     `json:"x,omitempty"`
	}
	keptOne struct { // one more party
		Key         *keptKey       `json:"k,omitempty"`
		Contact     *keptContact   `json:"c,omitempty"`
		Guard       map[string]any `json:"g,omitempty"`
		Next        *keptKey       `json:"n,omitempty"`
		NextContact *keptContact   `json:"m,omitempty"`
	}
	keptKey struct {
		Contact string `json:"c"`
		Shared  bool   `json:"s,omitempty"`
	}
	keptContact struct {
		ID         string `json:"i"`
		Status     string `json:"s,omitempty"` // "": active
		Consent    int64  `json:"o"`
		Revision   int64  `json:"r"`
		Transition int64  `json:"t"`
		Reach      int64  `json:"a,omitempty"`
		// Customers are its keys of customer IDs. No other key is read.
		Customers []string `json:"u,omitempty"`
		// Of the fields that the event states: which are the same, as people read
		// them, and the values of the others.
		Same   []string          `json:"e,omitempty"`
		Values map[string]string `json:"f,omitempty"`
	}
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

func freezeSeen(g Ground) keptSeen {
	s := g.Seen
	k := keptSeen{Key: freezeKey(s.Key), Contact: freezeContact(s.Contact, g.Extraction), Guard: freezeGuard(s.Guard)}
	if s.Enquiry != nil {
		k.Enquiry = &keptEnquiry{s.Enquiry.FollowUp}
	}
	if s.Cadence != nil {
		k.Cadence = &keptCadence{s.Cadence.Intent, s.Cadence.FoldUntil, s.Cadence.Version}
	}
	if s.Slot != nil {
		k.Slot, k.Refused = &s.Slot.State, s.Slot.Reason == followup.ReasonRefused
	}
	k.Others = s.Unapproved
	if s.Intent != nil {
		k.Intent = &keptIntent{s.Intent.ID, s.Intent.Contact}
	}
	if s.Replied != nil {
		k.Replied = &s.Replied.ID
	}
	for _, i := range s.Returned {
		k.Returned = append(k.Returned, i.Guard)
	}
	for _, c := range s.Caps {
		if c == nil {
			k.Caps = append(k.Caps, nil)
			continue
		}
		k.Caps = append(k.Caps, &keptCap{c.Version(), c.Int("count")})
	}
	for _, e := range s.Elsewhere {
		k.Elsewhere = append(k.Elsewhere, freezeGuard(e))
	}
	k.Next, k.NextContact, k.Holder = freezeKey(s.Next), freezeContact(s.NextContact, g.Extraction), freezeContact(s.Holder, nil)
	k.CustomerKey, k.Customer = freezeKey(s.CustomerKey), freezeContact(s.Customer, g.Extraction)
	return k
}

func freezeOne(p Party) keptOne {
	// No field of another party's contact is read.
	return keptOne{freezeKey(p.Key), freezeContact(p.Contact, nil), freezeGuard(p.Guard), freezeKey(p.Next), freezeContact(p.NextContact, nil)}
}

func freezeKey(k *contact.Key) *keptKey {
	if k == nil {
		return nil
	}
	return &keptKey{k.Contact, k.Shared}
}

func freezeContact(c *contact.Contact, x *reader.Stored) *keptContact {
	if c == nil {
		return nil
	}
	k := &keptContact{ID: c.ID, Status: c.Status, Consent: c.ConsentVersion, Revision: c.Revision, Transition: c.Transition, Reach: c.Reach, Customers: customersOf(c)}
	if k.Status == contact.Active {
		k.Status = ""
	}
	said := stated(x)
	for _, field := range contactFields() {
		have := fieldOf(*c, field)
		switch v, ok := said[field]; {
		case !ok || have == "":
		case same(have, v):
			k.Same = append(k.Same, field)
		default:
			if k.Values == nil {
				k.Values = map[string]string{}
			}
			k.Values[field] = have
		}
	}
	return k
}

func contactFields() []string { return []string{"name", "company", "phone"} }

// freezeGuard keeps what a decision reads of a guard: never the address.
func freezeGuard(g ledger.Item) map[string]any {
	if g == nil {
		return nil
	}
	out := map[string]any{"transition": g.Int("transition")}
	for attr, v := range g {
		switch attr {
		case "hold", "hold_review", "reason", "bounces", "complaints", "erased_at":
			out[attr] = v
		default:
			if strings.HasPrefix(attr, guard.StopAttr("")) {
				out[attr] = v
			}
		}
	}
	return out
}

// Ground puts a kept ground together: the event as it stood before, the policy
// of its version or another in whose place it is decided, and the facts and the
// answer that the digests name. Whom it is about follows from these. Under
// another policy the caller first makes sure that they are the same people.
// Errors are ErrGround.
func (k Kept) Ground(ids digest.Key, e inbound.Event, p tenant.Policy, f Facts, x *reader.Stored) (Ground, error) {
	if k.TooLarge {
		return Ground{}, fmt.Errorf("%w: it was too large to be kept", ErrGround)
	}
	e.State, e.Transition, e.Review = inbound.Recorded, k.Transition, ""
	g := Ground{Event: e, Policy: p, Facts: f, Extraction: x, Now: k.Now, By: k.By}
	g.Person = Identify(ids, p, Whom(f, x, nil))
	var err error
	if g.Seen, err = k.seen(g); err != nil {
		return g, err
	}
	others := Others(ids, p, f, x, g.Person)
	if len(others) != len(k.Also) {
		return g, fmt.Errorf("%w: it is of %d more people, not %d", ErrGround, len(k.Also), len(others))
	}
	for i, o := range others {
		also := k.Also[i]
		party := Party{
			Person: o, Key: thawKey(also.Key, o.KeyID, e.Tenant), Contact: thawContact(also.Contact, e.Tenant, nil),
			Next: thawKey(also.Next, o.NextKeyID, e.Tenant), NextContact: thawContact(also.NextContact, e.Tenant, nil),
		}
		if party.Guard, err = thawGuard(also.Guard); err != nil {
			return g, err
		}
		g.Also = append(g.Also, party)
	}
	return g, nil
}

func (k Kept) seen(g Ground) (Seen, error) {
	t := g.Event.Tenant
	s := Seen{
		Key: thawKey(k.Seen.Key, g.Person.KeyID, t), Contact: thawContact(k.Seen.Contact, t, g.Extraction),
		Next: thawKey(k.Seen.Next, g.Person.NextKeyID, t), NextContact: thawContact(k.Seen.NextContact, t, g.Extraction),
		Holder: thawContact(k.Seen.Holder, t, nil), Unapproved: k.Seen.Others,
		CustomerKey: thawKey(k.Seen.CustomerKey, CustomerOf(g.Policy, g.Facts).KeyID, t), Customer: thawContact(k.Seen.Customer, t, g.Extraction),
	}
	var err error
	for _, e := range k.Seen.Elsewhere {
		it, err := thawGuard(e)
		if err != nil {
			return s, err
		}
		s.Elsewhere = append(s.Elsewhere, it)
	}
	if s.Guard, err = thawGuard(k.Seen.Guard); err != nil {
		return s, err
	}
	contactID := ""
	if s.Contact != nil {
		contactID = s.Contact.ID
	}
	if k.Seen.Enquiry != nil {
		s.Enquiry = &contact.Enquiry{Tenant: t, Contact: contactID, FollowUp: k.Seen.Enquiry.FollowUp}
	}
	if c := k.Seen.Cadence; c != nil {
		s.Cadence = &followup.Cadence{Tenant: t, Contact: contactID, Intent: c.Intent, FoldUntil: c.FoldUntil, Version: c.Version}
	}
	if k.Seen.Slot != nil {
		s.Slot = &followup.Intent{Tenant: t, State: *k.Seen.Slot}
		if k.Seen.Refused {
			s.Slot.Reason = followup.ReasonRefused
		}
	}
	if i := k.Seen.Intent; i != nil {
		s.Intent = &followup.Intent{Tenant: t, ID: i.ID, Contact: i.Contact}
	}
	if k.Seen.Replied != nil {
		s.Replied = &followup.Intent{Tenant: t, ID: *k.Seen.Replied}
	}
	for _, id := range k.Seen.Returned {
		s.Returned = append(s.Returned, followup.Intent{Tenant: t, Guard: id})
	}
	for _, c := range k.Seen.Caps {
		if c == nil {
			s.Caps = append(s.Caps, nil)
			continue
		}
		s.Caps = append(s.Caps, ledger.Item{schema.Version: c.Version, "count": c.Count})
	}
	return s, nil
}

func thawKey(k *keptKey, id, tenantID string) *contact.Key {
	if k == nil {
		return nil
	}
	return &contact.Key{Tenant: tenantID, ID: id, Contact: k.Contact, Shared: k.Shared}
}

func thawContact(k *keptContact, tenantID string, x *reader.Stored) *contact.Contact {
	if k == nil {
		return nil
	}
	c := &contact.Contact{
		Tenant: tenantID, ID: k.ID, Status: k.Status, ConsentVersion: k.Consent, Revision: k.Revision, Transition: k.Transition, Reach: k.Reach, Keys: k.Customers,
	}
	if c.Status == "" {
		c.Status = contact.Active
	}
	have := map[string]string{}
	said := stated(x)
	for _, field := range k.Same {
		have[field] = said[field]
	}
	maps.Copy(have, k.Values)
	c.Name, c.Company, c.Phone = have["name"], have["company"], have["phone"]
	return c
}

func thawGuard(g map[string]any) (ledger.Item, error) {
	if g == nil {
		return nil, nil
	}
	it, err := ledger.Normal(g)
	attrs, whole := it.(map[string]any)
	if err != nil || !whole {
		return nil, fmt.Errorf("%w: a guard in it is damaged", ErrGround)
	}
	return attrs, nil
}

// stated are the fields that an answer states.
func stated(x *reader.Stored) map[string]string {
	b := builder{g: Ground{Extraction: x}}
	return b.values()
}
