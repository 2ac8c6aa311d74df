package main

import (
	"strings"

	"onefold/internal/operate/contacts"
	"onefold/internal/operate/stage"
)

const contactShowHelp = `usage:
  onefold contact show [-tenant T] [-json] CONTACT

Tells what is known of a contact, named by its ID or by one of its addresses:
its fields, its addresses with what stands against mail to each, the contacts
that were merged into it, the follow-ups that wait, its records in a CRM.

  -tenant T   whose contacts (default demo)
  -json       print one JSON object: tenant, id, status, merged_into, leads_to,
              email, name, company, phone, created_at, addresses, absorbed,
              waiting, crm_records, mail

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
		e.printf("%s", plain(shownText(shown)))
		return nil
	})
}

func shownText(s contacts.Shown) string {
	var b strings.Builder
	line := func(parts ...string) {
		b.WriteString(strings.Join(parts, "") + "\n")
	}
	line("contact ", s.ID, ": ", s.Status)
	if s.MergedInto != "" {
		line("  merged into ", s.MergedInto, ", leads to ", s.LeadsTo)
	}
	for _, f := range [][2]string{{"name", s.Name}, {"company", s.Company}, {"phone", s.Phone}, {"main address", s.Email}} {
		if f[1] != "" {
			line("  ", f[0], ": ", f[1])
		}
	}
	line("  made: ", s.CreatedAt.Std().Format("2 Jan 2006"))
	line("  mail: ", s.Mail)
	for _, a := range s.Addresses {
		of := ""
		if a.Contact != s.ID {
			of = ", of contact " + a.Contact
		}
		line("  address ", a.Address, ": ", a.Guard, of)
	}
	for _, m := range s.Absorbed {
		when := ""
		if !m.MergedAt.IsZero() {
			when = ", " + m.MergedAt.Std().Format("2 Jan 2006")
		}
		line("  contact ", m.ID, " was merged into ", m.MergedInto, when)
	}
	for _, i := range s.Waiting {
		why := ""
		if i.Reason != "" {
			why = " (" + i.Reason + ")"
		}
		line("  follow-up ", i.ID, " to ", i.Recipient, ": ", i.State, why)
	}
	for _, r := range s.Records {
		line("  record ", r.ID, " in ", r.CRM)
	}
	return b.String()
}
