package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"onefold/internal/app"
	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/policy/tenant"
	"onefold/internal/webhook"
)

// devCmd is the whole system in one process.
type devCmd struct {
	AWS    string `name:"aws" placeholder:"URL" help:"use DynamoDB, S3 and SQS at this endpoint instead of the embedded store"`
	Listen string `default:"127.0.0.1:8750" placeholder:"ADDRESS" help:"where the API and the review page are served"`
	Policy string `placeholder:"FILE" help:"the policy of a tenant that has none yet; default: the example"`
	Quiet  bool   `help:"do not print events as they flow"`
}

// Run brings the system up and keeps it until the context ends.
func (c devCmd) Run(e *env) error {
	policy, err := c.policy(e)
	if err != nil {
		return err
	}
	kind := local.LedgerBolt
	if c.AWS != "" {
		if err := loopbackURL(c.AWS); err != nil {
			return err
		}
		kind = local.LedgerDynamo
	}
	level := slog.LevelInfo
	if c.Quiet {
		level = slog.LevelWarn
	}
	began := app.Clock()
	e.printf("==> open %s\n", e.data)
	s, err := local.Start(e.ctx, local.Config{
		Data: local.Data{Dir: e.data}, Ledger: kind, AWS: c.AWS, Listen: c.Listen, Policy: policy,
		Log: slog.New(local.NewPrinter(e.stdout, level)), SweepAt: time.Second, Commands: Serve,
	})
	if err != nil {
		return c.explain(e, err)
	}
	c.welcome(e, s, kind, app.Clock().Sub(began))
	var failure error
	select {
	case <-e.ctx.Done():
	case failure = <-s.Failed():
	}
	if failure != nil {
		return c.failed(e, s, failure)
	}
	e.printf("\n==> stop: the workers finish what they hold\n")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 10*time.Second)
	defer cancel()
	s.Stop(ctx)
	e.printf("==> stopped; %s keeps everything\n", e.data)
	return nil
}

// failed ends a system that can keep nothing any more.
func (devCmd) failed(e *env, s *local.System, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 10*time.Second)
	defer cancel()
	s.Stop(ctx)
	if errors.Is(cause, ledger.ErrDamaged) {
		return cause
	}
	return errors.New("the disk is full or failing: free space and start again")
}

func (c devCmd) policy(e *env) ([]byte, error) {
	if c.Policy == "" {
		return tenant.Example(), nil
	}
	b, err := e.read(c.Policy)
	if err != nil {
		return nil, err
	}
	if _, err := tenant.Parse(b); err != nil {
		return nil, hinted(err, "see `onefold policy validate "+c.Policy+"`")
	}
	return b, nil
}

// explain says what is in the way and what to do.
func (c devCmd) explain(e *env, err error) error {
	switch {
	case errors.Is(err, local.ErrPort):
		return hinted(fmt.Errorf("%s cannot be listened on: it is in use, or no address of this machine", c.Listen),
			"end what uses it, or name another with -listen 127.0.0.1:PORT (port 0 takes a free one)")
	case errors.Is(err, ledger.ErrInUse):
		hint := "end it, or name another folder with -data"
		if r, ok := local.FindRunning(e.data); ok {
			hint = fmt.Sprintf("it is process %d at %s; end it, or name another folder with -data", r.PID, r.URL)
		}
		return hinted(fmt.Errorf("another onefold has %s open", e.data), hint)
	case errors.Is(err, local.ErrNotLoopback):
		return hinted(err, "use -listen 127.0.0.1:PORT (port 0 takes a free one)")
	case errors.Is(err, fs.ErrPermission):
		return hinted(fmt.Errorf("the data folder %s cannot be used: permission denied", e.data),
			"the folder belongs to another user, or is not open to you: run as its owner, or name another folder with -data")
	}
	return err
}

// welcome says where everything is, and how to send a first event.
func (c devCmd) welcome(e *env, s *local.System, kind string, took time.Duration) {
	store := "the embedded store in " + e.data + " (fsynced; what it does not prove: DynamoDB's own behaviour)"
	if kind == local.LedgerDynamo {
		store = "DynamoDB, S3 and SQS at " + c.AWS + " (an emulator does not prove AWS's own behaviour)"
	}
	e.printf("==> ready in %d ms on %s\n\n", took.Milliseconds(), store)
	e.printf("  API           %s/v1/%s/{endpoint}\n", s.URL, s.Tenant)
	e.printf("  review page   %s/review/\n", s.URL)
	e.printf("  sent mail     %s/\n", s.MailURL)
	e.printf("  fake CRM      %s/\n", s.CRMURL)
	if c.Policy != "" && s.PolicyKept > 0 {
		e.printf("\nversion %d is in force; %s differs: `onefold policy apply %s%s`\n", s.PolicyKept, c.Policy, c.Policy, dataFlag(e.data))
	}
	e.printf("\nA first event (the line is signed for the next 5 minutes):\n\n%s\n\n", curlLine(s, app.Clock()))
	e.printf("Then: onefold explain -email robin@customer.example%s\nCtrl-C stops; nothing is lost.\n\n", dataFlag(e.data))
}

func dataFlag(folder string) string {
	if folder == ".onefold" {
		return ""
	}
	return " -data " + folder
}

// curlLine is a signed delivery that can be pasted into a shell.
func curlLine(s *local.System, now time.Time) string {
	body := `{"type":"enquiry","data":{"email":"robin@customer.example","name":"Robin Reed","message":"How much is the two-person tent?"}}`
	secret, err := webhook.ParseSecret(s.Secrets.Webhooks[s.Tenant+"/form"])
	if err != nil {
		return "  (no endpoint called form: sign one of your own, see README)"
	}
	id := "msg_first_" + fmt.Sprint(now.Unix())
	return strings.Join([]string{
		"  curl -sS " + s.URL + "/v1/" + s.Tenant + "/form \\",
		"    -H 'webhook-id: " + id + "' \\",
		"    -H 'webhook-timestamp: " + fmt.Sprint(now.Unix()) + "' \\",
		"    -H 'webhook-signature: " + webhook.Sign(secret, id, now, []byte(body)) + "' \\",
		"    -H 'content-type: application/json' -d '" + body + "'",
	}, "\n")
}

// loopbackURL refuses an endpoint that is not on this machine: `dev` writes
// there without asking.
func loopbackURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return usage("-aws takes a URL such as http://127.0.0.1:4566", "")
	}
	switch u.Hostname() {
	case "127.0.0.1", "localhost", "::1":
		return nil
	}
	return usage("-aws takes an emulator on this machine", "this version runs on an emulator on this machine, and cannot be deployed to AWS")
}
