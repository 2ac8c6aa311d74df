package verify_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/crm"
	"onefold/internal/crmsync"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/feedback"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/mailer"
	"onefold/internal/operate/verify"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/send"
	"onefold/internal/webhook"
)

// world runs the real use cases on a ledger in memory. Fake are the provider
// and the CRM, by hand, and the clock; the reader is the deterministic one.
// What may be asserted is what the ledger holds.
type world struct {
	t      *testing.T
	store  *mem.Store
	ids    digest.Key
	now    time.Time
	blobs  blobs
	secret webhook.Secret

	ingest   *ingest.Service
	process  *extract.Service
	send     *send.Service
	crmsync  *crmsync.Service
	feedback *feedback.Service
	post     *post
}

type blobs map[blob.Ref][]byte

func (b blobs) Put(_ context.Context, r blob.Ref, c []byte) error { b[r] = bytes.Clone(c); return nil }

func (b blobs) Get(_ context.Context, r blob.Ref) ([]byte, error) {
	if c, ok := b[r]; ok {
		return c, nil
	}
	return nil, blob.ErrMissing
}

// post gives each recipient the outcomes put down for it, one a call, and then
// accepts.
type post struct {
	outcomes map[string][]mailer.Outcome
	sent     []mailer.Mail
}

func (*post) Provider() string { return "ses" }

func (p *post) Submit(_ context.Context, m mailer.Mail) mailer.Result {
	p.sent = append(p.sent, m)
	if list := p.outcomes[m.To]; len(list) > 0 {
		p.outcomes[m.To] = list[1:]
		return mailer.Result{Outcome: list[0], Reason: "told_so"}
	}
	return mailer.Result{Outcome: mailer.Accepted, MessageID: fmt.Sprintf("message-%d", len(p.sent))}
}

type records struct{ n int }

func (*records) Capabilities() crm.Capabilities {
	return crm.Capabilities{Name: "hubspot", Contacts: crm.ByReference, Notes: crm.ByReference, Tasks: crm.ByReference}
}

func (r *records) done() crm.Result {
	r.n++
	return crm.Result{Outcome: crm.Done, ID: fmt.Sprint(1000 + r.n), Created: true}
}
func (r *records) UpsertContact(context.Context, crm.Contact, string) crm.Result { return r.done() }
func (r *records) UpsertNote(context.Context, crm.Note) crm.Result               { return r.done() }
func (r *records) UpsertTask(context.Context, crm.Task) crm.Result               { return r.done() }
func (r *records) Look(context.Context) crm.Result                               { return crm.Result{Outcome: crm.Done} }

func newWorld(t *testing.T) *world {
	t.Helper()
	ids, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := webhook.ParseSecret("whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{9}, 32)))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: mem.New(), ids: ids, blobs: blobs{}, secret: secret, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	w.post = &post{outcomes: map[string][]mailer.Outcome{}}
	now := func() time.Time { return w.now }
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	book := &versions.Book{Store: w.store, Now: now}
	if _, err := book.Apply(t.Context(), policy(), "person:tester"); err != nil {
		t.Fatal(err)
	}
	secrets := func(context.Context, string, string) ([]webhook.Secret, error) { return []webhook.Secret{secret}, nil }
	w.ingest = &ingest.Service{Store: w.store, Blob: w.blobs, Policies: book, Secrets: secrets, IDs: ids, Now: now, Log: log}
	w.process = &extract.Service{Store: w.store, Blob: w.blobs, Policies: book, Reader: rules.New(), IDs: ids, Now: now, Timeout: time.Minute, Log: log}
	w.send = &send.Service{Store: w.store, Policies: book, Mailer: w.post, IDs: ids, Now: now, Timeout: time.Minute, CallTime: 10 * time.Second, Log: log}
	describe := func(context.Context, inbound.Event, []byte) (string, string, error) { return "subject", "text", nil }
	w.crmsync = &crmsync.Service{Store: w.store, Blob: w.blobs, Accounts: crmsync.OneAccount(&records{}), Describe: describe, Now: now, Timeout: time.Minute, CallTime: 10 * time.Second, Log: log}
	w.feedback = &feedback.Service{Store: w.store, IDs: ids, Provider: "ses", Now: now, Log: log}
	return w
}

// policy is the example with a rule in auto mode and, for prices, one in draft
// mode; SES receives for one mailbox.
func policy() []byte {
	doc := strings.Replace(string(tenant.Example()), `"mode": "draft"`, `"mode": "auto"`, 1)
	doc = strings.Replace(doc, `"endpoints": [`, `"endpoints": [{"name": "inbox", "content": "mail", "scheme": "ses", "mailboxes": ["sales@demo.example"]},`, 1)
	draft := `"rules": [{"id": "quote", "version": 1, "mode": "draft", "intents": ["pricing"],
	  "template": {"version": 1, "subject": "Our prices", "text": "Hi\n{{.PostalAddress}}"}},`
	return []byte(strings.Replace(doc, `"rules": [`, draft, 1))
}

// form delivers a form and returns the answer.
func (w *world) form(id, email, message string) ingest.Response {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"data": map[string]string{"email": email, "name": "Ada Sample", "subject": "A walk", "message": message}})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.ingest.Handle(w.t.Context(), ingest.Request{
		Tenant: "demo", Endpoint: "form", Body: body, RequestID: "r-" + id,
		Headers: map[string]string{
			"webhook-id": id, "webhook-timestamp": fmt.Sprint(w.now.Unix()), "webhook-signature": webhook.Sign(w.secret, id, w.now, body),
		},
	})
}

// run gives every event and operation to its workers, a few times over, and
// moves the clock on between the rounds.
func (w *world) run(rounds int, pause time.Duration) {
	w.t.Helper()
	for range rounds {
		for _, it := range w.rows(schema.Events) {
			w.ok(w.process.Handle(w.t.Context(), ledger.Change{Key: ledger.KeyOf(it), Item: it}))
		}
		for _, it := range w.rows(schema.Outbox) {
			w.ok(w.send.Handle(w.t.Context(), ledger.Change{Key: ledger.KeyOf(it), Item: it}))
			w.ok(w.crmsync.Handle(w.t.Context(), ledger.Change{Key: ledger.KeyOf(it), Item: it}))
		}
		w.now = w.now.Add(pause)
	}
}

func (w *world) rows(t schema.Table) []ledger.Item {
	w.t.Helper()
	page, err := w.store.Scan(w.t.Context(), ledger.Scan{Table: t, Segments: 1, Limit: 1000})
	w.ok(err)
	return page.Items
}

// one is the row of an entity whose attribute has the value.
func (w *world) one(e ledger.Entity, attr, value string) ledger.Item {
	w.t.Helper()
	for _, it := range w.rows(e.Table()) {
		if ledger.KeyOf(it).Entity == e && it.Text(attr) == value {
			return it
		}
	}
	w.t.Fatalf("no %s with %s = %q", e, attr, value)
	return nil
}

// set changes a row past every rule of the house.
func (w *world) set(k ledger.Key, attrs ledger.Item) {
	w.t.Helper()
	var c ledger.Commit
	w.ok(c.Update("break", k, ledger.Cond{}, attrs))
	w.ok(w.store.Commit(w.t.Context(), c))
}

// put adds a row past every rule of the house.
func (w *world) put(k ledger.Key, attrs ledger.Item) {
	w.t.Helper()
	var c ledger.Commit
	w.ok(c.Create("break", k, attrs))
	w.ok(w.store.Commit(w.t.Context(), c))
}

func (w *world) check(o verify.Options) verify.Report {
	w.t.Helper()
	o.IDs, o.Blob = &w.ids, w.blobs
	rep, err := verify.Check(w.t.Context(), w.store, o)
	w.ok(err)
	return rep
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}
