package mailbox

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// sender is one identity key, with all that was read of its mails.
type sender struct {
	decide.Person
	written                  string // the address as first written
	names, companies, phones tally
	mails                    int
	enquiries                map[string]bool // causes
	own                      bool            // wrote on their own business, or not to be mailed
	first, last              utc.Time
}

// crowd is everybody who wrote, in the order of the first mail.
type crowd []*sender

// people gathers who wrote, by identity key. Addresses of the owner are nobody.
func (a *auditor) people() crowd {
	byKey := map[string]*sender{}
	var all crowd
	for _, n := range a.notes {
		if !n.facts.Human() || !n.person.Known() || n.person.Own {
			continue
		}
		s := byKey[n.person.KeyID]
		if s == nil {
			s = &sender{
				Person: n.person, written: n.person.Address.String(), first: n.Date, enquiries: map[string]bool{},
				names: tally{}, companies: tally{}, phones: tally{},
			}
			byKey[n.person.KeyID] = s
			all = append(all, s)
		}
		s.add(a, n)
	}
	return all
}

func (s *sender) add(a *auditor, n *note) {
	s.mails++
	s.last = later(s.last, n.Date)
	if s.first.IsZero() {
		s.first = n.Date
	}
	if n.x != nil {
		r := n.x.Record
		s.names.add(r.ContactName.Value)
		s.companies.add(r.Company.Value)
		s.phones.add(r.Phone.Value)
	}
	if a.isEnquiry(n) {
		s.enquiries[n.facts.Cause] = true
	}
	s.own = s.own || a.isEnquiry(n) || isWish(n)
}

// isEnquiry tells whether a mail is somebody's request on their own business:
// not what Onefold ignores, nor what its class or its words make something else.
func (a *auditor) isEnquiry(n *note) bool {
	if !n.facts.Human() || n.facts.OptOutPlain() || n.result.outcome == inbound.Ignored {
		return false
	}
	if n.x == nil {
		return false
	}
	class := n.x.Record.Class
	return class.IsEnquiry() || a.policy.Accepts(string(class))
}

func isPerson(s *sender) bool { return !isShared(s) && s.own }
func isOther(s *sender) bool  { return !isShared(s) && !s.own }
func isShared(s *sender) bool { return s.Shared || s.Role }

// of are the people of a sort, for the report.
func (c crowd) of(sort func(*sender) bool) []Person {
	out := []Person{}
	for _, s := range c {
		if sort(s) {
			out = append(out, s.shown())
		}
	}
	return out
}

func (s *sender) shown() Person {
	return Person{
		Address: s.written, Names: s.names.list(), Companies: s.companies.list(), Phones: s.phones.list(),
		Mails: s.mails, Enquiries: len(s.enquiries), First: s.first, Last: s.last,
	}
}

// tally counts spellings.
type tally map[string]int

func (t tally) add(s string) {
	if s = strings.Join(strings.Fields(s), " "); s != "" {
		t[s]++
	}
}

// list has the most frequent first, and equals in the order of the alphabet.
func (t tally) list() []string {
	out := slices.AppendSeq([]string{}, maps.Keys(t))
	slices.SortFunc(out, func(x, y string) int {
		return cmp.Or(t[y]-t[x], strings.Compare(x, y))
	})
	return out
}
