package localdeploy_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"onefold/internal/proof/localdeploy"
	"onefold/internal/schema"
)

var endToEnd = flag.Bool("e2e", false, "deploy and drive the whole system (`make e2e` builds what that needs)")

// bound is how long all of it may take.
const bound = 8 * time.Minute

// TestDeployedSystem deploys the core stack as an operator would, drives it
// over HTTP alone, kills its functions in mid-work, and then judges ledger,
// provider, CRM, roles and logs.
//
// Real: the CDK and the app, the templates, the functions' binaries, roles and
// policies as enforced by the emulator, HTTP, signatures, SNS, SQS, schedules,
// the adapters. Not real: DynamoDB, S3 and Lambda's readers of streams
// (MiniStack; internal/proof/streamreader has Lambda's rules), SES and HubSpot (wire
// fakes).
func TestDeployedSystem(t *testing.T) {
	if !*endToEnd {
		t.Skip("run by make e2e: it needs the functions, the app and the CDK built")
	}
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	began := time.Now()
	d, err := localdeploy.Start(ctx, localdeploy.Options{Root: filepath.Join("..", "..", ".."), HoldFor: time.Second, Say: func(p localdeploy.Progress) {
		if p.Step != "" {
			t.Logf("%5.1f s  %s", time.Since(began).Seconds(), p.Step)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close(context.WithoutCancel(ctx)) })
	w := &world{t: t, ctx: ctx, d: d, began: began}
	w.pass("deployed", "cdk bootstrap, synth and deploy, sample tenant seeded")

	w.samples()
	// The killed ones early: what they leave comes back after a lease, while
	// the rest goes on.
	w.killed()
	w.oneDeliveryTwentyTimes()
	w.twoSourcesAtOnce()
	w.optOutBeforeSending()
	w.optOutAfterSending()
	w.optOutByLink()
	w.mailThroughTheQueue()
	w.sameIDOtherContent()
	w.complaint()
	w.doubtfulWish()
	w.console()
	w.resources()
	w.again()
	w.quiet()
	w.invariants()
	w.providers()
	w.schedules()
	w.deadLetters()
	w.roles()
	w.outside()
	w.logs()
	w.report()
}

// world is a deployment under test, with what was checked so far.
type world struct {
	t      *testing.T
	ctx    context.Context
	d      *localdeploy.Deployment
	began  time.Time
	checks []check
	people int
	silent string // whose follow-up was claimed and never submitted
}

type check struct {
	name, says string
	faults     []string
	at         time.Duration
}

// pass notes a check that has no fault, or the faults that it has.
func (w *world) pass(name, says string, faults ...string) {
	w.t.Helper()
	c := check{name, says, faults, time.Since(w.began)}
	w.checks = append(w.checks, c)
	if len(faults) == 0 {
		w.t.Logf("%5.1f s  ok     %-22s %s", c.at.Seconds(), name, says)
	}
	if len(faults) > 40 {
		faults = append(faults[:40:40], fmt.Sprintf("and %d more", len(faults)-40))
	}
	for _, f := range faults {
		w.t.Errorf("%5.1f s  FAULT  %-22s %s", c.at.Seconds(), name, f)
	}
}

// must ends the test when the world itself does not work.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.dump()
		w.t.Fatal(err)
	}
}

// report prints the table of checks; with faults, what the functions said.
func (w *world) report() {
	var b bytes.Buffer
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range w.checks {
		result := "ok"
		if len(c.faults) > 0 {
			result = fmt.Sprintf("FAULTS %d", len(c.faults))
		}
		_, _ = fmt.Fprintf(tab, "%s\t%s\t%.0f s\t%s\n", result, c.name, c.at.Seconds(), c.says)
	}
	_ = tab.Flush()
	w.t.Logf("\n\nChecks\n\n%s", b.String())
	if w.t.Failed() {
		w.dump()
	}
}

// dump shows the end of every function's log.
func (w *world) dump() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), 20*time.Second)
	defer cancel()
	for _, run := range schema.Functions() {
		lines, err := w.d.Logs(ctx, run.Function, 25)
		w.t.Logf("log of %s (%v):\n%s", run.Function, err, strings.Join(lines, "\n"))
	}
	w.t.Logf("the emulator said:\n%s", w.d.Output())
}

// TestMissingPartsAreToldWithWhatHelps: in a folder with nothing in it the
// error says what to do, and nothing is left running.
func TestMissingPartsAreToldWithWhatHelps(t *testing.T) {
	t.Parallel()
	_, err := localdeploy.Start(t.Context(), localdeploy.Options{Root: t.TempDir()})
	if _, missing := exec.LookPath("node"); missing != nil {
		if err == nil || !strings.Contains(err.Error(), "install Node.js") {
			t.Errorf("error %v, want one that says what to install", err)
		}
		return
	}
	if !errors.Is(err, localdeploy.ErrNotBuilt) || !strings.Contains(err.Error(), "make deploy-local") {
		t.Errorf("error %v, want ErrNotBuilt with the command that builds", err)
	}
}
