package mailbox

import (
	"slices"

	"onefold/internal/decide"
	"onefold/internal/record/inbound"
)

// twoReplies groups the mails that get one reply together: those of one cause,
// and those that the decision folded into one intent.
func (a *auditor) twoReplies() TwoReplies {
	var notes []*note
	for _, n := range a.notes {
		if n.answerable() {
			notes = append(notes, n)
		}
	}
	joined, first := newUnion(len(notes)), map[string]int{}
	for i, n := range notes {
		for _, mark := range n.answers() {
			if j, seen := first[mark]; seen {
				joined.join(j, i)
			} else {
				first[mark] = i
			}
		}
	}
	out := TwoReplies{Groups: []Group{}}
	for _, members := range joined.groups() {
		var g []*note
		for _, i := range members {
			g = append(g, notes[i])
		}
		out.Groups = append(out.Groups, groupOf(g))
		out.Naive += len(g)
		out.Onefold++
	}
	return out
}

// answerable tells whether a program that answers each mail would answer this
// one: a person's that is no wish to be left alone, and that Onefold does not
// ignore either.
func (n *note) answerable() bool {
	if isWish(n) {
		return false
	}
	switch n.result.outcome {
	case inbound.FollowUp, inbound.Folded, inbound.Observed, inbound.NoRule:
		return true
	case decide.Referred:
		return n.facts.Human() && n.person.Known() && !n.person.Role
	}
	return false
}

// answers are what a mail shares with those that get the same reply.
func (n *note) answers() []string {
	marks := []string{"cause " + n.facts.Cause}
	for _, d := range []decision{n.result, n.approved} {
		if d.intent != "" {
			marks = append(marks, "intent "+d.intent)
		}
	}
	return marks
}

func groupOf(notes []*note) Group {
	g := Group{Why: SameMailTwice, Person: notes[0].person.Address.String()}
	causes, mailboxes := map[string]bool{}, map[string]bool{}
	form := false
	for _, n := range notes {
		g.Messages = append(g.Messages, n.Ref)
		g.Review = g.Review || n.result.outcome == decide.Referred
		form = form || n.relayed
		causes[n.facts.Cause] = true
		if n.Mailbox != "" {
			mailboxes[n.Mailbox] = true
		}
	}
	switch {
	case len(causes) > 1 && form:
		g.Why = FormAndDirect
	case len(causes) > 1:
		g.Why = ShortlyAfter
	case len(mailboxes) > 1:
		g.Why = TwoMailboxes
	}
	return g
}

// review lists what would go before a person.
func (a *auditor) review() Review {
	out := Review{Reasons: []Count{}, Items: []Task{}}
	counts := tally{}
	for _, n := range a.notes {
		if n.result.outcome != decide.Referred {
			continue
		}
		t := Task{Ref: n.Ref, Reasons: slices.Clone(n.result.reasons)}
		if n.person.Known() {
			t.Person = n.person.Address.String()
		}
		for _, word := range t.Reasons {
			counts.add(word)
		}
		out.Items = append(out.Items, t)
	}
	for _, word := range counts.list() {
		out.Reasons = append(out.Reasons, Count{word, counts[word]})
	}
	return out
}
