package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Summary is what `onefold verify -json` prints. Names and meanings are stable;
// properties may be added.
type Summary struct {
	Holds     bool           `json:"holds"`
	Checks    []Checked      `json:"checks"`
	Findings  []Finding      `json:"findings"`
	Unsettled int            `json:"unsettled"` // findings whose rows kept changing
	Items     int            `json:"items"`
	Counts    map[string]int `json:"counts"`
}

// busy is the severity of what -quiet finds. A ledger at work keeps its
// promises, so it is no violation here; a test that has let everything come to
// rest judges it harder.
const busy Severity = "busy"

// quietRule is the check that -quiet adds.
const quietRule = "quiet"

// Checked is one check with its result.
type Checked struct {
	Name       string `json:"name"`
	Promise    int    `json:"promise"`
	Says       string `json:"says"`
	Violations int    `json:"violations"`
	Warnings   int    `json:"warnings"`
	Busy       int    `json:"busy"` // work under way, in the check of -quiet
}

// Summarise counts a report by its checks. quiet adds the check that everything
// has ended; what that finds is work under way, not a violation.
func Summarise(r Report, quiet bool) Summary {
	v := Summary{
		Holds: true, Checks: []Checked{}, Findings: append([]Finding{}, r.Findings...),
		Unsettled: r.Unsettled, Items: r.Items, Counts: r.Counts,
	}
	for n := range v.Findings {
		if v.Findings[n].Check == quietRule {
			v.Findings[n].Severity = busy
		}
		v.Holds = v.Holds && v.Findings[n].Severity != Violation
	}
	for _, rule := range Rules() {
		if rule.Name == quietRule && !quiet {
			continue
		}
		c := Checked{Name: rule.Name, Promise: rule.Promise, Says: rule.Says}
		for _, f := range v.Findings {
			switch {
			case f.Check != rule.Name:
			case f.Severity == Violation:
				c.Violations++
			case f.Severity == busy:
				c.Busy++
			default:
				c.Warnings++
			}
		}
		v.Checks = append(v.Checks, c)
	}
	return v
}

// Text is the summary for people; folder names the ledger.
func (v Summary) Text(folder string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ledger of %s, %d rows\n\n", folder, v.Items)
	for _, c := range v.Checks {
		fmt.Fprintf(&b, "%-8s %-22s %s\n", c.result(), c.Name, c.Says)
		for _, f := range v.Findings {
			if f.Check == c.Name {
				fmt.Fprintf(&b, "         %s: %s [%s]\n", f.Severity, f.What, strings.Join(f.Keys, " "))
			}
		}
	}
	b.WriteByte('\n')
	for _, kind := range slices.Sorted(maps.Keys(v.Counts)) {
		fmt.Fprintf(&b, "%8d %s\n", v.Counts[kind], kind)
	}
	return b.String()
}

func (c Checked) result() string {
	switch {
	case c.Violations > 0:
		return "BROKEN"
	case c.Busy > 0:
		return "busy"
	case c.Warnings > 0:
		return "warning"
	}
	return "holds"
}
