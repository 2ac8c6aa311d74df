package mailbox

import (
	"maps"
	"slices"

	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/record/contact"
)

// Contacts compares a contact list with itself and with the mailbox.
type Contacts struct {
	Rows       int        `json:"rows"`
	Unusable   []Unusable `json:"unusable"`   // rows that nobody can be found by
	Duplicates []RowGroup `json:"duplicates"` // rows that an identity key makes one contact
	Missing    []Person   `json:"missing"`    // people of the mailbox whom no row names, in whatever spelling
	HeldTwice  []Held     `json:"held_twice"` // people of the mailbox whom several rows name
}

// Unusable is a row without a key that identifies somebody, and why: the words
// of package match.
type Unusable struct {
	Line    int      `json:"line"`
	Reasons []string `json:"reasons"`
}

// RowGroup is rows of one contact.
type RowGroup struct {
	Why  []string `json:"why"` // same_key, same_customer_id
	Rows []Row    `json:"rows"`
}

// Held is a person with the rows that name them. Sure: by one identity key;
// otherwise the rows are candidates.
type Held struct {
	Why    []string `json:"why"` // same_key, one_mailbox, candidate_addresses
	Sure   bool     `json:"sure"`
	People []Person `json:"people"`
	Rows   []Row    `json:"rows"`
}

// keyed is a row with the keys that it can be found by.
type keyed struct {
	Row
	emails []decide.Person
}

// compare holds a contact list against itself and against the people.
func (a *auditor) compare(list *List, people crowd, candidates []candidate) *Contacts {
	out := &Contacts{Rows: len(list.rows), Unusable: []Unusable{}, Missing: []Person{}, HeldTwice: []Held{}}
	var rows []keyed
	for _, r := range list.rows {
		k, reasons := a.keysOf(r)
		if len(reasons) > 0 && len(k.emails) == 0 && k.CustomerID == "" {
			out.Unusable = append(out.Unusable, Unusable{r.Line, reasons})
		}
		rows = append(rows, k)
	}
	out.Duplicates = duplicateRows(rows)
	known, mailbox := map[string][]int{}, map[address.SuppressionKey][]int{}
	for i, r := range rows {
		for _, p := range r.emails {
			known[p.KeyID] = append(known[p.KeyID], i)
			mailbox[p.Address.SuppressionKey()] = append(mailbox[p.Address.SuppressionKey()], i)
		}
	}
	grouped := map[*sender]bool{}
	groups := slices.Clone(candidates)
	for _, c := range candidates {
		for _, s := range c.members {
			grouped[s] = true
		}
	}
	for _, s := range people {
		if !isPerson(s) {
			continue
		}
		if len(mailbox[s.Address.SuppressionKey()]) == 0 {
			out.Missing = append(out.Missing, s.shown())
		}
		if !grouped[s] {
			groups = append(groups, candidate{members: []*sender{s}})
		}
	}
	for _, c := range groups {
		if h, twice := held(c, rows, known, mailbox); twice {
			out.HeldTwice = append(out.HeldTwice, h)
		}
	}
	return out
}

// keysOf finds the addresses of a row that identify somebody, and says why others
// do not.
func (a *auditor) keysOf(r Row) (k keyed, reasons []string) {
	k.Row = r
	for _, written := range r.Emails {
		switch p := decide.Identify(a.ids, a.policy, written); {
		case !p.Known():
			reasons = append(reasons, p.Fault)
		case p.Own:
			reasons = append(reasons, match.ReasonOwnAddress)
		case p.Role:
			reasons = append(reasons, match.ReasonRoleAddress)
		case p.Shared:
			reasons = append(reasons, match.ReasonSharedInbox)
		default:
			k.emails = append(k.emails, p)
		}
	}
	if len(r.Emails) == 0 && r.CustomerID == "" {
		reasons = append(reasons, match.ReasonNoKey)
	}
	slices.Sort(reasons)
	return k, slices.Compact(reasons)
}

// duplicateRows joins rows that share an identity key: an address or a customer
// ID.
func duplicateRows(rows []keyed) []RowGroup {
	joined, first := newUnion(len(rows)), map[string]int{}
	whys := map[int][]string{}
	for i, r := range rows {
		keys := map[string]string{}
		for _, p := range r.emails {
			keys[p.KeyID] = SameKey
		}
		if r.CustomerID != "" {
			keys[contact.KeyID(contact.KindCustomer, r.CustomerID)] = SameCustomer
		}
		for key, why := range keys {
			if j, seen := first[key]; seen {
				joined.join(j, i)
				whys[i] = append(whys[i], why)
			} else {
				first[key] = i
			}
		}
	}
	out := []RowGroup{}
	for _, group := range joined.groups() {
		var g RowGroup
		for _, i := range group {
			g.Rows = append(g.Rows, rows[i].Row)
			g.Why = append(g.Why, whys[i]...)
		}
		slices.Sort(g.Why)
		g.Why = slices.Compact(g.Why)
		out = append(out, g)
	}
	return out
}

// held collects the rows that name a person, or people who look like one.
func held(c candidate, rows []keyed, known map[string][]int, mailbox map[address.SuppressionKey][]int) (Held, bool) {
	h := Held{People: []Person{}, Rows: []Row{}}
	exact, wide := map[int]bool{}, map[int]bool{}
	twice := false
	named := 0
	for _, s := range c.members {
		h.People = append(h.People, s.shown())
		own := map[int]bool{}
		for _, i := range known[s.KeyID] {
			own[i], exact[i] = true, true
		}
		twice = twice || len(own) > 1
		if len(own) > 0 {
			named++
		}
		for _, i := range mailbox[s.Address.SuppressionKey()] {
			wide[i] = true
		}
	}
	if twice {
		h.Why = append(h.Why, SameKey)
	}
	if named > 1 {
		h.Why = append(h.Why, OtherAddress)
	}
	for i := range wide {
		if !exact[i] {
			h.Why = append(h.Why, OneMailbox)
			break
		}
	}
	maps.Copy(wide, exact)
	for _, i := range slices.Sorted(maps.Keys(wide)) {
		h.Rows = append(h.Rows, rows[i].Row)
	}
	h.Sure = len(h.Why) == 1 && h.Why[0] == SameKey
	return h, len(h.Rows) > 1
}
