package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"onefold/internal/app"
	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

const inspectHelp = `usage:
  onefold inspect [-model rules|bedrock] [-policy FILE] [-json] FILE.eml

Takes one raw mail through reading, classification, extraction and decision,
and prints what each of them says. It decides as if nothing had come before
and nobody had asked to be left alone. Nothing is written and no data folder
is needed. "-" reads the mail from standard input.

  -model NAME    who reads the text: rules (the default; they run on this
                 machine) or bedrock
  -policy FILE   the policy to decide under (default: the example policy)
  -json          print one JSON object

In JSON every property is always there. kind is human, auto_reply, bounce,
complaint, list, own or unparseable. Only human mail is given to a reader: of
other mail the extraction is empty. suppression names the address that mail to
must stop, as a bounce, a complaint or the sender's plain words have it; hard
means for good. It is what the mail says, not what is believed: a bounce or
complaint stops an address only where it gives back a mail of ours to it. That
takes a key and a ledger to tell, so here none does (report_unproven).

route tells how the mail came here: delivered_to is the mailbox, forwarded_by
lists the mailboxes that passed it on, ways how (gmail_forward,
exchange_forward, exchange_rule, resent). forwarded is the mail that this one
passes on inside itself, or null: from, name, subject, text, and attached,
which tells whether it is attached or stands in the text.

There is no key here to check the mark of our own mail (X-Onefold-Intent) by:
a mail that bears one is taken for ours, with the warning own_mark_unchecked.

examples:
  onefold inspect mail.eml
  onefold inspect -json - < mail.eml
  onefold inspect -policy policy.json mail.eml
`

type inspectCmd struct {
	File   string `arg:"" name:"FILE.eml"`
	Model  string `default:"rules" enum:"rules,bedrock"`
	Policy string `placeholder:"FILE"`
	JSON   bool   `name:"json"`
}

func (inspectCmd) Help() string { return inspectHelp }

func (c *inspectCmd) Run(e *env) error {
	reader, err := readerNamed(c.Model)
	if err != nil {
		return err
	}
	policy, err := e.policyFrom(c.Policy)
	if err != nil {
		return err
	}
	raw, err := e.read(c.File)
	if err != nil {
		return err
	}
	seen, err := inspect(e.ctx, raw, policy, reader, utc.At(app.Clock()))
	if err != nil {
		return err
	}
	if c.JSON {
		return e.printJSON(seen)
	}
	e.printf("%s", plain(seen.text()))
	return nil
}

// readerNamed is who reads the text.
func readerNamed(model string) (reader.Extractor, error) {
	named, err := app.Reader(model)
	if err != nil {
		return nil, hinted(err, "use -model rules")
	}
	return named, nil
}

// policyFrom reads a policy file; without a name it is the example.
func (e *env) policyFrom(name string) (tenant.Policy, error) {
	doc := tenant.Example()
	if name != "" {
		var err error
		if doc, err = e.read(name); err != nil {
			return tenant.Policy{}, err
		}
	}
	p, err := tenant.Parse(doc)
	var invalid *tenant.InvalidError
	if errors.As(err, &invalid) {
		return p, hinted(fmt.Errorf("%s is not a valid policy: %d problems", name, len(invalid.Problems)),
			"`onefold policy validate "+name+"` lists them")
	}
	return p, err
}

// inspect decides one mail on an empty ledger.
func inspect(ctx context.Context, raw []byte, policy tenant.Policy, asked reader.Extractor, now utc.Time) (inspection, error) {
	m := rawmail.Parse(raw, policy.IsOwn)
	event := inbound.Event{
		Tenant: policy.Tenant, ID: "inspect", Source: "inspect", Content: tenant.ContentMail,
		State: inbound.Recorded, Transition: 1, ReceivedAt: now,
	}
	facts := decide.Screen(decide.FactsOfMail(m), event, policy)
	var x *reader.Stored
	if facts.Human() {
		answer, err := asked.Extract(ctx, facts.Source)
		if err != nil {
			return inspection{}, fmt.Errorf("extract: %w", err)
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
		return inspection{}, err
	}
	person := decide.Identify(ids, policy, decide.Whom(facts, used, nil))
	in := decide.Input{Event: event, Policy: policy, Facts: facts, Extraction: used, Now: now, By: "inspect"}
	res, err := decide.Read(in, ids, decide.Decide, decide.EmptyLedger)
	if err != nil {
		return inspection{}, fmt.Errorf("decide: %w", err)
	}
	return inspectionOf(m, facts, x, person, res), nil
}

func inspectionOf(m rawmail.Message, f decide.Facts, x *reader.Stored, p decide.Person, res decide.Result) inspection {
	out := inspection{
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

// text is the inspection for people.
func (i inspection) text() string {
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
