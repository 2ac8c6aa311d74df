package scenario_test

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// history draws a scenario of its own: what senders, people, the provider and
// the operators may do in a few days, with faults in between.
func history(t *rapid.T) (scenarioFile, schedule) {
	f := scenarioFile{name: "history", version: 1}
	for _, choice := range []string{"mode auto", "on_unknown accept_possible_duplicate", "crm none", "mode draft", "fill always"} {
		if rapid.IntRange(0, 3).Draw(t, choice) == 0 {
			f.policy = append(f.policy, choice)
		}
	}
	at := time.Duration(0)
	n := rapid.IntRange(1, 9).Draw(t, "steps")
	for i := range n {
		at += rapid.SampledFrom([]time.Duration{0, 0, time.Second, 5 * time.Minute, 2 * time.Hour, 7 * time.Hour, 25 * time.Hour}).Draw(t, "wait")
		s, err := parseStep(at.String() + " " + happening(t, i))
		if err != nil {
			t.Fatal(err)
		}
		s.quiet = rapid.IntRange(0, 4).Draw(t, "quiet") == 0
		f.steps = append(f.steps, s)
	}
	p := plan{}
	for range rapid.IntRange(0, 4).Draw(t, "faults") {
		label := rapid.SampledFrom(callsToBreak()).Draw(t, "call")
		kind := "write"
		if strings.HasPrefix(label, "send: submit") || strings.HasPrefix(label, "crmsync: upsert") {
			kind = "effect"
		}
		p[fmt.Sprint(label, " #", rapid.IntRange(1, 4).Draw(t, "which"))] = rapid.SampledFrom(faultsOf(point{kind: kind})).Draw(t, "fault")
	}
	return f, schedule{scenario: "history", faults: p, events: rapid.SampledFrom([]string{"", "", "early", "twice", "lost"}).Draw(t, "events")}
}

func callsToBreak() []string {
	return []string{
		"ingest: event record", "ingest: delivery create", "ingest: put raw content", "extract: event claim", "extract: extraction create", "extract: event decide",
		"extract: event refer", "send: intent claim", "send: submit", "send: intent accept", "send: intent lose", "send: intent suppress", "send: intent refer",
		"send: operation finish", "send: operation postpone", "crmsync: crm_mapping create", "crmsync: upsert contact", "crmsync: crm_mapping sync", "crmsync: operation claim",
		"crmsync: operation wait", "crmsync: operation wake", "crmsync: upsert note", "crmsync: operation finish", "feedback: attempt sent", "feedback: attempt delivered",
		"feedback: intent evidence", "feedback: guard stop", "console: event decide", "console: intent approve", "console: intent resend", "sweep: row nudge",
		"operator: contact merge", "operator: contact split", "operator: contact alias", "operator: contact change_address",
		"migrate: identity_migration update", "migrate: contact_key create", "migrate: review_task open", "console: review_task approve",
	}
}

// happening draws one step without its time.
func happening(t *rapid.T, i int) string {
	who := rapid.SampledFrom([]string{"kim@example.com", "lou@example.org", "Kim@Example.com", "office@riverside.example"}).Draw(t, "who")
	switch rapid.IntRange(0, 25).Draw(t, "what") {
	case 0, 1, 2, 3, 4:
		return fmt.Sprintf(`form id=msg-%d email=%s name="Kim Lee" message="Question %d."`, rapid.IntRange(0, 4).Draw(t, "id"), who, i)
	case 5:
		return fmt.Sprintf(`form id=same email=%s name="Kim Lee" message="Always the same." times=2`, who)
	case 6:
		return "mail file=two-mailboxes/sales.eml from=sam.okafor@outdoorclub.example to=sales@demo.example"
	case 7:
		return "mail file=two-mailboxes/info.eml from=sam.okafor@outdoorclub.example to=info@demo.example"
	case 8:
		return "mail file=plain/enquiry.eml from=alex.morgan@customer.example to=hello@demo.example"
	case 9:
		return "mail file=plain/second-enquiry.eml from=alex.morgan@customer.example to=hello@demo.example"
	case 10:
		return "mail file=opt-out/reply.eml from=alex.morgan@customer.example to=hello@demo.example"
	case 11:
		return fmt.Sprintf(`form id=stop-%d email=%s name="Kim Lee" message="Please unsubscribe me."`, i, who)
	case 12:
		return "answer " + rapid.SampledFrom([]string{"approve", "reject", "count_as_sent"}).Draw(t, "answer") + " all=yes"
	case 13:
		return "answer approve kind=decide_event address=kim@example.com"
	case 14:
		return "policy " + rapid.SampledFrom([]string{`"mode draft"`, `"mode auto"`, `"mode observe"`, `"on_unknown review"`, `"version 2"`}).Draw(t, "policy")
	case 15:
		return rapid.SampledFrom([]string{"stop", "resume"}).Draw(t, "stop") + " " + rapid.SampledFrom([]string{"tenant", "all"}).Draw(t, "of")
	case 16:
		return rapid.SampledFrom([]string{"bounce", "complaint"}).Draw(t, "report") + " now"
	case 17:
		return "provider " + rapid.SampledFrom([]string{"throttled", "rejected", "lost-taken", "lost-not-taken", "bounced", "halted", "same-id"}).Draw(t, "verdict")
	case 18:
		return "crm " + rapid.SampledFrom([]string{"busy", "refused", "conflict", "lost-done", "lost-not-done busy", "down", "down down down"}).Draw(t, "verdict")
	case 19:
		return rapid.SampledFrom([]string{"alias ", "alias ", "address "}).Draw(t, "address") + who + " " + rapid.SampledFrom([]string{"kim@example.org", "kim@example.org", "lou@example.org"}).Draw(t, "new")
	case 20:
		return rapid.SampledFrom([]string{"merge lou@example.org kim@example.com", "merge alex.morgan@customer.example kim@example.com", "merge kim@example.com lou@example.org",
			"split lou@example.org", "split kim@example.com", "split alex.morgan@customer.example", "erase lou@example.org"}).Draw(t, "people")
	}
	if more := happeningToRules(t, who); more != "" {
		return more
	}
	return rapid.SampledFrom([]string{"feed off", "feed on", "model silent", "model unsure", "model opt-out", "model wild"}).Draw(t, "rest")
}

// TestHistories runs histories at random. A failure is made small by rapid.
func TestHistories(t *testing.T) { histories(t, newTally(), 60) }

func histories(t *testing.T, c *tally, n int) {
	t.Helper()
	if err := errors.Join(flag.Set("rapid.checks", fmt.Sprint(n)), flag.Set("rapid.nofailfile", "true")); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		f, s := history(rt)
		// In the end the operators let things go on, so that all can end.
		end := f.steps[len(f.steps)-1].at + 8*time.Hour
		for _, last := range []string{"resume tenant", "resume all", "feed on"} {
			step, err := parseStep("0s " + last)
			if err != nil {
				rt.Fatal(err)
			}
			step.at = end
			f.steps = append(f.steps, step)
		}
		res := run(t, f, s, nil, nil)
		named := s
		named.scenario = fmt.Sprint(f.policy, f.steps)
		c.count("histories", "mem", named, res)
		if len(res.broken) > 0 {
			rt.Fatalf("%s\npolicy %q\n%s\nfaults %s, events %q", strings.Join(res.broken, "\n"), f.policy, stepsText(f.steps), s.faults, s.events)
		}
	})
}

func stepsText(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		at := s.at.String()
		if s.quiet {
			at = "quiet"
		}
		fmt.Fprintln(&b, at, s.verb, s.words, s.args)
	}
	return b.String()
}
