package app

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"onefold/internal/blob"
	"onefold/internal/blob/s3"
	"onefold/internal/lambdaio"
	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/mailer/ses"
	"onefold/internal/schema"
	"onefold/internal/secret"
	"onefold/internal/secret/secretsmanager"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	sm "github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
)

// builder makes the parts of one function. Making a part asks nothing of AWS;
// only key does.
type builder struct {
	runs  schema.Runs
	host  Host
	vars  *variables
	stage string
	log   *slog.Logger
}

func newBuilder(runs schema.Runs, h Host, v *variables) *builder {
	return &builder{runs: runs, host: h, vars: v, stage: v.get(schema.EnvStage), log: logOf(runs.Function, h, v)}
}

// parts are those that every function has.
func (b *builder) parts() Parts {
	return Parts{
		Store: b.ledger(), Now: b.host.Now, Log: b.log, Timeout: b.runs.Timeout, CallTime: callTime, KeepPolicy: keepPolicy,
	}
}

func (b *builder) ledger() ledger.Store {
	return dynamo.New(dynamodb.NewFromConfig(b.host.AWS), dynamo.Options{Prefix: schema.Prefix(b.stage)})
}

// raw is the bucket of raw content.
func (b *builder) raw() blob.Store {
	return s3.New(b.buckets(""), b.vars.get(schema.EnvRawBucket))
}

// buckets is a client for a region, the function's own if it is "". An emulator
// behind an endpoint of its own has no host for each bucket.
func (b *builder) buckets(region string) *awss3.Client {
	return awss3.NewFromConfig(b.host.AWS, func(o *awss3.Options) {
		o.Region = cmp.Or(region, o.Region)
		o.UsePathStyle = o.BaseEndpoint != nil
	})
}

func (b *builder) secrets() secret.Store {
	store := secretsmanager.New(sm.NewFromConfig(b.host.AWS), secretsmanager.Options{Prefix: schema.SecretPrefix(b.stage)})
	return secretsmanager.NewCache(store, b.host.Now)
}

// mailer is SES in its region. Where nothing else is set, the endpoint is the
// region's own.
func (b *builder) mailer() (*ses.Mailer, error) {
	o := sesv2.NewFromConfig(b.host.AWS).Options()
	return ses.New(ses.Config{
		Region: cmp.Or(b.vars.get(schema.EnvSESRegion), o.Region), Credentials: o.Credentials, Endpoint: aws.ToString(o.BaseEndpoint), AppID: o.AppID,
		ConfigurationSet: b.vars.get(schema.EnvConfigurationSet), Now: b.host.Now, Timeout: callTime,
	})
}

// keyed are the parts with the identifier key, which is read and compared with
// the ledger now: a function with another key would forget every opt-out.
func (b *builder) keyed(ctx context.Context, secrets secret.Store) (Parts, error) {
	p := b.parts()
	var err error
	p.IDs, err = identifierKey(ctx, secrets, p.Store)
	return p, err
}

// deciding are the parts of whoever decides events. The reader is not among
// them: the console decides on what has been read.
func (b *builder) deciding(ctx context.Context, secrets secret.Store) (Parts, error) {
	p, err := b.keyed(ctx, secrets)
	p.Blob = b.raw()
	return p, err
}

// batches are a third of the timeout to begin a record, and a tenth of it kept
// for writing down what is known of one that was cut off.
func (b *builder) batches() lambdaio.Options {
	return lambdaio.Options{Begin: b.runs.Timeout / 3, Keep: b.runs.Timeout / 10, Now: b.host.Now, Log: b.log}
}

// before ends a context some time before its end.
func before(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if end, bounded := ctx.Deadline(); bounded {
		return context.WithDeadline(ctx, end.Add(-d))
	}
	return context.WithCancel(ctx)
}
