package lambdaio_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"onefold/internal/blob"
	"onefold/internal/crm"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/reading/reader"
)

// cloudVault is the ledger as the functions see it.
type cloudVault struct {
	ledger.Store
	c *cloud
}

// reach is what every call of a function begins with.
func (v cloudVault) reach(ctx context.Context) (*cloudCall, error) {
	l := cloudAlive(ctx)
	if l != nil && v.c.latency > 0 {
		cloudSpend(ctx, v.c.latency)
	}
	if away := v.c.away.Load(); l != nil && away != nil && time.Now().Before(*away) {
		cloudSpend(ctx, 3*time.Second) // the SDK's own tries
		return l, ledger.ErrUnavailable
	}
	return l, nil
}

func (v cloudVault) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	l, err := v.reach(ctx)
	if err != nil {
		return nil, err
	}
	if l != nil && v.c.get != nil {
		if err := v.c.get(l.f, k); err != nil {
			return nil, err
		}
	}
	return v.Store.Get(ctx, k)
}

func (v cloudVault) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	if _, err := v.reach(ctx); err != nil {
		return nil, err
	}
	return v.Store.GetMany(ctx, keys)
}

func (v cloudVault) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	if _, err := v.reach(ctx); err != nil {
		return ledger.Page{}, err
	}
	return v.Store.Query(ctx, q)
}

func (v cloudVault) Commit(ctx context.Context, co ledger.Commit) error {
	if _, err := v.reach(ctx); err != nil {
		return err
	}
	err := v.Store.Commit(ctx, co)
	if v.c.latency > 0 {
		cloudSpend(ctx, v.c.latency) // the process may die with the commit written
	}
	return err
}

// cloudBlobs is the raw content.
type cloudBlobs struct {
	mu   sync.Mutex
	kept map[blob.Ref][]byte
}

func (b *cloudBlobs) Put(_ context.Context, r blob.Ref, content []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept[r] = bytes.Clone(content)
	return nil
}

func (b *cloudBlobs) Get(_ context.Context, r blob.Ref) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if content, ok := b.kept[r]; ok {
		return content, nil
	}
	return nil, blob.ErrMissing
}

// cloudText is the rules, after what a test has happen.
type cloudText struct {
	reader.Reader
	c *cloud
}

func (r cloudText) Extract(ctx context.Context, s reader.Source) (reader.Record, error) {
	cloudAlive(ctx)
	if r.c.read != nil {
		r.c.read(ctx, s)
	}
	cloudAlive(ctx)
	return r.Reader.Extract(ctx, s)
}

// effect counts what reached the outside.
func (c *cloud) effect(of map[string]int, what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	of[what]++
	return of[what]
}

// cloudPost is the provider: it accepts.
type cloudPost struct{ c *cloud }

func (cloudPost) Provider() string { return "ses" }

func (p cloudPost) Submit(ctx context.Context, m mailer.Mail) mailer.Result {
	cloudSpend(ctx, p.c.callTakes)
	id := fmt.Sprintf("message-%s-%d", m.To, p.c.effect(p.c.sent, m.To))
	e := mailer.Event{Type: mailer.EventDelivered, MessageID: id, At: time.Now(), DedupeKey: id, Tags: map[string]string{}}
	for _, tag := range m.Tags {
		e.Tags[tag.Name] = tag.Value
	}
	p.c.mu.Lock()
	p.c.reports = append(p.c.reports, e)
	p.c.mu.Unlock()
	cloudSpend(ctx, p.c.latency) // the answer may find nobody
	return mailer.Result{Outcome: mailer.Accepted, MessageID: id}
}

// cloudCRM is a CRM whose records have the reference that they were sent with.
type cloudCRM struct{ c *cloud }

func (cloudCRM) Capabilities() crm.Capabilities {
	return crm.Capabilities{Name: "hubspot", Contacts: crm.ByReference, Notes: crm.ByReference, Tasks: crm.ByReference}
}

func (k cloudCRM) done(ctx context.Context, ref string) crm.Result {
	cloudSpend(ctx, k.c.callTakes)
	return crm.Result{Outcome: crm.Done, ID: "crm-" + ref, Created: k.c.effect(k.c.filed, ref) == 1}
}

func (k cloudCRM) UpsertContact(ctx context.Context, c crm.Contact, _ string) crm.Result {
	return k.done(ctx, c.Ref)
}
func (k cloudCRM) UpsertNote(ctx context.Context, n crm.Note) crm.Result { return k.done(ctx, n.Ref) }
func (k cloudCRM) UpsertTask(ctx context.Context, t crm.Task) crm.Result { return k.done(ctx, t.Ref) }
func (k cloudCRM) Look(context.Context) crm.Result                       { return crm.Result{Outcome: crm.Done} }
