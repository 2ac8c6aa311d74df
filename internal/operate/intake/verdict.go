package intake

import (
	"slices"

	"onefold/internal/crm"
	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
)

// The outcomes of an entry.
const (
	Made   = "made"     // a contact that was not known
	Linked = "linked"   // a known contact, whose record in the CRM was not
	Known  = "known"    // nothing to do
	Left   = "left_out" // a person has to look
)

// verdict is what comes of an entry.
type verdict struct {
	outcome string
	contact string   // made or known
	keys    []string // of its addresses, if it is not left out
	why     []why
	made    contact.Contact
	stops   []string // guards of addresses whose opt-out is new here
}

// why is a word for something to be reported, and what it is about: another
// entry, a contact or a record.
type why struct{ word, other string }

func (v *verdict) note(word, other string) { v.why = append(v.why, why{word, other}) }

func (v verdict) left(word, other string) verdict {
	v.outcome, v.contact = Left, ""
	v.why = append([]why{{word, other}}, v.why...)
	return v
}

// decide is pure. An opt-out counts whatever else comes of the entry.
func (g *ground) decide() verdict {
	if g.many() {
		return verdict{}.left(whyManyAddresses, "")
	}
	v := verdict{}
	for _, p := range g.toStop() {
		v.stops = append(v.stops, p.GuardID)
	}
	switch {
	case len(g.usable) == 0 && len(g.faults) == 0:
		return v.left(match.ReasonNoKey, "")
	case len(g.usable) == 0:
		return v.left(g.faults[0], "")
	}
	for _, word := range slices.Compact(slices.Sorted(slices.Values(g.faults))) {
		v.note(word, "")
	}
	switch {
	case g.customer.Fault != "":
		v.note(g.customer.Fault, "")
	case g.CustomerID != "" && g.customer.KeyID == "":
		v.note(match.ReasonCustomerIgnored, "")
	}
	for _, f := range []crm.Field{crm.FieldName, crm.FieldCompany, crm.FieldPhone} {
		if g.stated(f) != "" && g.value(f) == "" {
			v.note(whyLongValue, string(f))
		}
	}
	if word, first := g.twice(); word != "" {
		return v.left(word, first.place())
	}
	res := match.Rule{Customers: g.policy.Customers()}.Decide(g.candidates())
	if res.Outcome == match.Review {
		return v.left(asked(res.Reasons), "")
	}
	if slices.Contains(res.Reasons, match.ReasonSharedInbox) {
		v.note(match.ReasonSharedInbox, "")
	}
	v.keys = g.identifying()
	for _, p := range g.usable {
		// Under the rule that comes next the address would be somebody else's.
		if n := g.keys[p.NextKeyID]; n != nil && !n.Shared && (g.leads(p.NextKeyID) == nil || g.leads(p.NextKeyID).ID != res.Contact) {
			return v.left(match.ReasonRuleCollision, n.Contact)
		}
		if p.NextKeyID != "" {
			v.keys = append(v.keys, p.NextKeyID)
		}
	}
	if res.Outcome == match.New {
		return g.unknown(v, res)
	}
	return g.known(v, res)
}

// asked is the reason for which a match is left to a person.
func asked(reasons []string) string {
	last := reasons[len(reasons)-1]
	for _, word := range reasons {
		if word == match.ReasonSharedInbox {
			last = word
		}
	}
	return last
}

// unknown: nobody has one of the keys.
func (g *ground) unknown(v verdict, res match.Result) verdict {
	if g.main(res) == nil {
		return v.left(match.ReasonSharedInbox, "")
	}
	for _, p := range g.usable {
		if g.guards[p.GuardID].Text(guard.ErasedAtAttr) != "" {
			return v.left(match.ReasonContactErased, "")
		}
	}
	switch {
	case g.holder != nil:
		return v.left(whyRecordOfAnother, g.holder.ID)
	case g.byRef != nil:
		return v.left(whyReferenceOfAnother, g.byRef.ID)
	case g.Ref != "":
		return v.left(whyReferenceUnknown, "")
	}
	v.outcome, v.made = Made, g.contact(res)
	v.contact = v.made.ID
	if v.made.LikelySame != "" {
		v.note(match.ReasonPhoneShared, v.made.LikelySame)
	}
	return v
}

// known: the keys lead to one contact.
func (g *ground) known(v verdict, res match.Result) verdict {
	var c *contact.Contact
	for _, one := range g.contacts {
		if one != nil && one.ID == res.Contact {
			c = one
		}
	}
	if c == nil || c.Status != contact.Active {
		return v.left(match.ReasonContactErased, "")
	}
	v.outcome, v.contact = Known, c.ID
	if g.Name != "" && c.Name != "" && !match.Same("name", c.Name, g.Name, g.policy.Region) {
		v.note(whyNameDiffers, c.ID)
	}
	for _, id := range res.Keys {
		if contact.IsCustomerKey(id) {
			v.note(whyCustomerNotAdded, c.ID)
		} else {
			v.note(whyAddressNotAdded, c.ID)
		}
	}
	if g.holder != nil && g.holder.ID == c.ID {
		return v // by its record, whatever other entry has the address
	}
	if g.Record == "" {
		return v
	}
	return g.link(v, *c)
}

// link gives a contact its record, unless it has one or the record is another's.
func (g *ground) link(v verdict, c contact.Contact) verdict {
	own := false
	for _, m := range g.mappings {
		switch {
		case m.Contact != c.ID && !slices.Contains(c.Absorbed, m.Contact):
		case m.CRMID != "" && m.CRMID != g.Record:
			return v.left(whyOtherRecord, "record "+m.CRMID)
		case m.CRMID == g.Record:
			return v // made since the run began
		default:
			own = own || m.Contact == c.ID
		}
	}
	switch {
	case g.holder != nil:
		return v.left(whyRecordOfAnother, g.holder.ID)
	case g.byRef != nil && g.byRef.ID != c.ID:
		return v.left(whyReferenceOfAnother, g.byRef.ID)
	case g.byRef == nil && g.Ref != "":
		return v.left(whyReferenceUnknown, "")
	case own: // a worker has tried to bring it there, and will find the record
		v.note(whySyncUnderWay, c.ID)
		return v
	}
	v.outcome = Linked
	return v
}

// contact is the one that an entry makes. It is named after its first key, so
// that whoever takes the same list in names it so.
func (g *ground) contact(res match.Result) contact.Contact {
	main := g.main(res)
	c := contact.Contact{
		Tenant: g.policy.Tenant, ID: g.IDs.ID("contact", g.policy.Tenant, "import", main.KeyID), Status: contact.Active,
		Email: main.Address.String(), Name: g.value(crm.FieldName), Company: g.value(crm.FieldCompany), Phone: g.value(crm.FieldPhone),
		Keys: slices.Clone(res.Keys), ConsentVersion: 1, Revision: 1, CreatedAt: g.now, Transition: 1,
	}
	for _, p := range g.usable {
		if slices.Contains(res.Keys, p.KeyID) && p.NextKeyID != "" && g.keys[p.NextKeyID] == nil && !slices.Contains(c.Keys, p.NextKeyID) {
			c.Keys = append(c.Keys, p.NextKeyID)
		}
	}
	if to := g.leads(g.likely); to != nil && to.Status == contact.Active {
		c.LikelySame = to.ID
	}
	return c
}

// toStop are the addresses that the list says are opted out and that no wish
// stops here yet.
func (g *ground) toStop() []decide.Person {
	return slices.DeleteFunc(slices.Clone(g.stops), func(p decide.Person) bool {
		it := g.guards[p.GuardID]
		return g.stopped[p.GuardID] || it.Text(guard.StopAttr(guard.ScopeAll)) != "" && guard.IsWish(it, tenant.ScopeFollowUp)
	})
}
