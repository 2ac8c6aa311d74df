package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"onefold/internal/operate/stage"
	"onefold/internal/operate/verify"
	"onefold/internal/schema"
)

const verifyHelp = `usage:
  onefold verify [-quiet] [-json]

Reads the whole ledger and checks every promise that Onefold makes: one event
for a delivery ID, one contact for a key, one follow-up for a cause, one
submission of it, none after a stop, an owner for everything, a record of
every move. It repairs nothing. A finding is read twice before it is reported,
so that work under way is not taken for a fault.

  -quiet   ask besides that nothing is under way: what is, is listed as busy
  -json    print one JSON object: checks, findings, counts

Exit code 3 means that a promise is broken; warnings alone do not count. Work
under way breaks none: with -quiet it gives exit code 1. If another onefold
process has the data folder open, that process does the check.

examples:
  onefold verify
  onefold verify -json -data /var/lib/onefold
  onefold verify -stage prod
`

type verifyCmd struct {
	Quiet bool
	JSON  bool `name:"json"`
}

func (verifyCmd) Help() string { return verifyHelp }

func (c *verifyCmd) Run(e *env) error {
	return e.onLedger(func(o *stage.Opened) error {
		// One clock stamps everything here, but a commit may take effect after
		// one that was stamped later: within a function's time the stamps prove
		// nothing.
		report, err := verify.Check(e.ctx, o.Store, verify.Options{IDs: &o.IDs, Blob: o.Blob, Quiet: c.Quiet, Slack: cmp.Or(o.Slack, 30*time.Second)})
		if err != nil {
			return err
		}
		v := verificationOf(report, c.Quiet)
		if c.JSON {
			err = e.printJSON(v)
		} else {
			e.printf("%s", plain(v.text(cmp.Or(e.on, e.shown))))
		}
		if err != nil {
			return err
		}
		return v.fault(e.place.Stage)
	})
}

// verification is what verify -json prints. Names and meanings are stable;
// properties may be added.
type verification struct {
	Holds     bool             `json:"holds"`
	Checks    []checked        `json:"checks"`
	Findings  []verify.Finding `json:"findings"`
	Unsettled int              `json:"unsettled"` // findings whose rows kept changing
	Items     int              `json:"items"`
	Counts    map[string]int   `json:"counts"`
}

// busy is the severity of what -quiet finds. A ledger at work keeps its
// promises, so it is no violation here; a test that has let everything come to
// rest judges it harder.
const busy verify.Severity = "busy"

// quietRule is the check that -quiet adds.
const quietRule = "quiet"

// checked is one check with its result.
type checked struct {
	Name       string `json:"name"`
	Promise    int    `json:"promise"`
	Says       string `json:"says"`
	Violations int    `json:"violations"`
	Warnings   int    `json:"warnings"`
	Busy       int    `json:"busy"` // work under way, in the check of -quiet
}

func verificationOf(r verify.Report, quiet bool) verification {
	v := verification{
		Holds: true, Checks: []checked{}, Findings: append([]verify.Finding{}, r.Findings...),
		Unsettled: r.Unsettled, Items: r.Items, Counts: r.Counts,
	}
	for n := range v.Findings {
		if v.Findings[n].Check == quietRule {
			v.Findings[n].Severity = busy
		}
		v.Holds = v.Holds && v.Findings[n].Severity != verify.Violation
	}
	for _, rule := range verify.Rules() {
		if rule.Name == quietRule && !quiet {
			continue
		}
		c := checked{Name: rule.Name, Promise: rule.Promise, Says: rule.Says}
		for _, f := range v.Findings {
			switch {
			case f.Check != rule.Name:
			case f.Severity == verify.Violation:
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

func (v verification) text(folder string) string {
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

func (c checked) result() string {
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

func (v verification) fault(stageName string) error {
	broken, working := 0, 0
	for _, c := range v.Checks {
		broken += c.Violations
		working += c.Busy
	}
	switch {
	case !v.Holds:
		return &fault{
			err:  fmt.Errorf("violations found: %d", broken),
			hint: halt(stageName) + ": `onefold explain` tells how a row came to be",
			code: exitViolated,
		}
	case working > 0:
		return hinted(fmt.Errorf("work is under way: %d not ended", working),
			"wait a moment and run it again; if the same work stays, `onefold verify` without -quiet tells whether it has an owner")
	case v.Unsettled > 0:
		return hinted(fmt.Errorf("findings that could not be judged, since their rows kept changing: %d", v.Unsettled),
			"run it again when less is going on")
	}
	return nil
}

// halt says how to end all sending before anything else is done.
func halt(stageName string) string {
	if stageName == "" {
		return "end `onefold dev` before anything else, so that nothing is sent, and keep the folder as it is"
	}
	return "let nothing be sent before anything else (`aws lambda put-function-concurrency --function-name " +
		schema.FunctionName(stageName, schema.Send) + " --reserved-concurrent-executions 0`), and change nothing in the ledger"
}
