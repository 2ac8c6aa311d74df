package mailbox

import (
	"slices"

	"onefold/internal/address"
	"onefold/internal/decide"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/wish"
)

// isWish tells whether a mail is, or may be, a wish not to be mailed: by the
// words, or because the reader took it for one.
func isWish(n *note) bool {
	if !n.facts.Human() {
		return false
	}
	words := n.facts.OptOut.Verdict
	return words != wish.OptOutNone && words != "" || n.x != nil && n.x.Record.PossibleOptOut
}

// optOuts lists each wish once, with what was written to the address afterwards.
// Addresses are compared in the wide form that a real opt-out is kept under.
func (a *auditor) optOuts() []OptOut {
	sent := a.outgoing()
	list := []OptOut{}
	place := map[string]int{}
	for _, n := range a.notes {
		if !isWish(n) {
			continue
		}
		if i, seen := place[n.facts.Cause]; seen {
			list[i].Messages = append(list[i].Messages, n.Ref)
			continue
		}
		place[n.facts.Cause] = len(list)
		list = append(list, a.optOut(n, sent))
	}
	return list
}

func (a *auditor) optOut(n *note, sent outgoing) OptOut {
	o := OptOut{Verdict: string(n.facts.OptOut.Verdict), Also: []string{}, Messages: []Ref{n.Ref}, Wrote: []Sent{}}
	if o.Verdict == string(wish.OptOutExplicit) || o.Verdict == string(wish.OptOutDoubtful) {
		o.Phrase, o.Language = n.facts.OptOut.Phrase, n.facts.OptOut.Language
	} else {
		o.Verdict = string(wish.OptOutDoubtful)
	}
	var people []decide.Person
	if n.person.Known() && !n.person.Own {
		people = append(people, n.person)
		o.Address = n.person.Address.String()
	}
	for _, p := range decide.Others(a.ids, a.policy, n.facts, n.x, n.person) {
		people = append(people, p)
		o.Also = append(o.Also, p.Address.String())
	}
	known, seen := map[address.SuppressionKey]bool{}, map[*note]bool{}
	for _, p := range people {
		wide := p.Address.SuppressionKey()
		if known[wide] || n.Date.IsZero() {
			continue
		}
		known[wide] = true
		for _, s := range sent.byMailbox[wide] {
			if s.Date.After(n.Date) && !seen[s] {
				seen[s] = true
				o.Wrote = append(o.Wrote, Sent{Ref: s.Ref, To: p.Address.String(), Hours: hours(s.Date.Sub(n.Date))})
			}
		}
	}
	slices.SortStableFunc(o.Wrote, func(x, y Sent) int { return x.Date.Std().Compare(y.Date.Std()) })
	o.Missed = len(o.Wrote) > 0
	return o
}

// stopped lists the addresses that bounces and complaints name.
func (a *auditor) stopped() []Stopped {
	list := []Stopped{}
	place := map[[2]string]int{}
	for _, n := range a.notes {
		if n.kind != string(rawmail.Bounce) && n.kind != string(rawmail.Complaint) {
			continue
		}
		for _, r := range n.recipient {
			k := [2]string{r.Reason, r.Address}
			i, seen := place[k]
			if !seen {
				i = len(list)
				place[k] = i
				list = append(list, Stopped{Address: shown(r.Address), Reason: r.Reason})
			}
			list[i].Hard = list[i].Hard || r.Hard
			list[i].Reports++
		}
	}
	return list
}
