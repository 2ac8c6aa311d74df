package main

import (
	"cmp"
	"fmt"
	"time"

	"onefold/internal/operate/stage"
	"onefold/internal/operate/verify"
	"onefold/internal/schema"
)

type verifyCmd struct {
	Quiet bool
	JSON  bool `name:"json"`
}

func (c *verifyCmd) Run(e *env) error {
	return e.onLedger(func(o *stage.Opened) error {
		// One clock stamps everything here, but a commit may take effect after
		// one that was stamped later: within a function's time the stamps prove
		// nothing.
		report, err := verify.Check(e.ctx, o.Store, verify.Options{IDs: &o.IDs, Blob: o.Blob, Quiet: c.Quiet, Slack: cmp.Or(o.Slack, 30*time.Second)})
		if err != nil {
			return err
		}
		v := verify.Summarise(report, c.Quiet)
		if c.JSON {
			err = e.printJSON(v)
		} else {
			e.printf("%s", plain(v.Text(cmp.Or(e.on, e.shown))))
		}
		if err != nil {
			return err
		}
		return verifyFault(v, e.place.Stage)
	})
}

func verifyFault(v verify.Summary, stageName string) error {
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
