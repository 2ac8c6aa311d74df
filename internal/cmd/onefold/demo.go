package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"onefold/events"
	"onefold/internal/app"
	"onefold/internal/local"
	"onefold/internal/proof/localaws"
)

type demoCmd struct {
	Ledger  string `default:"bolt" enum:"bolt,mem,dynamo"`
	Verbose bool
}

// Run is the whole demo.
func (c demoCmd) Run(e *env) error {
	folder, err := os.MkdirTemp("", "onefold-demo-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	cfg := local.Config{
		Data: local.Data{Dir: folder}, Ledger: c.Ledger, Listen: "127.0.0.1:0", Policy: local.DemoPolicy(),
		SweepAt: time.Second, HoldFor: time.Second, Log: slog.New(slog.DiscardHandler), Commands: Serve,
	}
	if c.Verbose {
		cfg.Log = slog.New(local.NewPrinter(e.stdout, slog.LevelInfo))
	}
	began := app.Clock()
	if c.Ledger == local.LedgerDynamo {
		e.printf("==> start the emulator of AWS\n")
		stack, err := localaws.Start(e.ctx, localaws.Options{})
		if err != nil {
			return hinted(err, "`make setup` installs the emulator")
		}
		defer stack.Close()
		cfg.AWS = stack.Endpoint()
	}
	e.printf("==> start the system on a temporary store (%s)\n", c.Ledger)
	s, err := local.Start(e.ctx, cfg)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), 10*time.Second)
		defer cancel()
		s.Stop(ctx)
	}()
	ctx, cancel := context.WithTimeout(e.ctx, 2*time.Minute)
	defer cancel()
	e.printf("==> send the samples\n")
	if err := s.RunScript(ctx, func(name, answer string) { e.printf("    %-48s %s\n", name, answer) }); err != nil {
		return err
	}
	if err := c.show(ctx, e, s); err != nil {
		return err
	}
	e.printf("==> done in %.1f s\n", app.Clock().Sub(began).Seconds())
	return nil
}

// show counts, tells one person's story and checks the invariants.
func (c demoCmd) show(ctx context.Context, e *env, s *local.System) error {
	got, err := s.Count(ctx)
	if err != nil {
		return err
	}
	want := events.Wanted()
	e.printf("\n==> what came of it\n")
	wrong := 0
	for _, row := range []struct {
		what      string
		got, want int
	}{
		{"deliveries", got.Deliveries, want.Deliveries},
		{"events", got.Events, want.Events},
		{"contacts", got.Contacts, want.Contacts},
		{"enquiries", got.Enquiries, want.Enquiries},
		{"intents", got.Intents, want.Intents},
		{"mails sent", got.Mails, want.Mails},
		{"review tasks", got.Reviews, want.Reviews},
		{"addresses stopped", got.Stopped, want.Stopped},
		{"operations", got.Operations.Total(), want.Operations.Total()},
		{"  send", got.Operations.SendIntent, want.Operations.SendIntent},
		{"  cancel", got.Operations.CancelIntents, want.Operations.CancelIntents},
		{"  CRM contact", got.Operations.CRMContact, want.Operations.CRMContact},
		{"  CRM note", got.Operations.CRMNote, want.Operations.CRMNote},
		{"  CRM task", got.Operations.CRMTask, want.Operations.CRMTask},
	} {
		mark := "as it should be"
		if row.got != row.want {
			mark = fmt.Sprintf("WRONG, should be %d", row.want)
			wrong++
		}
		e.printf("    %-20s %4d   %s\n", row.what, row.got, mark)
	}
	carry := Serve(s.Opened)
	e.printf("\n==> why did Alex Morgan get one mail?  (onefold explain -email alex.morgan@customer.example)\n\n")
	if err := c.pass(ctx, e, carry, "-shown-folder=the demo", "explain", "-email", "alex.morgan@customer.example"); err != nil {
		return err
	}
	e.printf("\n==> every invariant  (onefold verify)\n\n")
	if err := c.pass(ctx, e, carry, "-shown-folder=the demo", "verify", "-quiet"); err != nil {
		return err
	}
	if wrong > 0 {
		return &fault{fmt.Errorf("%d counts are wrong", wrong), "events/README.md has the arithmetic", exitViolated}
	}
	return nil
}

// pass carries out a command on the demo's ledger and prints what it says.
func (demoCmd) pass(ctx context.Context, e *env, carry func(context.Context, local.Command) local.CommandResult, args ...string) error {
	r := carry(ctx, local.Command{Args: args})
	e.printf("%s", r.Stdout)
	if r.Exit != exitDone {
		_, _ = fmt.Fprint(e.stderr, r.Stderr)
		return ended(r.Exit)
	}
	return nil
}
