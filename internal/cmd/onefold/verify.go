package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"onefold/internal/invariant"
	"onefold/internal/local"
)

const verifyHelp = `usage:
  onefold verify [-quiet] [-json]

Reads the whole ledger and checks every promise that Onefold makes: one event
for a delivery ID, one contact for a key, one follow-up for a cause, one
submission of it, none after a stop, an owner for everything, a record of
every move. It repairs nothing. A finding is read twice before it is reported,
so that work under way is not taken for a fault.

  -quiet   ask besides that nothing is under way
  -json    print one JSON object: checks, findings, counts

Exit code 3 means that a promise is broken; warnings alone do not count. If
another onefold process has the data folder open, that process does the check.

examples:
  onefold verify
  onefold verify -json -data /var/lib/onefold
`

type verifyCmd struct {
	Quiet bool
	JSON  bool `name:"json"`
}

func (verifyCmd) Help() string { return verifyHelp }

func (c *verifyCmd) Run(e *env) error {
	return e.onLedger(func(o *local.Opened) error {
		// One clock stamps everything here, but a commit may take effect after
		// one that was stamped later: within a function's time the stamps prove
		// nothing.
		report, err := invariant.Check(e.ctx, o.Store, invariant.Options{IDs: &o.IDs, Blob: o.Blob, Quiet: c.Quiet, Slack: 30 * time.Second})
		if err != nil {
			return err
		}
		v := verificationOf(report, c.Quiet)
		if c.JSON {
			err = e.printJSON(v)
		} else {
			e.printf("%s", plain(v.text(e.shown)))
		}
		if err != nil {
			return err
		}
		return v.fault()
	})
}

// verification is what verify -json prints. Names and meanings are stable;
// properties may be added.
type verification struct {
	Holds     bool                `json:"holds"`
	Checks    []checked           `json:"checks"`
	Findings  []invariant.Finding `json:"findings"`
	Unsettled int                 `json:"unsettled"` // findings whose rows kept changing
	Items     int                 `json:"items"`
	Counts    map[string]int      `json:"counts"`
}

// checked is one check with its result.
type checked struct {
	Name       string `json:"name"`
	Promise    int    `json:"promise"`
	Says       string `json:"says"`
	Violations int    `json:"violations"`
	Warnings   int    `json:"warnings"`
}

func verificationOf(r invariant.Report, quiet bool) verification {
	v := verification{
		Holds: r.Holds(), Checks: []checked{}, Findings: append([]invariant.Finding{}, r.Findings...),
		Unsettled: r.Unsettled, Items: r.Items, Counts: r.Counts,
	}
	for _, rule := range invariant.Rules() {
		if rule.Name == "quiet" && !quiet {
			continue
		}
		c := checked{Name: rule.Name, Promise: rule.Promise, Says: rule.Says}
		for _, f := range r.Findings {
			switch {
			case f.Check != rule.Name:
			case f.Severity == invariant.Violation:
				c.Violations++
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
	case c.Warnings > 0:
		return "warning"
	}
	return "holds"
}

func (v verification) fault() error {
	broken := 0
	for _, c := range v.Checks {
		broken += c.Violations
	}
	switch {
	case !v.Holds:
		return &fault{
			err:  fmt.Errorf("%d violations found", broken),
			hint: "stop sending before anything else, and keep the folder as it is: `onefold explain` tells how a row came to be",
			code: exitViolated,
		}
	case v.Unsettled > 0:
		return hinted(fmt.Errorf("%d findings could not be judged, since their rows kept changing", v.Unsettled),
			"run it again when less is going on")
	}
	return nil
}
