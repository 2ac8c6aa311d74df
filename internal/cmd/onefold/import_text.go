package main

import (
	"fmt"
	"strings"

	"onefold/internal/operate/intake"
)

func nounOf(crmName string) string {
	if crmName != "" {
		return "records"
	}
	return "rows"
}

func importText(where string, rep intake.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, tenant %s\n%d %s: %d new contacts, ", where, rep.Tenant, rep.Entries, nounOf(rep.CRM), rep.Made)
	if rep.CRM != "" {
		fmt.Fprintf(&b, "%d known ones linked to their record, ", rep.Linked)
	}
	fmt.Fprintf(&b, "%d known, %d left out; %d with an opt-out that is new here\n", rep.Known, rep.LeftOut, rep.Stopped)
	for _, part := range []struct {
		title string
		left  bool
		times map[string]int
	}{{"left out", true, rep.Reasons}, {"besides", false, rep.Notes}} {
		named := map[string][]string{}
		for _, f := range rep.Findings {
			if f.LeftOut != part.left {
				continue
			}
			says := fmt.Sprintf("row %d", f.Row)
			if f.Record != "" {
				says = "record " + f.Record
			}
			named[f.Why] = append(named[f.Why], says+onlyIf(f.Other != "", " ("+f.Other+")"))
		}
		if len(named) > 0 {
			fmt.Fprintf(&b, "%s:\n", part.title)
			listReasons(&b, part.times, named, intake.Says)
		}
	}
	if !rep.Applied {
		b.WriteString("this is a plan: nothing was written; -apply does it\n")
	}
	return b.String()
}
