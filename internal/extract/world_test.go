package extract_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// world is one ledger with its raw content, clock and reader. Real: the rules,
// the parser, the ledger in memory. Fake: blob (a map), reader (a script).
type world struct {
	t      *testing.T
	store  *mem.Store
	faults *faulty
	blob   *blobs
	reader *scripted
	clock  *clock
	ids    digest.Key
	book   *versions.Book
}

func newWorld(t *testing.T, mode string) *world {
	t.Helper()
	w := &world{t: t, store: mem.New(), blob: &blobs{content: map[blob.Ref][]byte{}}, reader: &scripted{}, clock: &clock{now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}}
	w.faults = &faulty{Store: w.store}
	var err error
	if w.ids, err = digest.NewKey([]byte("a key of this test, 32 bytes long")); err != nil {
		t.Fatal(err)
	}
	w.book = &versions.Book{Store: role.Store(w.store), Now: w.clock.Now, Keep: 100 * time.Hour}
	w.policy(strings.Replace(string(tenant.Example()), `"mode": "draft"`, `"mode": "`+mode+`"`, 1))
	return w
}

// policy puts a policy in force, as an operator does, and has the workers know it.
func (w *world) policy(doc string) {
	w.t.Helper()
	_, err := (&versions.Book{Store: w.store, Now: w.clock.Now}).Apply(w.t.Context(), []byte(doc), "test")
	if err == nil {
		_, err = w.book.Fresh(w.t.Context(), "demo")
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// service is one worker.
func (w *world) service(s ledger.Store, r reader.Reader) *extract.Service {
	return &extract.Service{
		Store: role.Store(s), Blob: role.Blob(w.blob), Policies: w.book, Reader: r, IDs: w.ids, Now: w.clock.Now,
		Timeout: 30 * time.Second, Log: slog.New(slog.DiscardHandler),
	}
}

// desk is the worker as a part of the console, whose role it has when it answers
// and previews.
func desk(s *extract.Service) *extract.Service {
	d := *s
	d.Store, d.Blob = consoleRole.Store(s.Store), consoleRole.Blob(s.Blob)
	return &d
}

// mail is one raw mail.
func rawMail(id, from, subject, text string) []byte {
	return []byte("From: " + from + "\r\nTo: hello@demo.example\r\nDate: Mon, 02 Mar 2026 08:00:00 +0000\r\nMessage-ID: <" + id +
		"@example.org>\r\nSubject: " + subject + "\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + text + "\r\n")
}

// record puts an event as ingest does, and returns its key.
func (w *world) record(mailbox, delivery string, raw []byte) ledger.Key {
	w.t.Helper()
	id, err := inbound.ID("mail", mailbox, delivery)
	if err != nil {
		w.t.Fatal(err)
	}
	now := utc.At(w.clock.Now())
	e := inbound.Event{
		Tenant: "demo", ID: id, Source: "mail", Content: tenant.ContentMail, Mailbox: mailbox, DeliveryID: delivery,
		Fingerprint: digest.Content(raw), Raw: string(blob.RefOf("demo", id, raw)), ReceivedAt: now,
		State: inbound.Recorded, Transition: 1, NotBefore: now, DueAt: now.Add(time.Minute), DueShard: schema.Shard(id),
	}
	if err := w.blob.Put(w.t.Context(), blob.Ref(e.Raw), raw); err != nil {
		w.t.Fatal(err)
	}
	k := ledger.Event.At("demo", id)
	var c ledger.Commit
	if err := c.Insert(ledger.Step{Key: k, Machine: inbound.Machine(), Event: "record", Audit: audit.Record{At: now, By: "ingest"}}, e, e.State); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Commit(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
	return k
}

func (w *world) item(k ledger.Key) ledger.Item {
	w.t.Helper()
	it, err := w.store.Get(w.t.Context(), k)
	if err != nil {
		w.t.Fatal(err)
	}
	return it
}

func (w *world) event(k ledger.Key) inbound.Event {
	w.t.Helper()
	var e inbound.Event
	if err := w.item(k).Decode(&e); err != nil {
		w.t.Fatal(err)
	}
	return e
}

// handle gives a change of the row to a worker, as the stream does.
func (w *world) handle(s *extract.Service, k ledger.Key) error {
	return s.Handle(w.t.Context(), ledger.Change{Key: k, Item: w.item(k)})
}

// settle plays stream and sweeper until the events are decided or with a
// person: time goes on to whatever is due next.
func (w *world) settle(s *extract.Service, keys ...ledger.Key) {
	w.t.Helper()
	for range 60 {
		open := 0
		for _, k := range keys {
			e := w.event(k)
			if e.State != inbound.Recorded {
				continue
			}
			open++
			w.clock.goTo(e.NotBefore, e.InProgressUntil)
			_ = w.handle(s, k) // the ledger's own faults: the change comes again
		}
		if open == 0 {
			return
		}
	}
	w.t.Fatal("not settled after 60 rounds")
}

// answer answers the open task of an event, as the console does.
func (w *world) answer(s *extract.Service, k ledger.Key, a decide.Answer) error {
	w.t.Helper()
	return desk(s).Answer(w.t.Context(), w.task(k), a)
}

func (w *world) task(k ledger.Key) review.Task {
	w.t.Helper()
	var t review.Task
	if err := w.item(ledger.ReviewTask.At("demo", w.event(k).Review)).Decode(&t); err != nil {
		w.t.Fatal(err)
	}
	return t
}

// all lists the items of an entity.
func (w *world) all(e ledger.Entity) []ledger.Item {
	w.t.Helper()
	var out []ledger.Item
	for cursor := ""; ; {
		p, err := w.store.Scan(context.Background(), ledger.Scan{Table: e.Table(), Segments: 1, Limit: ledger.MaxPage, Cursor: cursor})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range p.Items {
			if ledger.KeyOf(it).Entity == e {
				out = append(out, it)
			}
		}
		if cursor = p.Next; cursor == "" {
			return out
		}
	}
}

func (w *world) count(e ledger.Entity) int { return len(w.all(e)) }

// wants compares how many items there are.
func (w *world) wants(want map[ledger.Entity]int) {
	w.t.Helper()
	for e, n := range want {
		if got := w.count(e); got != n {
			w.t.Errorf("%d of %s, want %d", got, e, n)
		}
	}
}

// names is every item of the ledger by its key, with the state it is in:
// what a run came to, whatever happened on the way.
func (w *world) names() []string {
	var out []string
	for _, e := range []ledger.Entity{
		ledger.Event, ledger.Extraction, ledger.ContactKey, ledger.Contact, ledger.Enquiry, ledger.MatchDecision,
		ledger.Intent, ledger.ReviewTask, ledger.Guard, ledger.Cadence, ledger.Operation, ledger.Audit,
	} {
		for _, it := range w.all(e) {
			out = append(out, fmt.Sprintln(ledger.KeyOf(it), it.Text("state"), it.Text("outcome"), it["reasons"], it.Text("intent"), it.Text("contact")))
		}
	}
	slices.Sort(out)
	return out
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) goTo(times ...utc.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range times {
		if t.Std().After(c.now) {
			c.now = t.Std()
		}
	}
}

var errBroken = errors.New("broken")

// blobs is raw content in a map, with the contract's answers for what is gone.
type blobs struct {
	mu      sync.Mutex
	content map[blob.Ref][]byte
	fail    error // answer of the next Gets
	fails   int   // how many of them
}

func (b *blobs) Put(_ context.Context, ref blob.Ref, content []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.content[ref] = content
	return nil
}

func (b *blobs) Get(_ context.Context, ref blob.Ref) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails > 0 {
		b.fails--
		return nil, b.fail
	}
	content, ok := b.content[ref]
	if !ok {
		return nil, blob.ErrMissing
	}
	if !ref.Fits(content) {
		return nil, blob.ErrDamaged
	}
	return content, nil
}

// scripted answers with the sender of the mail; each call can be scripted.
type scripted struct {
	mu     sync.Mutex
	calls  int
	script func(call int, s reader.Source) (reader.Record, error)
}

func (*scripted) Model() string         { return "scripted" }
func (*scripted) PromptVersion() string { return "1" }

func (r *scripted) Extract(_ context.Context, s reader.Source) (reader.Record, error) {
	r.mu.Lock()
	r.calls++
	call, script := r.calls, r.script
	r.mu.Unlock()
	if script != nil {
		return script(call, s)
	}
	return plainRecord(s), nil
}

func plainRecord(s reader.Source) reader.Record {
	r := reader.Record{Intent: reader.ProductQuestion}
	if s.FromAddress != "" {
		r.SenderEmail = reader.Field{Value: s.FromAddress, Confidence: 95, Evidence: s.FromAddress, Where: reader.InFrom}
	}
	return r
}

// faulty is a ledger whose n-th call fails.
type faulty struct {
	ledger.Store
	mu      sync.Mutex
	calls   int
	at      int  // which call fails; 0: none
	applied bool // a failing commit is written all the same
	err     error
}

func (f *faulty) fails() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	return f.at == f.calls
}

func (f *faulty) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if f.fails() {
		return nil, f.err
	}
	return f.Store.Get(ctx, k)
}

func (f *faulty) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	if f.fails() {
		return nil, f.err
	}
	return f.Store.GetMany(ctx, keys)
}

func (f *faulty) Commit(ctx context.Context, c ledger.Commit) error {
	if !f.fails() {
		return f.Store.Commit(ctx, c)
	}
	if f.applied {
		_ = f.Store.Commit(ctx, c)
	}
	return f.err
}
