package main

import (
	"onefold/internal/operate/stage"
)

const contactShowHelp = `usage:
  onefold contact show [-tenant T] [-json] CONTACT

Tells what is known of a contact, named by its ID or by one of its addresses:
its fields, another contact that may be the same person, its addresses with
what forbids mail to each, the contacts that were merged into it, the follow-ups
that wait, its records in a CRM.

  -tenant T   whose contacts (default demo)
  -json       print one JSON object: tenant, id, status, merged_into, leads_to,
              email, name, company, phone, created_at, addresses, absorbed,
              waiting, crm_records, likely_same, mail

By an address it is the contact that the address leads to now, through merges.
"onefold explain -email" tells what happened, in order.

examples:
  onefold contact show kim@example.com
`

type contactShowCmd struct {
	Contact string `arg:"" name:"CONTACT"`
	Tenant  string `default:"demo"`
	JSON    bool   `name:"json"`
}

func (contactShowCmd) Help() string { return contactShowHelp }

func (c *contactShowCmd) Run(e *env) error {
	return e.onLedger(func(o *stage.Opened) error {
		shown, err := operators(o).Show(e.ctx, c.Tenant, c.Contact)
		if err != nil {
			return contactFault(err)
		}
		if c.JSON {
			return e.printJSON(shown)
		}
		e.printf("%s", plain(shown.Text()))
		return nil
	})
}
