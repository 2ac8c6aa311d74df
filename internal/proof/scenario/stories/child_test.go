package stories_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"onefold/internal/app"
	"onefold/internal/blob/s3"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crmsync"
	"onefold/internal/digest"
	"onefold/internal/lambdaio"
	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/mailer/ses"
	"onefold/internal/proof/localaws"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/schema"
	"onefold/internal/webhook"
)

// roleVariable holds the settings of a worker process; without it the binary
// runs the tests.
const roleVariable = "ONEFOLD_STORY_WORKER"

// The workers that a process may run.
const (
	ingestWorker  = "ingest"
	extractWorker = "extract"
	crmWorker     = "crmsync"
	sendWorker    = "send"
	sweepWorker   = "sweep"
)

// settings are all that a process knows of the world.
type settings struct {
	AWS     string // endpoint of DynamoDB and S3
	Account string
	Bucket  string // of raw content, in S3 at the same endpoint
	Key     []byte // identifier key
	Secrets map[string]string
	SES     string
	CRM     string
	Ahead   time.Duration // by how much its clock is ahead
	Workers []string
}

const (
	prefix   = "onefold-"
	crmToken = "story-crm"
	// As in production, the lease is the time after which a worker is killed
	// and a minute for skew.
	workerTimeout = 20 * time.Second
	callTime      = 10 * time.Second
)

func (s settings) aws() aws.Config {
	return aws.Config{Region: localaws.Region, BaseEndpoint: &s.AWS, Credentials: credentials.NewStaticCredentialsProvider(s.Account, "local", "")}
}

func (s settings) buckets() *awss3.Client {
	return awss3.NewFromConfig(s.aws(), func(o *awss3.Options) { o.UsePathStyle = true })
}

// parts puts the adapters together, none of them with settings of the test's
// own but endpoints, credentials and clock.
func (s settings) parts(now func() time.Time, log *slog.Logger) (app.Parts, error) {
	key, err1 := digest.NewKey(s.Key)
	// The adapter compares its clock with deadlines of contexts, which are of
	// this machine's clock.
	mail, err2 := ses.New(ses.Config{Region: localaws.Region, Endpoint: s.SES, Now: time.Now, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")})
	hub, err3 := hubspot.New(hubspot.Config{BaseURL: s.CRM, Token: func(context.Context) (string, error) { return crmToken, nil }})
	return app.Parts{
		Store: dynamo.New(dynamodb.NewFromConfig(s.aws()), dynamo.Options{Prefix: prefix}), Blob: s3.New(s.buckets(), s.Bucket), Mailer: mail, CRM: crmsync.OneAccount(hub),
		Reader: rules.New(), IDs: key, Secrets: s.webhookSecrets, Now: now, Log: log,
		Timeout: workerTimeout, CallTime: callTime, KeepPolicy: time.Minute,
	}, errors.Join(err1, err2, err3)
}

func (s settings) webhookSecrets(_ context.Context, _, name string) ([]webhook.Secret, error) {
	secret, err := webhook.ParseSecret(s.Secrets[name])
	return []webhook.Secret{secret}, err
}

// child is a worker process. It lives until it is killed, or until its parent
// is gone and with it the pipe that it reads.
func child(text string) int {
	var s settings
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo}))
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		log.Error("settings", slog.String("error", err.Error()))
		return 1
	}
	parts, err := s.parts(func() time.Time { return time.Now().Add(s.Ahead) }, log)
	if err != nil {
		log.Error("parts", slog.String("error", err.Error()))
		return 1
	}
	p := process{settings: s, sys: app.Wire(parts), log: log}
	p.feed = dynamo.NewFeed(dynamodb.NewFromConfig(s.aws()), dynamodbstreams.NewFromConfig(s.aws()), dynamo.FeedOptions{Prefix: prefix, Poll: 100 * time.Millisecond})
	for _, name := range s.Workers {
		if err := p.begin(name); err != nil {
			log.Error("begin", slog.String("worker", name), slog.String("error", err.Error()))
			return 1
		}
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// process is a running child. On its standard output it says one word in a
// line: its address, and what it has come to.
type process struct {
	settings
	sys  *app.System
	feed ledger.Feed
	log  *slog.Logger
	mu   sync.Mutex
}

func (p *process) say(words ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Println(words...)
}

func (p *process) begin(name string) error {
	switch name {
	case ingestWorker:
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return err
		}
		mux := http.NewServeMux()
		mux.Handle("/v1/", lambdaio.Gateway(lambdaio.Ingest(p.sys.Ingest.Handle)))
		go func() { _ = http.Serve(l, mux) }()
		p.say("at", "http://"+l.Addr().String())
	case extractWorker:
		go p.read(schema.Events, name, p.sys.Process.Handle)
	case crmWorker:
		go p.read(schema.Outbox, name, p.sys.CRMSync.Handle)
	case sendWorker:
		go p.read(schema.Outbox, name, p.sys.Send.Handle)
	case sweepWorker:
		go p.sweep()
	default:
		return errors.New("no such worker")
	}
	return nil
}

// sweep runs the sweeper again and again.
func (p *process) sweep() {
	for {
		if _, err := p.sys.Sweep.Run(context.Background()); err != nil {
			p.log.Warn("sweep", slog.String("error", err.Error()))
		} else {
			p.say("swept")
		}
		time.Sleep(300 * time.Millisecond)
	}
}

// read takes a table's changes to a worker, as an event source mapping does:
// in order for each item, several items at once. It says when nothing comes.
func (p *process) read(table schema.Table, consumer string, handle func(context.Context, ledger.Change) error) {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		batch, err := p.feed.Next(ctx, table, consumer, 100)
		cancel()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			p.say("idle", consumer)
			continue
		case err != nil:
			p.log.Warn("feed", slog.String("consumer", consumer), slog.String("error", err.Error()))
			time.Sleep(50 * time.Millisecond)
			continue
		}
		items := map[ledger.Key][]ledger.Change{}
		for _, ch := range batch {
			items[ch.Key] = append(items[ch.Key], ch)
		}
		var wg sync.WaitGroup
		for _, changes := range items {
			wg.Go(func() {
				for _, ch := range changes {
					p.one(consumer, handle, ch)
				}
			})
		}
		wg.Wait()
	}
}

// one handles a change, and hands it over again while the ledger could not be
// asked; what stays is the sweeper's.
func (p *process) one(consumer string, handle func(context.Context, ledger.Change) error, ch ledger.Change) {
	for try := range 4 {
		ctx, cancel := context.WithTimeout(context.Background(), workerTimeout)
		err := handle(ctx, ch)
		cancel()
		if err == nil {
			return
		}
		p.log.Warn("a change comes again", slog.String("consumer", consumer), slog.String("error", err.Error()))
		time.Sleep(time.Duration(50<<try) * time.Millisecond)
	}
}
