package explain

import (
	"fmt"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/words"
	"onefold/internal/utc"
)

// summarise answers the question in plain sentences: how many mails, why each,
// and why none.
func (t *Timeline) summarise(g *gatherer) {
	who := "This person"
	if t.Asked != "email" {
		who = "For what was asked about, the person"
	}
	if t.Asked == "email" && !t.Known {
		t.say("Nobody with this address is known: no contact has it, and no open question is about it.")
		if t.Guard != nil {
			t.say("As for the address itself, %s.", t.Guard.Says)
		}
		if len(t.Events) == 0 {
			return
		}
	}
	taken, open := t.mails()
	switch {
	case taken == 0 && open == 0:
		t.say("%s got no mail.", who)
	case taken == 0:
		t.say("%s got no mail that is known of, and %s whose outcome is not known.", who, plural(open, "submission", "submissions"))
	case open == 0:
		t.say("%s got %s.", who, plural(taken, "mail", "mails"))
	default:
		t.say("%s got %s, and %s of which it is not known.", who, plural(taken, "mail", "mails"), plural(open, "more submission", "more submissions"))
	}
	for _, i := range t.Intents {
		t.tellIntent(i)
	}
	for _, e := range t.Events {
		if e.Outcome != inbound.FollowUp {
			t.say("%s led to no mail of its own: %s.", e.Label, e.Says)
		}
	}
	if t.Guard != nil && (t.Known || len(t.Events) > 0) {
		t.say("Now, %s.", t.Guard.Says)
	}
	for _, i := range t.Intents {
		for _, s := range g.crossed(i) {
			t.say("%s", s)
		}
	}
	if t.Cut {
		t.say("There is more than is shown here.")
	}
}

func (t *Timeline) say(format string, args ...any) {
	t.Summary = append(t.Summary, fmt.Sprintf(format, args...))
}

// mails counts attempts that the provider took, and those that it may have.
func (t *Timeline) mails() (taken, open int) {
	for _, i := range t.Intents {
		for _, a := range i.Attempts {
			switch {
			case took(a):
				taken++
			case a.State == followup.AttemptUnknown || a.State == followup.AttemptBegun:
				open++
			}
		}
	}
	return taken, open
}

// took tells whether the provider is known to have taken a mail, be it that it
// first said no.
func took(a Attempt) bool {
	reported := !a.SentAt.IsZero() || !a.DeliveredAt.IsZero() || !a.BouncedAt.IsZero() || !a.ComplainedAt.IsZero()
	return a.State == followup.AttemptAccepted || a.Reason == "contradicted" || reported
}

func (t *Timeline) tellIntent(i Intent) {
	n := 0
	for _, a := range i.Attempts {
		if took(a) {
			n++
		}
	}
	cause := i.Event
	for _, e := range t.Events {
		if e.ID == i.Event {
			cause = e.Label
		}
	}
	tries := ""
	if len(i.Attempts) > 1 {
		tries = fmt.Sprintf(" in %d attempts", len(i.Attempts))
	}
	t.say("%s answers %s under rule %s, version %d: %s%s.", i.Label, cause, i.Rule, i.RuleVersion, i.Says, tries)
	if n < 2 {
		return
	}
	var why []string
	for _, a := range i.Attempts[1:] {
		if a.ResendAccepted != "" {
			why = append(why, fmt.Sprintf("attempt %d was made although an earlier outcome was unknown, since %s", a.Number, words.Plain(a.ResendAccepted)))
		}
	}
	if len(why) == 0 {
		why = []string{"and nothing shows that a possible duplicate was accepted; run verify"}
	}
	t.say("%s was sent %d times: %s.", i.Label, n, strings.Join(why, "; "))
}

// crossed finds stops, holds and withdrawals that were committed between a
// claim and its outcome: too late for that mail, in time for every later one.
func (g *gatherer) crossed(i Intent) []string {
	var out []string
	for _, a := range i.Attempts {
		for _, r := range g.against(i) {
			if r.At.Before(a.ClaimedAt) || (!a.SettledAt.IsZero() && r.At.After(a.SettledAt)) {
				continue
			}
			out = append(out, fmt.Sprintf("At %s %s, after attempt %d of %s had been claimed and before its outcome was stored: it came too late to hold that mail back.",
				short(r.At.String()), happened(r), a.Number, i.Label))
		}
	}
	return out
}

// against lists the records by which mail of an intent was forbidden, one for
// each moment.
func (g *gatherer) against(i Intent) []record {
	byTime := map[utc.Time]record{}
	for _, r := range g.records {
		stop := r.Noun == string(ledger.Guard) && r.NounID == i.guard && (r.Event == "stop" || r.Event == "hold")
		withdrawn := r.Noun == string(ledger.Contact) && r.NounID == i.Contact && (r.Event == "withdraw_consent" || r.Details["consent"] != "")
		if have, ok := byTime[r.At]; (stop || withdrawn) && (!ok || (stop && have.Noun != r.Noun)) {
			byTime[r.At] = r
		}
	}
	var out []record
	for _, e := range sortedTimes(byTime) {
		out = append(out, byTime[e])
	}
	return out
}
