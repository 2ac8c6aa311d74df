// Package register takes contact records through matching in order, as if each
// had come in with an enquiry (onefold match).
//
// Its invariant: what it says of a record is what the product says, by the same
// keys and rules. It keeps nothing beyond the process.
package register

import (
	"slices"
	"strings"
	"unicode"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/digest"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
)

// Register is the contacts that the records so far have made.
type Register struct {
	policy tenant.Policy
	ids    digest.Key
	keys   map[string]string   // key ID → contact
	phones map[string][]string // number → contacts
	people map[string]*person
	// disputed are the addresses that a record with another name claimed.
	disputed map[string]bool
}

type person struct {
	name, company string
	customers     []string // customer keys
}

// Matched is what came of one record.
type Matched struct {
	ID      string   `json:"id"`
	Outcome string   `json:"outcome"`
	Contact *string  `json:"contact"`
	Reasons []string `json:"reasons"`
}

// New is a register without contacts.
func New(policy tenant.Policy) (*Register, error) {
	// Guard identifiers are made and not used here, so any key does.
	ids, err := digest.NewKey(make([]byte, 32))
	return &Register{policy, ids, map[string]string{}, map[string][]string{}, map[string]*person{}, map[string]bool{}}, err
}

// Match decides on a record and lets it take effect, unless a person has to
// look first.
func (r *Register) Match(rec Record) Matched {
	cands, reasons := r.candidates(rec)
	res := match.Rule{Customers: r.policy.CustomerIDs.Use}.Decide(cands)
	if len(reasons) > 0 {
		// A key that cannot be used says more than that there is none.
		res.Reasons = slices.DeleteFunc(res.Reasons, func(s string) bool { return s == match.ReasonNoKey })
	}
	reasons = append(res.Reasons, reasons...)
	if res.Outcome == match.Matched && r.conflicts(rec, res.Contact) {
		res.Outcome = match.Review
		reasons = append(reasons, match.ReasonFieldConflict)
	}
	if slices.Contains(reasons, match.ReasonCustomerInvalid) {
		res.Outcome = match.Review
	}
	if others := r.sharers(rec, res.Contact); len(others) > 0 {
		reasons = append(reasons, match.ReasonPhoneShared)
		if res.Outcome == match.New && r.maybeOneOf(rec, others) {
			res.Outcome = match.Review
		}
	}
	out := Matched{ID: string(rec.ID), Outcome: res.Outcome, Reasons: distinct(reasons)}
	switch res.Outcome {
	case match.New:
		out.Contact = &out.ID
	case match.Matched:
		out.Contact = &res.Contact
	default:
		return out
	}
	r.keep(rec, *out.Contact, res.Keys)
	return out
}

// candidates are the keys that can identify, and why others cannot.
func (r *Register) candidates(rec Record) (cands []match.Candidate, reasons []string) {
	add := func(id, kind string, shared bool) {
		if !slices.ContainsFunc(cands, func(c match.Candidate) bool { return c.KeyID == id }) {
			c := match.Candidate{KeyID: id, Kind: kind, Contact: r.keys[id], Shared: shared}
			if p := r.people[c.Contact]; p != nil {
				c.Customers = p.customers
				r.disputed[id] = r.disputed[id] || kind == contact.KindEmail && !shared &&
					r.policy.ContactFields.Name == tenant.UpdateFillIfEmpty && r.differ("name", p.name, rec.Name)
			}
			c.Disputed = r.disputed[id] && !match.FullName(string(rec.Name))
			cands = append(cands, c)
		}
	}
	for _, email := range rec.Emails {
		if strings.TrimSpace(string(email)) == "" {
			continue
		}
		switch p := decide.Identify(r.ids, r.policy, string(email)); {
		case !p.Known():
			reasons = append(reasons, p.Fault)
		case p.Own:
			reasons = append(reasons, match.ReasonOwnAddress)
		case p.Role:
			reasons = append(reasons, match.ReasonRoleAddress)
		default:
			add(p.KeyID, contact.KindEmail, p.Shared)
		}
	}
	if stated := string(rec.CustomerID); strings.TrimSpace(stated) != "" {
		switch id, ok := contact.CustomerKey(stated); {
		case ok:
			add(id, contact.KindCustomer, false)
		case r.policy.CustomerIDs.Use != tenant.CustomersIgnore:
			reasons = append(reasons, match.ReasonCustomerInvalid)
		}
	}
	return cands, reasons
}

// conflicts tells whether the record states another name or company than the
// contact has, under a rule that may only fill.
func (r *Register) conflicts(rec Record, id string) bool {
	p, rules := r.people[id], r.policy.ContactFields
	return rules.Name == tenant.UpdateFillIfEmpty && r.differ("name", p.name, rec.Name) ||
		rules.Company == tenant.UpdateFillIfEmpty && r.differ("company", p.company, rec.Company)
}

// sharers are the other contacts that have a phone of the record.
func (r *Register) sharers(rec Record, id string) []string {
	var others []string
	for _, phone := range rec.Phones {
		for _, c := range r.phones[number(phone)] {
			if c != id {
				others = append(others, c)
			}
		}
	}
	return others
}

// maybeOneOf tells whether the record may be one of the contacts under another
// key: all that tells two people on one phone apart is that their names differ.
func (r *Register) maybeOneOf(rec Record, others []string) bool {
	return slices.ContainsFunc(others, func(c string) bool { return !r.differ("name", r.people[c].name, rec.Name) })
}

// keep adds what the record brings to its contact.
func (r *Register) keep(rec Record, id string, keys []string) {
	p := r.people[id]
	if p == nil {
		p = &person{}
		r.people[id] = p
	}
	p.name = filled(p.name, string(rec.Name), r.policy.ContactFields.Name)
	p.company = filled(p.company, string(rec.Company), r.policy.ContactFields.Company)
	for _, k := range keys {
		r.keys[k] = id
		if contact.IsCustomerKey(k) {
			p.customers = append(p.customers, k)
		}
	}
	for _, phone := range rec.Phones {
		if n := number(phone); n != "" && !slices.Contains(r.phones[n], id) {
			r.phones[n] = append(r.phones[n], id)
		}
	}
}

func filled(have, stated, rule string) string {
	switch {
	case strings.TrimSpace(stated) == "":
		return have
	case have == "", rule == tenant.UpdateAlways:
		return stated
	}
	return have
}

// differ reports whether both are stated and are two values.
func (r *Register) differ(field, have string, stated Word) bool {
	v := strings.TrimSpace(string(stated))
	return have != "" && v != "" && !match.Same(field, have, v, r.policy.Region)
}

// number is the end of a phone number, by which spellings with and without the
// country compare. It is wide on purpose: it only ever raises a question. Of
// fewer than six digits it is "".
func number(phone Word) string {
	digits := strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return c
		}
		return -1
	}, string(phone))
	if len(digits) < 6 {
		return ""
	}
	return digits[max(0, len(digits)-9):]
}

func distinct(words []string) []string {
	out := []string{}
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
