package events_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"

	"onefold/internal/app"
	"onefold/internal/blob/dir"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/crmsync"
	"onefold/internal/feedback"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/mailer/ses"
	"onefold/internal/mailer/sestest"
	"onefold/internal/reading/reader/rules"
)

// pipeline is every use case with the ledger in memory, the real adapters of
// mail and CRM, and the fakes that those speak to.
type pipeline struct {
	system *app.System
	store  *mem.Store
	ses    *sestest.Server
	crm    *hubspottest.Server
	moved  chan struct{} // something was worked off
}

func newPipeline(t *testing.T, policy []byte) *pipeline {
	t.Helper()
	p := &pipeline{store: mem.New(), moved: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	blobs, err := dir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p.crm = hubspottest.New(hubspottest.Options{Now: time.Now})
	crmWeb := httptest.NewServer(p.crm)
	transport := &http.Transport{}
	client, err := hubspot.New(hubspot.Config{
		BaseURL: crmWeb.URL, HTTPClient: &http.Client{Transport: transport},
		Token: func(context.Context) (string, error) { return "sample", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.SetUp(ctx); err != nil {
		t.Fatal(err)
	}
	p.ses, err = sestest.NewServer(sestest.Options{
		Now: time.Now, VerifiedDomains: []string{"demo.example"}, HoldFor: 50 * time.Millisecond,
		ConfigurationSets: []sestest.ConfigurationSet{{Name: "onefold", Events: true}},
		Sink:              func(ctx context.Context, event []byte) { p.feedback(ctx, t, event) },
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(p.ses)
	mail, err := ses.New(ses.Config{
		Region: "us-east-1", Endpoint: web.URL, Now: time.Now, Credentials: credentials.NewStaticCredentialsProvider("sample", "sample", ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	p.system = app.Wire(app.Parts{
		Store: p.store, Blob: blobs, Mailer: mail, CRM: crmsync.OneAccount(client), Reader: rules.New(), IDs: testKey(t), Secrets: secrets,
		Now: time.Now, Log: slog.New(slog.DiscardHandler), Timeout: 30 * time.Second, CallTime: 5 * time.Second, KeepPolicy: time.Hour,
	})
	if _, err := p.system.Policies.Apply(ctx, policy, "test"); err != nil {
		t.Fatal(err)
	}
	for consumer, handle := range map[string]func(context.Context, ledger.Change) error{
		"extract": p.system.Process.Handle, "crmsync": p.system.CRMSync.Handle, "send": p.system.Send.Handle,
	} {
		readers.Go(func() { p.read(ctx, t, consumer, handle) })
	}
	t.Cleanup(func() {
		cancel()
		readers.Wait()
		web.CloseClientConnections()
		if err := p.ses.Close(context.Background()); err != nil {
			t.Error(err)
		}
		web.Close()
		crmWeb.Close()
		transport.CloseIdleConnections()
		_ = blobs.Close()
	})
	return p
}

// read hands the changes of a batch to the worker all at once where it is the
// events table's, so that events of one moment race; in order otherwise.
func (p *pipeline) read(ctx context.Context, t *testing.T, consumer string, handle func(context.Context, ledger.Change) error) {
	for {
		batch, err := p.store.Next(ctx, tables()[consumer], consumer, 100)
		if err != nil {
			return
		}
		var wg sync.WaitGroup
		for _, ch := range batch {
			work := func() {
				if err := handle(ctx, ch); err != nil && ctx.Err() == nil {
					t.Errorf("%s: %v", consumer, err)
				}
			}
			if consumer == "extract" {
				wg.Go(work)
				continue
			}
			work()
		}
		wg.Wait()
		p.note()
	}
}

func (p *pipeline) note() {
	select {
	case p.moved <- struct{}{}:
	default:
	}
}

// feedback brings an event again while its attempt cannot be read, as the
// queue does.
func (p *pipeline) feedback(ctx context.Context, t *testing.T, event []byte) {
	e, err := ses.ParseEvent(event)
	if err != nil {
		t.Error(err)
		return
	}
	for ctx.Err() == nil {
		err := p.system.Feedback.Handle(ctx, e)
		if !errors.Is(err, feedback.ErrNotYet) {
			if err != nil {
				t.Error(err)
			}
			break
		}
	}
	p.note()
}
