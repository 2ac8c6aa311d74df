// Package inspect takes one mail through reading and decision as if nothing had
// come before (onefold inspect).
//
// Its invariant: it reads a mail, a policy and what a reader says, and writes
// nothing. What it says comes from the product's own parser and decision.
package inspect

import (
	"context"
	"fmt"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/ours"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// Mail decides one mail on an empty ledger. It writes nothing.
func Mail(ctx context.Context, raw []byte, policy tenant.Policy, asked reader.Reader, now utc.Time) (Inspection, error) {
	m := ours.ReadMail(policy, raw, nil, "")
	event := inbound.Event{
		Tenant: policy.Tenant, ID: "inspect", Source: "inspect", Content: tenant.ContentMail,
		State: inbound.Recorded, Transition: 1, ReceivedAt: now,
	}
	facts := content.Screen(content.OfMail(m), event, policy)
	var x *reader.Stored
	if facts.Human() {
		answer, err := asked.Extract(ctx, facts.Source)
		if err != nil {
			return Inspection{}, fmt.Errorf("extract: %w", err)
		}
		stored := reader.NewStored(policy.Tenant, "inspect", asked, facts.Source, answer, now)
		x = &stored
	}
	// A plain opt-out is decided without a reader; what the rules read of it is
	// shown all the same.
	used := x
	if !decide.Reader(facts) {
		used = nil
	}
	// The identifiers of this decision are thrown away with it, so any key does.
	ids, err := digest.NewKey(make([]byte, 32))
	if err != nil {
		return Inspection{}, err
	}
	person := decide.Identify(ids, policy, decide.AddressOf(facts, used, nil))
	in := decide.Input{Event: event, Policy: policy, Facts: facts, Extraction: used, Now: now, By: "inspect"}
	res, err := decide.Read(in, ids, decide.Decide, decide.EmptyLedger)
	if err != nil {
		return Inspection{}, fmt.Errorf("decide: %w", err)
	}
	return inspectionOf(m, facts, x, person, res), nil
}

func inspectionOf(m rawmail.Message, f content.Facts, x *reader.Stored, p decide.Person, res decide.Result) Inspection {
	out := Inspection{
		From: firstAddress(m.From), ReplyTo: f.Source.ReplyTo, Subject: m.Subject, MessageID: m.MessageID,
		Kind: string(m.Kind), VisibleText: m.Visible, Warnings: list(m.Warnings),
		Extraction: extractionOf(x, f), Decision: decided{res.Outcome, list(res.Reasons)},
		Route: m.Route,
	}
	if in := m.Forwarded; in != nil {
		out.Forwarded = &passedOn{in.From.Address, in.From.Name, in.Subject, in.Visible, in.Attached}
	}
	switch s := m.Suppression; {
	case s != nil:
		out.Suppression = &stopped{s.Address, s.Reason, s.Hard}
	case res.Outcome == inbound.OptedOut:
		out.Suppression = &stopped{p.Address.String(), guard.ReasonOptOut, true}
	}
	return out
}

// Text is the inspection for people.
func (i Inspection) Text() string {
	var b strings.Builder
	line := func(name, value string) {
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(&b, "%-15s %s\n", name, value)
	}
	line("from", i.From)
	line("reply to", i.ReplyTo)
	line("subject", i.Subject)
	line("message id", i.MessageID)
	line("kind", i.Kind)
	line("warnings", strings.Join(i.Warnings, ", "))
	line("delivered to", i.Route.DeliveredTo)
	line("forwarded by", strings.Join(i.Route.ForwardedBy, ", ")+among(i.Route.Ways))
	if in := i.Forwarded; in != nil {
		line("passes on", fmt.Sprintf("%s (%q)", in.From, in.Subject))
	}
	for _, f := range []struct {
		name string
		read field
	}{
		{"sender email", i.Extraction.SenderEmail}, {"contact name", i.Extraction.ContactName},
		{"company", i.Extraction.Company}, {"phone", i.Extraction.Phone},
	} {
		if f.read.Value == nil {
			line(f.name, "")
			continue
		}
		line(f.name, fmt.Sprintf("%s (%.2f, from %q)", *f.read.Value, f.read.Confidence, *f.read.Evidence))
	}
	line("intent", i.Extraction.Intent)
	line("may be opt-out", yesNo(i.Extraction.PossibleOptOut))
	line("wants a person", yesNo(i.Extraction.NeedsHumanReview)+among(i.Extraction.ReviewReasons))
	if s := i.Suppression; s != nil {
		line("suppression", fmt.Sprintf("%s, %s, hard: %s", s.Address, s.Reason, yesNo(s.Hard)))
	} else {
		line("suppression", "none")
	}
	line("decision", i.Decision.Outcome+among(i.Decision.Reasons))
	fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(i.VisibleText, "\n"))
	return b.String()
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// among is a list of words in brackets, or nothing.
func among(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// firstAddress is whom a header names first, as written.
func firstAddress(list []rawmail.Mailbox) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Address
}
