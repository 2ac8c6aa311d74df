package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"onefold/internal/app"
	"onefold/internal/crmsync"
	"onefold/internal/idempotency"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

// Config says how the local system runs.
type Config struct {
	Data     Data
	Ledger   string // LedgerBolt, LedgerMemory or LedgerDynamo
	AWS      string // endpoint of LedgerDynamo
	Listen   string // address of the API and the review page, such as 127.0.0.1:8750
	Policy   []byte // put in force when the tenant has none
	Log      *slog.Logger
	SweepAt  time.Duration // how often the sweeper runs
	HoldFor  time.Duration // how long the mail fake holds a connection it will not answer
	Commands func(*Opened) func(context.Context, Command) CommandResult
}

// The ledgers.
const (
	LedgerBolt   = "bolt"
	LedgerMemory = "mem"
	LedgerDynamo = "dynamo"
)

// Timings of a worker here. They are those of the functions, so that the
// local process lives through the same leases.
const (
	workerTimeout = 30 * time.Second
	callTime      = 10 * time.Second
	lanes         = 16
	probeAt       = time.Minute     // how often the feed of the provider's events is probed
	stopGrace     = 8 * time.Second // how long workers may go on after a stop
)

// System is a running local system.
type System struct {
	*app.System
	Opened  *Opened
	URL     string // API and review page
	MailURL string // sent mail
	CRMURL  string // fake CRM
	Tenant  string
	Secrets Secrets
	// PolicyKept is the version in force where the tenant has another policy
	// than Config.Policy, which then was not applied; 0 otherwise.
	PolicyKept int64

	fakes       *fakes
	stores      *stores
	server      *http.Server
	busy        *activity
	stopReading context.CancelFunc
	kill        context.CancelFunc
	workers     sync.WaitGroup
	data        Data
	onDisk      bool
	failed      chan error
}

// Start brings the whole system up, or says in one error what is in the way:
// ErrPort, ErrNotLoopback, ErrOtherKey, ledger.ErrInUse, fs.ErrPermission and
// what a person can do nothing about.
func Start(ctx context.Context, cfg Config) (_ *System, err error) {
	// The port first: nothing is opened when it cannot be served.
	listener, err := listen(ctx, cfg.Listen)
	if err != nil {
		return nil, err
	}
	s := &System{data: cfg.Data, onDisk: cfg.Ledger == LedgerBolt, busy: &activity{clock: app.Clock}, failed: make(chan error, 1)}
	defer func() {
		if err != nil {
			_ = listener.Close()
			s.release(ctx)
		}
	}()
	if err := cfg.Data.make(); err != nil {
		return nil, err
	}
	if s.stores, err = openStores(ctx, cfg); err != nil {
		return nil, err
	}
	// After the ledger, which lets one process in.
	secrets, key, err := cfg.Data.secretsOf(ctx, s.stores.ledger)
	if err != nil {
		return nil, err
	}
	s.Secrets = secrets
	if cfg.Data.openToOthers() {
		cfg.Log.LogAttrs(ctx, slog.LevelWarn, "other users of this machine may look into the data folder", slog.String("fix", "chmod 700 "+cfg.Data.Dir))
	}
	policy, err := s.ensurePolicy(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s.Tenant = policy.Tenant
	if err := s.ensureSecrets(policy); err != nil {
		return nil, err
	}
	//nolint:contextcheck // the fakes live until Stop, not as long as ctx
	if s.fakes, err = startFakes(s.keep(), cfg.HoldFor, s.stores.sink(s, cfg.Log)); err != nil {
		return nil, err
	}
	mail, err := s.fakes.mailer()
	if err != nil {
		return nil, err
	}
	crm, err := s.fakes.hubspot(ctx)
	if err != nil {
		return nil, err
	}
	outside, err := app.NewOutside(cfg.Data.secrets(), nil)
	if err != nil {
		return nil, err
	}
	wired := app.Wire(app.Parts{
		Store: s.stores.ledger, Blob: s.stores.blob, Mailer: mail, CRM: crmsync.OneAccount(crm), Reader: rules.New(), IDs: key,
		Secrets: secret.Webhooks(cfg.Data.secrets()), Now: app.Clock, Log: cfg.Log, Timeout: workerTimeout, CallTime: callTime, KeepPolicy: keepPolicy, PublicURL: "http://" + listener.Addr().String(), Outside: outside,
	})
	s.ready(wired)
	s.Opened = &Opened{Store: s.stores.ledger, Blob: s.stores.blob, IDs: key, Policies: wired.Policies, Secrets: cfg.Data.secrets(), Settle: settle, LocalCRM: crm}
	s.URL, s.MailURL, s.CRMURL = "http://"+listener.Addr().String(), s.fakes.sesURL, s.fakes.crmURL
	token := idempotency.NewOwner()
	s.server = &http.Server{Handler: s.routes(cfg, token), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }()
	s.startWorkers(ctx, cfg)
	if s.onDisk {
		b, _ := json.Marshal(Running{URL: s.URL, Token: token, PID: os.Getpid()})
		if err := writeWhole(cfg.Data.path("running.json"), b); err != nil {
			return nil, fmt.Errorf("write running.json: %w", err)
		}
	}
	return s, nil
}

func (s *System) keep() *Data {
	if !s.onDisk {
		return nil
	}
	return &s.data
}

// ready hands the wired system to whoever waited for it.
func (s *System) ready(w *app.System) {
	s.System = w
	close(s.stores.wired)
}

// startWorkers starts the readers and the sweeper.
func (s *System) startWorkers(ctx context.Context, cfg Config) {
	ctx, s.kill = context.WithCancel(context.WithoutCancel(ctx))
	reading, stop := context.WithCancel(ctx)
	s.stopReading = stop
	for _, r := range []reader{
		{table: schema.Events, consumer: "extract", handle: s.Process.Handle},
		{table: schema.Outbox, consumer: "crmsync", handle: s.CRMSync.Handle},
		{table: schema.Outbox, consumer: "send", handle: s.Send.Handle},
	} {
		r.feed, r.timeout, r.lanes, r.log, r.busy = s.stores.feed, workerTimeout, lanes, cfg.Log, s.busy
		s.workers.Go(func() { r.run(ctx, reading) })
	}
	s.workers.Go(func() {
		for reading.Err() == nil {
			if _, err := s.Sweep.Run(reading); err != nil && reading.Err() == nil {
				cfg.Log.LogAttrs(ctx, slog.LevelWarn, "the sweeper was stopped", slog.String("error", err.Error()))
			}
			rest(reading, cfg.SweepAt)
		}
	})
	s.workers.Go(func() {
		for rest(reading, probeAt); reading.Err() == nil; rest(reading, probeAt) {
			if p, err := s.Policies.Current(reading, s.Tenant); err == nil {
				s.Send.Probe(reading, p.Sender)
			}
		}
	})
	s.workers.Go(func() { s.watch(reading) })
	if s.stores.receive != nil {
		s.workers.Go(func() { s.stores.receive(reading, s, cfg.Log) })
	}
}

// ensurePolicy puts the given policy in force where the tenant has none.
func (s *System) ensurePolicy(ctx context.Context, cfg Config) (tenant.Policy, error) {
	p, err := tenant.Parse(cfg.Policy)
	if err != nil {
		return p, fmt.Errorf("policy: %w", err)
	}
	book := &versions.Book{Store: s.stores.ledger, Now: app.Clock}
	have, err := book.Fresh(ctx, p.Tenant)
	if err == nil {
		if len(tenant.Diff(have, p)) > 0 {
			s.PolicyKept = have.Version
		}
		return have, nil
	}
	if !errors.Is(err, versions.ErrNone) {
		return p, err
	}
	return book.Apply(ctx, cfg.Policy, "local")
}

// ensureSecrets makes a webhook secret for each endpoint that has none.
func (s *System) ensureSecrets(p tenant.Policy) error {
	changed := false
	for _, ep := range p.Endpoints {
		if ep.Secret == "" {
			continue // SES receives for it, and nobody signs
		}
		_, isNew := s.Secrets.Secret(p.Tenant, ep.Secret)
		changed = changed || isNew
	}
	if !changed {
		return nil
	}
	return s.data.Save(s.Secrets)
}

// Stop ends the system in order: no new deliveries, the workers finish what
// they hold, then the stores close. What is not done goes on at the next
// start.
func (s *System) Stop(ctx context.Context) {
	_ = s.server.Shutdown(ctx)
	s.release(ctx)
}

// release goes to its end even when ctx has ended: what was opened must close.
func (s *System) release(ctx context.Context) {
	if s.kill != nil {
		s.stopReading()
		wait := stopGrace
		if s.failure() != nil {
			wait = 0 // nothing more can be finished
		}
		grace := time.AfterFunc(wait, s.kill)
		s.workers.Wait()
		grace.Stop()
		s.kill()
	}
	if s.fakes != nil {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		s.fakes.close(closing)
		cancel()
	}
	if s.stores != nil {
		s.stores.close()
	}
	if s.onDisk && s.server != nil {
		_ = os.Remove(s.data.path("running.json"))
	}
}

// SentMail is how many follow-ups the provider has taken; probes of the feed
// are none.
func (s *System) SentMail() int {
	n := 0
	for _, m := range s.fakes.ses.Sent() {
		if !isProbe(m) {
			n++
		}
	}
	return n
}
