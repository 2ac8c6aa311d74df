package contacts

import "strings"

// Text is the contact for people.
func (s Shown) Text() string {
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
	if s.LikelySame != "" {
		line("  perhaps the same person as contact ", s.LikelySame, ", which has the same phone number and name")
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
		for _, f := range r.Left {
			line("    somebody changed the ", string(f), " there: it stays so")
		}
	}
	return b.String()
}
