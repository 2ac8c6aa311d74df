package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"onefold/internal/operate/register"
	"onefold/internal/policy/tenant"
)

const matchHelp = `usage:
  onefold match -policy FILE RECORDS.jsonl

Takes contact records through matching, one after the other, as if each had
come in with an enquiry. Nothing is kept. "-" reads from standard input.

  -policy FILE   the policy with the identity rule (needed)
  -json          accepted; the output is JSON lines in any case

Each line in is one record; all but id may be absent:

  {"id":"7","emails":["ann@example.com"],"phones":["+44 20 7946 0000"],
   "customer_id":"C-1","name":"Ann Ambler","company":"Ambler Ltd"}

Each line out says whose it is; contact is the id of the record that made the
contact, null where a person has to decide:

  {"id":"7","outcome":"new","contact":"7","reasons":["email_key_new"]}

Only an email address or a customer ID identifies. A shared inbox, an address
of a machine or of ours, a name, a company and a phone never do. A phone of
another contact sends a record that no known key identifies to review, unless
both have names and these differ: then they share the phone. A stated name or
company that differs from the contact's goes to review where the policy says
fill_if_empty. Another spelling does not differ, nor one that says less:
a first name beside the full one. Once two names claim one address, a
record that has it and no full name goes to review as well. Records that go to
review make no contact and add no keys.

What a customer ID counts for is the policy's word, customer_ids.use: with
review_conflicts it identifies, and an address that is new for a customer or
another contact's goes to review; with wins it identifies whatever the address
says, and a new address becomes the customer's; with ignore it counts for
nothing. A policy without a word on it lets each key identify. An address whose
contact has another customer ID goes to review in any case.

A line that is no record is named on stderr; the others are still matched, and
the exit code is 1.

examples:
  onefold match -policy policy.json contacts.jsonl
  onefold match -policy policy.json - < contacts.jsonl
`

type matchCmd struct {
	Records string `arg:"" name:"RECORDS.jsonl"`
	Policy  string `required:"" placeholder:"FILE"`
	JSON    bool   `name:"json"`
}

func (matchCmd) Help() string { return matchHelp }

func (c *matchCmd) Run(e *env) error {
	policy, err := e.policyFrom(c.Policy)
	if err != nil {
		return err
	}
	content, err := e.read(c.Records)
	if err != nil {
		return err
	}
	return matchAll(e, policy, content)
}

func matchAll(e *env, policy tenant.Policy, content []byte) error {
	people, err := register.New(policy)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(e.stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	bad, number := 0, 0
	for line := range bytes.Lines(content) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		rec, err := register.Read(line)
		if err != nil {
			bad++
			e.say("error", fmt.Sprintf("line %d: %v", number, err))
			continue
		}
		if err := enc.Encode(people.Match(rec)); err != nil {
			return err
		}
		if e.ctx.Err() != nil {
			return e.ctx.Err()
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if bad > 0 {
		return hinted(fmt.Errorf("%d of the lines are no records and were left out", bad), "`onefold help match` shows the form of a record")
	}
	return nil
}
