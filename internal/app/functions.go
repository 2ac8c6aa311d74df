package app

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"onefold/internal/lambdaio"
	"onefold/internal/mailer/ses"
	"onefold/internal/policy/tenant"
	"onefold/internal/queue"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

// Each function by its name, as it runs in Lambda: variables from the
// environment, AWS as the SDK's default configuration finds it, endpoints of
// AWS_ENDPOINT_URL included. An error says everything that is missing; with it
// nothing has been done.
//
// They are functions and not a table, so that the linker leaves out of a binary
// what its main cannot reach.
//
// Those that name things by the identifier key read it at their start (the
// secret, then one row of the ledger, which the very first of them writes);
// Sweep asks nothing before its first call.

// Ingest takes deliveries, and mail that SES has received.
func Ingest(ctx context.Context) (*lambdaio.Function, error) {
	return onLambda(ctx, schema.Ingest, assembleIngest)
}

// Extract reads and decides events.
func Extract(ctx context.Context) (*lambdaio.Function, error) {
	return onLambda(ctx, schema.Extract, assembleExtract)
}

// CRMSync brings operations to the CRM.
func CRMSync(ctx context.Context) (*lambdaio.Function, error) {
	return onLambda(ctx, schema.CRMSync, assembleCRMSync)
}

// Send claims and submits follow-ups, and sends the probe of the feed.
func Send(ctx context.Context) (*lambdaio.Function, error) {
	return onLambda(ctx, schema.Send, assembleSend)
}

// Feedback takes what the mail provider reports.
func Feedback(ctx context.Context) (*lambdaio.Function, error) {
	return onLambda(ctx, schema.Feedback, assembleFeedback)
}

// Sweep nudges rows that are due.
func Sweep(ctx context.Context) (*lambdaio.Function, error) {
	return onLambda(ctx, schema.Sweep, assembleSweep)
}

// Console serves the review pages.
func Console(ctx context.Context) (*lambdaio.Function, error) {
	return onLambda(ctx, schema.Console, assembleConsole)
}

// Optout serves the opt-out links.
func Optout(ctx context.Context) (*lambdaio.Function, error) {
	return onLambda(ctx, schema.Optout, assembleOptout)
}

// assembly makes a function of what a builder can make.
type assembly func(context.Context, *builder) (*lambdaio.Function, error)

func assembleIngest(ctx context.Context, b *builder) (*lambdaio.Function, error) {
	secrets := b.secrets()
	p, err := b.keyed(ctx, secrets)
	if err != nil {
		return nil, err
	}
	var inbox *Inbox
	region := b.vars.get(schema.EnvMailRegion)
	if bucket := b.vars.get(schema.EnvMailBucket); bucket != "" {
		inbox = &Inbox{Client: b.buckets(region), Bucket: bucket}
	}
	if p.Outside, err = NewOutside(secrets, inbox); err != nil {
		return nil, err
	}
	p.Blob, p.Secrets = b.raw(), secret.Webhooks(secrets)
	service := p.ingest(p.policies())
	fn := &lambdaio.Function{HTTP: lambdaio.Ingest(service.Handle)}
	if inbox != nil {
		fn.Queue = lambdaio.Queue(MailHandler(service, *inbox), b.batches())
	}
	return fn, nil
}

func assembleExtract(ctx context.Context, b *builder) (*lambdaio.Function, error) {
	p, err := b.deciding(ctx, b.secrets())
	if err != nil {
		return nil, err
	}
	if p.Reader, err = b.reader(p.Store); err != nil {
		return nil, err
	}
	return &lambdaio.Function{Stream: lambdaio.Stream(p.process(p.policies()).Handle, b.batches())}, nil
}

func assembleCRMSync(ctx context.Context, b *builder) (*lambdaio.Function, error) {
	secrets := b.secrets()
	p, err := b.keyed(ctx, secrets)
	if err != nil {
		return nil, err
	}
	p.Blob = b.raw()
	book := p.policies()
	p.CRM = accounts(book, secrets, map[string]string{"hubspot": b.vars.get(schema.EnvHubSpotURL)})
	return &lambdaio.Function{Stream: lambdaio.Stream(p.crmsync(book).Handle, b.batches())}, nil
}

func assembleSend(ctx context.Context, b *builder) (*lambdaio.Function, error) {
	p, err := b.keyed(ctx, b.secrets())
	if err != nil {
		return nil, err
	}
	if p.Mailer, err = b.mailer(); err != nil {
		return nil, err
	}
	p.PublicURL = b.vars.get(schema.EnvPublicURL)
	service, from := p.send(p.policies()), b.vars.get(schema.EnvProbeFrom)
	return &lambdaio.Function{
		Stream: lambdaio.Stream(service.Handle, b.batches()),
		Words: map[string]func(context.Context) error{"probe": func(ctx context.Context) error {
			if from == "" {
				b.log.LogAttrs(ctx, slog.LevelWarn, "no probe: no address is set that sends it", slog.String("fix", schema.EnvProbeFrom))
				return nil
			}
			// What it comes to is seen in the feed. A probe that failed is made
			// up for by the next, not by a repeat of this call.
			service.Probe(ctx, tenant.Sender{From: from})
			return nil
		}},
	}, nil
}

func assembleFeedback(ctx context.Context, b *builder) (*lambdaio.Function, error) {
	p, err := b.keyed(ctx, b.secrets())
	if err != nil {
		return nil, err
	}
	service := p.feedback(ses.Provider)
	return &lambdaio.Function{Queue: lambdaio.Queue(func(ctx context.Context, m queue.Message) error {
		e, err := ses.ParseEvent(m.Body)
		if err != nil {
			return err // what cannot be read ends in the dead-letter queue, where somebody sees it
		}
		return service.Handle(ctx, e)
	}, b.batches())}, nil
}

func assembleSweep(_ context.Context, b *builder) (*lambdaio.Function, error) {
	service := b.parts().sweep()
	run := func(ctx context.Context) error {
		// The rest of a run that is cut short is the next one's.
		ctx, cancel := before(ctx, 5*time.Second)
		defer cancel()
		_, err := service.Run(ctx)
		return err
	}
	return &lambdaio.Function{Words: map[string]func(context.Context) error{"sweep": run}, Scheduled: run}, nil
}

func assembleConsole(ctx context.Context, b *builder) (*lambdaio.Function, error) {
	secrets := b.secrets()
	p, err := b.deciding(ctx, secrets)
	if err != nil {
		return nil, err
	}
	signIn, err := b.signIn(secrets)
	if err != nil {
		return nil, err
	}
	book := p.policies()
	return &lambdaio.Function{HTTP: lambdaio.Serve(consoleSite(p.console(book, p.process(book)).Site(), signIn))}, nil
}

func assembleOptout(ctx context.Context, b *builder) (*lambdaio.Function, error) {
	p, err := b.keyed(ctx, b.secrets())
	if err != nil {
		return nil, err
	}
	return &lambdaio.Function{HTTP: lambdaio.Serve(http.StripPrefix(OptOutPath, p.optout(p.policies()).Pages()))}, nil
}
