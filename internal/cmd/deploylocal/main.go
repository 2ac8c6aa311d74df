// Command deploylocal deploys Onefold to an emulator of AWS on this machine,
// says where everything is, and keeps it until Ctrl-C.
//
// Its invariant: what it prints is what is there, with all that is not. It
// takes no flags, since there is nothing to choose, and keeps nothing: the
// emulator forgets when it ends.
package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"onefold/internal/app"
	"onefold/internal/proof/localdeploy"
	"onefold/internal/webhook"
)

func main() { os.Exit(status()) }

func status() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second Ctrl-C kills
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "deploylocal: error: %v\n", err)
		return 1
	}
	return 0
}

func run(ctx context.Context, w io.Writer) error {
	root, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the project: %w", err)
	}
	p := &printer{w: w, began: app.Clock()}
	d, err := localdeploy.Start(ctx, localdeploy.Options{Root: root, Say: p.say})
	if err != nil {
		return err
	}
	defer func() {
		p.step("stop: API, stand-ins, emulator")
		d.Close(context.WithoutCancel(ctx))
		p.step("stopped; nothing is kept")
	}()
	if err := p.welcome(ctx, d); err != nil {
		return err
	}
	<-ctx.Done()
	p.printf("\n")
	return nil
}

// printer writes for a person who waits.
type printer struct {
	w     io.Writer
	began time.Time
}

func (p *printer) printf(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }

func (p *printer) step(text string) {
	p.printf("==> %5.1f s  %s\n", app.Clock().Sub(p.began).Seconds(), text)
}

// say shows the steps, and of the CDK's lines those of what failed.
func (p *printer) say(g localdeploy.Progress) {
	switch {
	case g.Step != "":
		p.step(g.Step)
	case strings.Contains(g.Line, "_FAILED "):
		p.printf("    %s\n", g.Line)
	}
}

// welcome says what is there, what is not, and how to send a first event.
func (p *printer) welcome(ctx context.Context, d *localdeploy.Deployment) error {
	counts, err := d.Resources(ctx)
	if err != nil {
		return err
	}
	absent, err := d.LeftOut()
	if err != nil {
		return err
	}
	p.step("ready")
	p.printf("\nDeployed, by type:\n\n")
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		p.printf("  %4d  %s\n", counts[kind], kind)
	}
	p.printf("\nNot here, or not as on AWS:\n\n")
	for _, a := range absent {
		p.printf("  - %s: %s\n", a.What, a.Why)
	}
	p.printf("\n  API           %s/v1/%s/{endpoint}\n", d.URL, d.Seeded.Tenant)
	p.printf("  sent mail     %s/\n", d.MailURL)
	p.printf("  fake CRM      %s/\n", d.CRMURL)
	key, secret := d.Credentials()
	p.printf("  emulator      %s (access key %s, secret key %s)\n", d.EmulatorURL(), key, secret)
	p.printf("\nA first event (the line is signed for the next 5 minutes):\n\n%s\n\n", curlLine(d, app.Clock()))
	p.printf("Ctrl-C stops. The emulator keeps nothing: tables, mail and contacts go with it.\n\n")
	return nil
}

// curlLine is a signed delivery that can be pasted into a shell.
func curlLine(d *localdeploy.Deployment, now time.Time) string {
	const body = `{"type":"enquiry","data":{"email":"robin@customer.example","name":"Robin Reed","message":"How much is the two-person tent?"}}`
	id := "msg_first_" + fmt.Sprint(now.Unix())
	return strings.Join([]string{
		"  curl -sS " + d.URL + "/v1/" + d.Seeded.Tenant + "/form \\",
		"    -H 'webhook-id: " + id + "' \\",
		"    -H 'webhook-timestamp: " + fmt.Sprint(now.Unix()) + "' \\",
		"    -H 'webhook-signature: " + webhook.Sign(d.Seeded.Secrets["form"], id, now, []byte(body)) + "' \\",
		"    -H 'content-type: application/json' -d '" + body + "'",
	}, "\n")
}
