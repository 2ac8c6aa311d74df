package intake

import (
	"slices"
	"strings"
	"unicode/utf8"

	"onefold/internal/crm"
	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
)

// identifying are the keys by which an entry names somebody.
func (g *ground) identifying() (ids []string) {
	for _, p := range g.usable {
		if k := g.keys[p.KeyID]; k == nil || !k.Shared {
			ids = append(ids, p.KeyID)
		}
	}
	if g.customer.KeyID != "" {
		ids = append(ids, g.customer.KeyID)
	}
	return ids
}

// twice tells that an earlier entry has a key of this one. Of two records of one
// person the one that a mapping names is the one to keep.
func (g *ground) twice() (word string, first Entry) {
	for _, p := range g.usable {
		// Under the rule that comes next the two would be one.
		first, seen := g.seen[p.NextKeyID]
		if to := g.leads(p.KeyID); seen && (to == nil || to != g.leads(p.NextKeyID)) {
			if _, same := g.seen[p.KeyID]; !same {
				return match.ReasonRuleCollision, first
			}
		}
	}
	for _, id := range g.identifying() {
		first, seen := g.seen[id]
		switch c := g.leads(id); {
		case !seen:
		case c != nil && g.holder != nil && c.ID == g.holder.ID:
			return "", Entry{}
		case contact.IsCustomerKey(id):
			return whySameCustomer, first
		default:
			return whySameAddress, first
		}
	}
	return "", Entry{}
}

// main is the first address that becomes the contact's; nil where none does.
func (g *ground) main(res match.Result) *decide.Person {
	for n, p := range g.usable {
		if slices.Contains(res.Keys, p.KeyID) {
			return &g.usable[n]
		}
	}
	return nil
}

// candidates are the keys of the entry, as matching takes them.
func (g *ground) candidates() (out []match.Candidate) {
	add := func(id, kind string) {
		c := match.Candidate{KeyID: id, Kind: kind}
		if k := g.keys[id]; k != nil {
			c.Contact, c.Shared = k.Contact, k.Shared
			c.Disputed = k.Disputed && !match.FullName(g.Name)
			if to := g.contacts[k.Contact]; to != nil {
				c.Contact = to.ID
				c.Customers = slices.DeleteFunc(slices.Clone(to.Keys), func(id string) bool { return !contact.IsCustomerKey(id) })
			}
		}
		out = append(out, c)
	}
	for _, p := range g.usable {
		add(p.KeyID, contact.KindEmail)
	}
	if g.customer.KeyID != "" {
		add(g.customer.KeyID, contact.KindCustomer)
	}
	return out
}

// many: so many addresses are no one person's, and are not read.
func (g *ground) many() bool {
	return len(g.usable)+len(g.stops) > 2*contact.MaxAddresses || len(g.usable) > contact.MaxAddresses
}

func (g *ground) stated(f crm.Field) string {
	return strings.Join(strings.Fields(map[crm.Field]string{crm.FieldName: g.Name, crm.FieldCompany: g.Company, crm.FieldPhone: g.Phone}[f]), " ")
}

// value is what becomes the contact's: "" of one that is longer than any that is
// read out of a mail.
func (g *ground) value(f crm.Field) string {
	v, most := g.stated(f), map[crm.Field]int{crm.FieldName: reader.MaxName, crm.FieldCompany: reader.MaxCompany, crm.FieldPhone: reader.MaxPhone}[f]
	if utf8.RuneCountInString(v) > most || !utf8.ValidString(v) {
		return ""
	}
	return v
}
