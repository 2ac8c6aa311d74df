package main

import (
	"errors"
	"fmt"

	"onefold/internal/app"
	"onefold/internal/operate/inspect"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
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
	seen, err := inspect.Mail(e.ctx, raw, policy, reader, utc.At(app.Clock()))
	if err != nil {
		return err
	}
	if c.JSON {
		return e.printJSON(seen)
	}
	e.printf("%s", plain(seen.Text()))
	return nil
}

// readerNamed is who reads the text.
func readerNamed(model string) (reader.Reader, error) {
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
