package metric_test

// What is real here: every use case, lambdaio's batches, the policy book and
// the ledger in memory. What is fake: the provider, the CRM, the faults of the
// store, the clock, and of the reader its meter. What may be asserted is what
// the log measures.

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/console"
	"onefold/internal/crm"
	"onefold/internal/crmsync"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/feedback"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/mailer"
	"onefold/internal/metric"
	"onefold/internal/optout"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/send"
	"onefold/internal/sweep"
	"onefold/internal/webhook"
)

type world struct {
	t      *testing.T
	store  *faulty
	ids    digest.Key
	now    time.Time
	secret webhook.Secret
	seen   map[emission]*sum

	ingest   *ingest.Service
	process  *extract.Service
	send     *send.Service
	crmsync  *crmsync.Service
	feedback *feedback.Service
	sweep    *sweep.Service
	console  *console.Service
	optout   *optout.Service
	reader   *meter
	post     *post
	crm      *records
}

// emission is a metric of a function.
type emission struct {
	by     schema.Function
	metric string
}

// sum is what was measured: of counts the sum, of levels the latest.
type sum struct {
	total, last float64
	unit        string
}

// capture notes the readings of one function's log.
type capture struct {
	w  *world
	by schema.Function
}

func (capture) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }
func (c capture) WithAttrs([]slog.Attr) slog.Handler         { return c }
func (c capture) WithGroup(string) slog.Handler              { return c }

func (c capture) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(c.note)
	return nil
}

func (c capture) note(a slog.Attr) bool {
	if a.Value.Kind() == slog.KindGroup {
		for _, inner := range a.Value.Group() {
			c.note(inner)
		}
	}
	if m, ok := metric.Of(a); ok {
		at := emission{c.by, m.Name()}
		if c.w.seen[at] == nil {
			c.w.seen[at] = &sum{}
		}
		c.w.seen[at].total += m.Number()
		c.w.seen[at].last, c.w.seen[at].unit = m.Number(), m.Unit()
	}
	return true
}

// faulty asks before each commit whether it is applied, and what its caller
// hears.
type faulty struct {
	*mem.Store
	commit func(ledger.Commit) (apply bool, err error)
	get    func(ledger.Key) error
}

func (f *faulty) Commit(ctx context.Context, c ledger.Commit) error {
	if f.commit == nil {
		return f.Store.Commit(ctx, c)
	}
	apply, err := f.commit(c)
	if apply {
		if err := f.Store.Commit(ctx, c); err != nil {
			return err
		}
	}
	return err
}

func (f *faulty) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if f.get != nil {
		if err := f.get(k); err != nil {
			return nil, err
		}
	}
	return f.Store.Get(ctx, k)
}

type blobs map[blob.Ref][]byte

func (b blobs) Put(_ context.Context, r blob.Ref, c []byte) error { b[r] = bytes.Clone(c); return nil }

func (b blobs) Get(_ context.Context, r blob.Ref) ([]byte, error) {
	if c, ok := b[r]; ok {
		return c, nil
	}
	return nil, blob.ErrMissing
}

// meter is the deterministic reader with a meter; fail and change are for one
// test each.
type meter struct {
	reader.Reader
	fail   error
	change func(*reader.Record)
	used   reader.Usage
}

func (m *meter) ExtractMetered(ctx context.Context, s reader.Source) (reader.Record, reader.Usage, error) {
	r, err := m.Extract(ctx, s)
	if m.change != nil {
		m.change(&r)
	}
	if m.fail != nil {
		err = m.fail
	}
	return r, m.used, err
}

// post answers with do, or accepts.
type post struct {
	n  int
	do func(mailer.Mail) mailer.Result
}

func (*post) Provider() string { return "ses" }

func (p *post) Submit(_ context.Context, m mailer.Mail) mailer.Result {
	p.n++
	if p.do != nil {
		return p.do(m)
	}
	return mailer.Result{Outcome: mailer.Accepted, MessageID: fmt.Sprintf("message-%d", p.n)}
}

type records struct {
	n    int
	do   func() crm.Result
	down bool // a look is answered as a call is
}

func (*records) Capabilities() crm.Capabilities {
	return crm.Capabilities{Name: "hubspot", Contacts: crm.ByReference, Notes: crm.ByReference, Tasks: crm.ByReference}
}

func (r *records) answer() crm.Result {
	r.n++
	if r.do != nil {
		return r.do()
	}
	return crm.Result{Outcome: crm.Done, ID: fmt.Sprint(1000 + r.n), Created: true}
}
func (r *records) UpsertContact(context.Context, crm.Contact, string) crm.Result { return r.answer() }
func (r *records) UpsertNote(context.Context, crm.Note) crm.Result               { return r.answer() }
func (r *records) UpsertTask(context.Context, crm.Task) crm.Result               { return r.answer() }
func (r *records) Look(context.Context) crm.Result {
	if r.down {
		return r.answer()
	}
	return crm.Result{Outcome: crm.Done}
}

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
	w := &world{t: t, store: &faulty{Store: mem.New()}, ids: ids, secret: secret, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), seen: map[emission]*sum{}}
	w.reader, w.post, w.crm = &meter{Reader: rules.New()}, &post{}, &records{}
	now := func() time.Time { return w.now }
	book := &versions.Book{Store: w.store, Now: now}
	_, err = book.Apply(t.Context(), policy(), "person:tester")
	w.ok(err)
	raws := blobs{}
	secrets := func(context.Context, string, string) ([]webhook.Secret, error) { return []webhook.Secret{secret}, nil }
	describe := func(context.Context, inbound.Event, []byte) (string, string, error) { return "subject", "text", nil }
	worker := func(by schema.Function) *extract.Service {
		return &extract.Service{Store: w.store, Blob: raws, Policies: book, Reader: w.reader, IDs: ids, Now: now, Timeout: time.Minute, Log: w.log(by)}
	}
	w.ingest = &ingest.Service{Store: w.store, Blob: raws, Policies: book, Secrets: secrets, IDs: ids, Now: now, Log: w.log(schema.Ingest)}
	w.process = worker(schema.Extract)
	w.send = &send.Service{Store: w.store, Policies: book, Mailer: w.post, IDs: ids, Now: now, Timeout: time.Minute, CallTime: 10 * time.Second, Log: w.log(schema.Send)}
	w.crmsync = &crmsync.Service{Store: w.store, Blob: raws, Accounts: crmsync.OneAccount(w.crm), Describe: describe, Now: now, Timeout: time.Minute, CallTime: 10 * time.Second, Log: w.log(schema.CRMSync)}
	w.feedback = &feedback.Service{Store: w.store, IDs: ids, Provider: "ses", Now: now, Log: w.log(schema.Feedback)}
	w.sweep = &sweep.Service{Store: w.store, Now: now, PerShard: 100, Log: w.log(schema.Sweep)}
	w.console = &console.Service{
		Store: w.store, Decide: worker(schema.Console).Answer, IDs: ids, Now: now, Log: w.log(schema.Console),
		Facts: func(context.Context, inbound.Event) (content.Facts, error) { return content.Facts{}, blob.ErrMissing },
	}
	w.optout = &optout.Service{Store: w.store, Policies: book, IDs: ids, Now: now, Log: w.log(schema.Optout)}
	return w
}

func (w *world) log(by schema.Function) *slog.Logger { return slog.New(capture{w, by}) }

// policy is the example with its rule in auto mode and, for prices, one in
// draft mode.
func policy() []byte {
	doc := strings.Replace(string(tenant.Example()), `"mode": "draft"`, `"mode": "auto"`, 1)
	draft := `"rules": [{"id": "quote", "version": 1, "mode": "draft", "intents": ["pricing"],
	  "template": {"version": 1, "subject": "Our prices", "text": "Hi\n{{.PostalAddress}}"}},`
	return []byte(strings.Replace(doc, `"rules": [`, draft, 1))
}

// form delivers a form.
func (w *world) form(id, email, message string) ingest.Response {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"data": map[string]string{"email": email, "name": "Ada Sample", "subject": "A walk", "message": message}})
	w.ok(err)
	return w.ingest.Handle(w.t.Context(), ingest.Request{
		Tenant: "demo", Endpoint: "form", Body: body, RequestID: "r-" + id,
		Headers: map[string]string{
			"webhook-id": id, "webhook-timestamp": fmt.Sprint(w.now.Unix()), "webhook-signature": webhook.Sign(w.secret, id, w.now, body),
		},
	})
}

func (w *world) rows(e ledger.Entity) []ledger.Item {
	w.t.Helper()
	page, err := w.store.Scan(w.t.Context(), ledger.Scan{Table: e.Table(), Segments: 1, Limit: 1000})
	w.ok(err)
	var rows []ledger.Item
	for _, it := range page.Items {
		if ledger.KeyOf(it).Entity == e {
			rows = append(rows, it)
		}
	}
	return rows
}

// one is the only row of an entity whose attribute has the value.
func (w *world) one(e ledger.Entity, attr, value string) ledger.Item {
	w.t.Helper()
	for _, it := range w.rows(e) {
		if it.Text(attr) == value {
			return it
		}
	}
	w.t.Fatalf("no %s with %s = %q", e, attr, value)
	return nil
}

// set changes a row past every rule.
func (w *world) set(it ledger.Item, attrs ledger.Item) {
	w.t.Helper()
	var c ledger.Commit
	w.ok(c.Update("set", ledger.KeyOf(it), ledger.Cond{}, attrs))
	w.ok(w.store.Store.Commit(w.t.Context(), c))
}

func change(it ledger.Item) ledger.Change { return ledger.Change{Key: ledger.KeyOf(it), Item: it} }

func (w *world) extract() {
	w.t.Helper()
	for _, it := range w.rows(ledger.Event) {
		w.ok(w.process.Handle(w.t.Context(), change(it)))
	}
}

func (w *world) sends() {
	w.t.Helper()
	for _, it := range w.rows(ledger.Operation) {
		w.ok(w.send.Handle(w.t.Context(), change(it)))
	}
}

func (w *world) syncs() {
	w.t.Helper()
	for _, it := range w.rows(ledger.Operation) {
		w.ok(w.crmsync.Handle(w.t.Context(), change(it)))
	}
}

// enquiry is a form, decided: its intent is ready.
func (w *world) enquiry(id, email string) ledger.Item {
	w.t.Helper()
	w.form(id, email, "Do you walk in May?")
	w.extract()
	return w.one(ledger.Intent, "recipient", email)
}

// answer is a person's, to the only open task.
func (w *world) answer(action, address string) {
	w.t.Helper()
	t := w.one(ledger.ReviewTask, "state", "open")
	w.ok(w.console.Answer(w.t.Context(), "demo", ledger.KeyOf(t).ID, console.Form{
		Action: action, By: "rita", Transition: t.Int("transition"), ContentHash: t.Text("content_hash"), Address: address,
	}))
}

// event is an event of the provider about an attempt.
func (w *world) event(intent ledger.Item, attempt int, kind mailer.EventType, change func(*mailer.Event)) error {
	e := mailer.Event{
		Type: kind, At: w.now, MessageID: fmt.Sprintf("late-%d", attempt), DedupeKey: fmt.Sprint(intent.Text("recipient"), kind, attempt),
		Tags: map[string]string{mailer.TagTenant: "demo", mailer.TagIntent: ledger.KeyOf(intent).ID, mailer.TagAttempt: fmt.Sprint(attempt)},
	}
	if change != nil {
		change(&e)
	}
	return w.feedback.Handle(w.t.Context(), e)
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// token is that of an intent's opt-out link.
func (w *world) token(intent string) string { return optout.Token(w.ids, "demo", intent) }
