package mailbox

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/policy/tenant"
	"onefold/internal/utc"
)

// candidate is people who look like one.
type candidate struct {
	why     []string
	members []*sender
}

// duplicates pairs people by what they have in common. A chain of pairs is one
// candidate. Shared inboxes are nobody, so they look like nobody.
func (c crowd) duplicates() []candidate {
	var people []*sender
	for _, s := range c {
		if isPerson(s) {
			people = append(people, s)
		}
	}
	joined := newUnion(len(people))
	whys := map[int][]string{} // of the member that a pair ends in
	first := map[string]int{}
	for i, s := range people {
		for _, m := range s.marks() {
			j, seen := first[m.text]
			if !seen {
				first[m.text] = i
				continue
			}
			joined.join(j, i)
			whys[i] = append(whys[i], m.why)
		}
	}
	out := []candidate{}
	for _, group := range joined.groups() {
		var c candidate
		for _, i := range group {
			c.members = append(c.members, people[i])
			c.why = append(c.why, whys[i]...)
		}
		slices.Sort(c.why)
		c.why = slices.Compact(c.why)
		out = append(out, c)
	}
	return out
}

// mark is one thing that two addresses of one person have in common.
type mark struct{ why, text string }

// marks are all of a sender's. A name alone is none, however rare it is; one of a
// single word does not count beside a company or a domain, where many are called
// Maria.
func (s *sender) marks() []mark {
	marks := []mark{{OneMailbox, "mailbox\x00" + string(s.Address.SuppressionKey())}}
	for name := range s.names {
		name = folded(name)
		for phone := range s.phones {
			if end := phoneEnd(phone); end != "" {
				marks = append(marks, mark{SamePhone, "phone\x00" + name + "\x00" + end})
			}
		}
		if !strings.Contains(name, " ") {
			continue
		}
		for company := range s.companies {
			marks = append(marks, mark{SameCompany, "company\x00" + name + "\x00" + folded(company)})
		}
		if !anybodys(s.Person) {
			marks = append(marks, mark{SameDomain, "domain\x00" + name + "\x00" + s.Address.Domain})
		}
	}
	slices.SortFunc(marks, func(x, y mark) int { return strings.Compare(x.text, y.text) })
	return slices.Compact(marks)
}

// anybodys tells of a domain where anybody may have a mailbox: the product sets
// no bound on the follow-ups to it.
func anybodys(p decide.Person) bool {
	return len(decide.CapsOf(digest.Key{}, tenant.Policy{}, content.Facts{}, p, utc.Time{}.Std())) == 0
}

// folded is a name or a company for comparing: without case, width, accents'
// spelling and the number of spaces.
func folded(s string) string {
	s = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
	return strings.Join(strings.Fields(s), " ")
}

// phoneEnd is the end of a telephone number, by which spellings with and without
// the country compare. It is wide on purpose: with a name beside it, it raises a
// question and decides none. Of fewer than six digits it is "".
func phoneEnd(phone string) string {
	digits := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, phone)
	if len(digits) < 6 {
		return ""
	}
	return digits[max(0, len(digits)-9):]
}

func shownDuplicates(list []candidate) []Duplicate {
	out := []Duplicate{}
	for _, c := range list {
		d := Duplicate{Why: c.why}
		for _, s := range c.members {
			d.People = append(d.People, s.shown())
		}
		out = append(out, d)
	}
	return out
}

// union joins numbers to groups.
type union []int

func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = i
	}
	return u
}

func (u union) root(i int) int {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

// join makes the smaller root that of both.
func (u union) join(i, j int) {
	i, j = u.root(i), u.root(j)
	u[max(i, j)] = min(i, j)
}

// groups are those of two and more, in the order of their first members.
func (u union) groups() [][]int {
	var order []int
	members := map[int][]int{}
	for i := range u {
		r := u.root(i)
		if members[r] == nil {
			order = append(order, r)
		}
		members[r] = append(members[r], i)
	}
	var out [][]int
	for _, r := range order {
		if len(members[r]) > 1 {
			out = append(out, members[r])
		}
	}
	return out
}
