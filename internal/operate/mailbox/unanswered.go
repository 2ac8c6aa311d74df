package mailbox

import (
	"slices"
	"time"

	"onefold/internal/decide"
	"onefold/internal/reading/rawmail"
	"onefold/internal/utc"
)

// Day is how long an enquiry may wait.
const Day = 24 * time.Hour

// unanswered judges each enquiry once, by its first copy. An answer is a mail of
// ours that names it in In-Reply-To or References, or that goes to its sender
// and is no older. Time stands still at the newest date in the mailbox.
func (a *auditor) unanswered() Unanswered {
	out := Unanswered{Items: []Waiting{}}
	sent, end := a.outgoing(), a.newest()
	seen, bearers := map[string]bool{}, a.bearers()
	for _, n := range a.notes {
		if !a.wantsAnswer(n) || seen[n.facts.Cause] {
			continue
		}
		seen[n.facts.Cause] = true
		out.Enquiries++
		if n.Date.IsZero() {
			out.Undated++
			continue
		}
		at, answered := a.answer(n, sent, len(bearers[n.facts.MessageID]) > 1)
		switch wait := end.Sub(n.Date); {
		case answered && at.Sub(n.Date) <= Day:
			out.Answered++
		case !answered && wait < Day:
			out.Open++
		default:
			if answered {
				wait = at.Sub(n.Date)
			}
			out.Items = append(out.Items, a.waiting(n, sent, answered, wait))
		}
	}
	return out
}

// wantsAnswer leaves out whom no answer reaches, and mails of calendars and
// other machines.
func (a *auditor) wantsAnswer(n *note) bool {
	return a.isEnquiry(n) && n.person.Known() && !n.person.Own && !n.person.Role &&
		!slices.Contains(n.facts.Doubts, rawmail.DoubtCalendar) && !slices.Contains(n.facts.Doubts, rawmail.DoubtMachine)
}

// bearers are the causes of each Message-ID. A sender writes it, and some write
// one into different mails.
func (a *auditor) bearers() map[string]map[string]bool {
	causes := map[string]map[string]bool{}
	for _, n := range a.notes {
		id := n.facts.MessageID
		if causes[id] == nil {
			causes[id] = map[string]bool{}
		}
		causes[id][n.facts.Cause] = true
	}
	return causes
}

// answer is the date of the first answer to a mail. A thread says nothing of one
// whose Message-ID others bear too: an answer names the other mail as well.
func (a *auditor) answer(n *note, sent outgoing, ambiguous bool) (at utc.Time, answered bool) {
	consider := func(s *note) {
		if !s.Date.IsZero() && (!answered || s.Date.Before(at)) {
			at, answered = s.Date, true
		}
	}
	if n.MessageID != "" && !ambiguous {
		for _, s := range sent.byThread[n.facts.MessageID] {
			consider(s)
		}
	}
	keys := []string{n.person.KeyID}
	if p := decide.Identify(a.ids, a.policy, n.facts.Source.ReplyTo); p.Known() && !p.Own && p.KeyID != n.person.KeyID {
		keys = append(keys, p.KeyID)
	}
	for _, key := range keys {
		for _, s := range sent.byKey[key] {
			if !s.Date.Before(n.Date) {
				consider(s)
			}
		}
	}
	return at, answered
}

func (a *auditor) waiting(n *note, sent outgoing, answered bool, wait time.Duration) Waiting {
	w := Waiting{Ref: n.Ref, Person: n.person.Address.String(), Answered: answered, Hours: hours(wait)}
	if n.x != nil {
		w.Name = n.x.Record.ContactName.Value
	}
	for _, id := range thread(n) {
		w.Conversation = w.Conversation || sent.ids[id]
	}
	return w
}

// newest is the latest date in the mailbox.
func (a *auditor) newest() (last utc.Time) {
	for _, n := range a.notes {
		last = later(last, n.Date)
	}
	return last
}

// mailbox counts the messages.
func (a *auditor) mailbox() Mailbox {
	m := Mailbox{
		Messages: len(a.notes), To: a.newest(), Kinds: map[string]int{}, Classes: map[string]int{}, Outcomes: map[string]int{},
		Unreadable: []Ref{}, TooLarge: []Ref{},
	}
	for _, n := range a.notes {
		m.Kinds[n.kind]++
		switch {
		case n.Date.IsZero():
			m.Undated++
		case m.From.IsZero() || n.Date.Before(m.From):
			m.From = n.Date
		}
		if n.facts.Heard {
			m.Heard++
		}
		if n.result.outcome != "" {
			m.Outcomes[n.result.outcome]++
		}
		if n.x != nil && decide.Reader(n.facts) {
			class := string(n.x.Record.Class)
			if class == "" {
				class = "enquiry"
			}
			m.Classes[class]++
		}
		switch n.kind {
		case string(rawmail.Unparseable):
			m.Unreadable = append(m.Unreadable, n.Ref)
		case KindTooLarge:
			m.TooLarge = append(m.TooLarge, n.Ref)
		}
	}
	return m
}
