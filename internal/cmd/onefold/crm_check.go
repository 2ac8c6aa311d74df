package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"onefold/internal/crm"
	"onefold/internal/operate/intake"
	"onefold/internal/operate/stage"
	"onefold/internal/policy/versions"
)

type crmCheckCmd struct {
	Tenant string `arg:"" name:"TENANT"`
	Limit  int    `default:"10000" placeholder:"N"`
	URL    string `name:"url" placeholder:"URL"`
	JSON   bool   `name:"json"`
}

func (c *crmCheckCmd) Run(e *env) error {
	if c.Limit < 1 {
		return usage("-limit is 1 or more", "")
	}
	return e.onLedger(func(o *stage.Opened) error {
		l, name, err := e.lister(o, c.Tenant, c.URL)
		if err != nil {
			return err
		}
		s := intake.Service{Store: o.Store, Policies: o.Policies, IDs: o.IDs, Now: o.Policies.Now, By: operator()}
		var p pace
		p.start()
		rep, err := s.Check(e.ctx, intake.CRMList{
			Tenant: c.Tenant, CRM: name, Records: crm.Records(e.ctx, l), Limit: c.Limit, Told: func(records int) {
				if p.due() {
					e.say("note", fmt.Sprintf("%d records read", records))
				}
			},
		})
		if errors.Is(err, versions.ErrNone) {
			return noPolicy(c.Tenant)
		}
		if err != nil {
			return listFault(err)
		}
		if c.JSON {
			err = e.printJSON(rep)
		} else {
			e.printf("%s", plain(checkText(e.where(), rep)))
		}
		if !rep.Complete {
			e.say("note", fmt.Sprintf("the CRM has more than %d records: only so many were looked at; a higher -limit shows the rest", rep.Records))
		}
		return errors.Join(err, checkFault(rep))
	})
}

func checkFault(rep intake.CheckReport) error {
	n := 0
	for _, times := range rep.Reasons {
		n += times
	}
	if n == 0 {
		return nil
	}
	return hinted(fmt.Errorf("differences between CRM and ledger: %d", n), "nothing was changed; docs/identity.md says what to do about each")
}

func checkText(where string, rep intake.CheckReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, tenant %s, %s: %d records, %d contacts with one\n", where, rep.Tenant, rep.CRM, rep.Records, rep.Mappings)
	for _, known := range []struct {
		n    int
		says string
	}{
		{rep.LeftThere, "fields were changed in the CRM, and are left there as the last sync saw"},
		{rep.Unmarked, "imported records get our reference with their first sync"},
		{rep.Waiting, "contacts changed since their last sync, which is on its way"},
		{rep.Moving, "changed while they were compared"},
	} {
		if known.n > 0 {
			fmt.Fprintf(&b, "  %d %s\n", known.n, known.says)
		}
	}
	if len(rep.Findings) == 0 {
		b.WriteString("nothing is missing, doubled or changed\n")
		return b.String()
	}
	named := map[string][]string{}
	for _, d := range rep.Findings {
		says := "record " + strings.Join(d.Records, " and ")
		if about := strings.TrimSpace(strings.Join(d.Fields, ", ") + " " + onlyIf(d.Contact != "", "contact "+d.Contact)); about != "" {
			says += " (" + about + ")"
		}
		named[d.Why] = append(named[d.Why], says)
	}
	listReasons(&b, rep.Reasons, named, intake.SaysDifference)
	return b.String()
}

func onlyIf(is bool, text string) string {
	if !is {
		return ""
	}
	return text
}

// examples is how many of what is reported for one reason are named.
const examples = 5

// listReasons writes a line for each reason, the most frequent first, with the
// first that it is about.
func listReasons(b *strings.Builder, times map[string]int, named map[string][]string, says func(string) string) {
	words := slices.SortedFunc(maps.Keys(named), func(x, y string) int { return cmp.Or(times[y]-times[x], strings.Compare(x, y)) })
	for _, word := range words {
		list := named[word]
		shown := list[:min(len(list), examples)]
		more := ""
		if n := times[word] - len(shown); n > 0 {
			more = fmt.Sprintf(", and %d more", n)
		}
		fmt.Fprintf(b, "  %d  %s: %s%s\n", times[word], says(word), strings.Join(shown, ", "), more)
	}
}

func noPolicy(tenantID string) error {
	return hinted(fmt.Errorf("tenant %q has no policy, so nobody is known to it", tenantID), "name the tenant, or apply its policy first")
}
