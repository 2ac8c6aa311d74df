package whatif_test

// What is real here: process, send, the rules, the parser, the policy book and
// the ledger in memory. What is fake: raw content (a map), the reader (it reads
// the lines that a text is made of), the provider of mail (it takes all) and the
// clock.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
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
	"onefold/internal/mailer"
	"onefold/internal/operate/whatif"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/send"
	"onefold/internal/utc"
)

type world struct {
	t       *testing.T
	store   *mem.Store
	blob    blobs
	ids     digest.Key
	now     time.Time
	book    *versions.Book
	process *extract.Service
	send    *send.Service
	sent    []mailer.Mail
	number  int
	came    []string // events
	long    bool     // so many that a scan of the ledger in memory is slow
}

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// document is the policy of these tests: what asks for a price is answered at
// once, other enquiries after a person's look, and the rest by no rule.
func document() string {
	welcome := `"id": "welcome",
      "version": 1,
      "mode": "draft",
      "intents": [],`
	example := regexp.MustCompile(`"min_confidence": \d+`).ReplaceAllString(string(tenant.Example()), `"min_confidence": 50`)
	return strings.NewReplacer(welcome, `"id": "pricing", "version": 1, "mode": "auto", "intents": ["pricing"], "scope": "offers", "fold_window": "2h", "on_unknown": "review",
      "template": {"version": 1, "subject": "Prices", "text": "Hello{{if .Name}} {{.Name}}{{end}}, our prices. {{.PostalAddress}}\n"}
    },
    {
      "id": "welcome",
      "version": 1,
      "mode": "draft",
      "intents": ["product_question", "meeting", "support"],`, `"phone": "fill_if_empty"`, `"phone": "always"`).Replace(example)
}

func newWorld(t *testing.T, doc string) *world {
	t.Helper()
	w := &world{t: t, store: mem.New(), blob: blobs{content: map[blob.Ref][]byte{}}, now: start}
	var err error
	if w.ids, err = digest.NewKey([]byte("a key of this test, 32 bytes long")); err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return w.now }
	w.book = &versions.Book{Store: w.store, Now: clock, Keep: time.Hour}
	log := slog.New(slog.DiscardHandler)
	w.process = &extract.Service{
		Store: w.store, Blob: &w.blob, Policies: w.book, Reader: scripted{}, IDs: w.ids, Now: clock, Timeout: 30 * time.Second, Log: log,
	}
	w.send = &send.Service{
		Store: w.store, Policies: w.book, Mailer: w, IDs: w.ids, Now: clock, Timeout: 30 * time.Second, CallTime: 10 * time.Second, Log: log,
	}
	w.apply(doc)
	return w
}

func (w *world) apply(doc string) {
	w.t.Helper()
	_, err := w.book.Apply(w.t.Context(), []byte(doc), "test")
	w.must(err)
}

// Submit takes every mail.
func (w *world) Submit(_ context.Context, m mailer.Mail) mailer.Result {
	w.sent = append(w.sent, m)
	return mailer.Result{Outcome: mailer.Accepted, MessageID: "sent-" + strconv.Itoa(len(w.sent)), RequestID: "r"}
}

func (*world) Provider() string { return "ses" }

// arrival is one event to come.
type arrival struct {
	mailbox  string
	form     bool
	raw      string
	verdicts inbound.Verdicts
}

// comes records an event and has it decided, and returns its ID.
func (w *world) comes(a arrival) string {
	w.t.Helper()
	id := w.records(a)
	k := eventKey(id)
	w.must(w.process.Handle(w.t.Context(), ledger.Change{Key: k, Item: w.item(k)}))
	return id
}

// records an event that nobody has decided yet.
func (w *world) records(a arrival) string {
	w.t.Helper()
	w.number++
	source, content := "mail", tenant.ContentMail
	if a.form {
		source, content = "form", tenant.ContentForm
	}
	if a.mailbox == "" {
		a.mailbox = "inbox"
	}
	id, err := inbound.ID(source, a.mailbox, "d"+strconv.Itoa(w.number))
	w.must(err)
	now, raw := utc.At(w.now), []byte(a.raw)
	e := inbound.Event{
		Tenant: "demo", ID: id, Source: source, Content: content, Mailbox: a.mailbox, DeliveryID: "d" + strconv.Itoa(w.number),
		Fingerprint: digest.Content(raw), Raw: string(blob.RefOf("demo", id, raw)), ReceivedAt: now, Verdicts: a.verdicts,
		State: inbound.Recorded, Transition: 1, NotBefore: now, DueAt: now.Add(time.Minute), DueShard: schema.Shard(id),
	}
	w.must(w.blob.Put(w.t.Context(), blob.Ref(e.Raw), raw))
	k := eventKey(id)
	var c ledger.Commit
	w.must(c.Insert(ledger.Step{Key: k, Machine: inbound.Machine(), Event: "record", Audit: audit.Record{At: now, By: "ingest"}}, e, e.State))
	w.must(w.store.Commit(w.t.Context(), c))
	w.came = append(w.came, id)
	return id
}

func eventKey(id string) ledger.Key {
	return ledger.Event.At("demo", id)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) item(k ledger.Key) ledger.Item {
	w.t.Helper()
	it, err := w.store.Get(w.t.Context(), k)
	w.must(err)
	return it
}

func (w *world) event(id string) (e inbound.Event) {
	w.t.Helper()
	w.must(w.item(eventKey(id)).Decode(&e))
	return e
}

// answers has a person answer the task of an event that is in review.
func (w *world) answers(id string, a decide.Answer) {
	w.t.Helper()
	e := w.event(id)
	if e.State != inbound.InReview {
		return
	}
	var task review.Task
	w.must(w.item(ledger.ReviewTask.At("demo", e.Review)).Decode(&task))
	a.By = "person:grace"
	if err := w.process.Answer(w.t.Context(), task, a); err != nil && !errors.Is(err, extract.ErrStillOpen) {
		w.t.Fatal(err)
	}
}

// works has operations worked off: mails go out, what is stopped is cancelled.
func (w *world) works(ops ...string) {
	w.t.Helper()
	for _, op := range ops {
		k := ledger.Operation.At("demo", op)
		w.must(w.send.Handle(w.t.Context(), ledger.Change{Key: k, Item: w.item(k)}))
	}
}

// written is every item of the ledger, and how much raw content there is.
func (w *world) written() []string {
	w.t.Helper()
	out := []string{fmt.Sprint(len(w.blob.content), " contents")}
	for _, table := range []schema.Table{schema.Events, schema.Ledger, schema.Outbox, schema.Audit} {
		for cursor := ""; ; {
			p, err := w.store.Scan(w.t.Context(), ledger.Scan{Table: table, Segments: 1, Limit: ledger.MaxPage, Cursor: cursor})
			w.must(err)
			for _, it := range p.Items {
				out = append(out, digest.Content(fmt.Append(nil, it)))
			}
			if cursor = p.Next; cursor == "" {
				break
			}
		}
	}
	return out
}

// listed is the ledger in memory with a scan that goes by a list of what came:
// its own goes through all it has for each page.
type listed struct {
	*mem.Store
	events []string
}

func (l listed) Scan(ctx context.Context, s ledger.Scan) (ledger.Page, error) {
	from, _ := strconv.Atoi(s.Cursor)
	to := min(from+ledger.MaxKeys, len(l.events))
	var keys []ledger.Key
	for n := from; n < to; n++ {
		if n%s.Segments == s.Segment {
			keys = append(keys, eventKey(l.events[n]))
		}
	}
	items, err := l.GetMany(ctx, keys)
	p := ledger.Page{Items: items}
	if to < len(l.events) {
		p.Next = strconv.Itoa(to)
	}
	return p, err
}

func (w *world) replayer() *whatif.Replayer {
	r := &whatif.Replayer{Store: w.store, Content: &w.blob, Policies: w.book, IDs: w.ids, Facts: extract.FactsOf}
	if w.long {
		r.Store = listed{w.store, w.came}
	}
	return r
}

// replays decides all that came again under a document, and checks that the
// counts add up.
func (w *world) replays(doc string) whatif.Report {
	w.t.Helper()
	p, err := tenant.Parse([]byte(doc))
	w.must(err)
	r, err := w.replayer().Run(w.t.Context(), whatif.Options{Policy: p, From: utc.At(start), Until: utc.At(w.now), Segments: 3, Workers: 2})
	w.must(err)
	sum, groups := 0, 0
	for _, n := range r.Reasons {
		sum += n
	}
	for _, g := range r.Groups {
		groups += g.Count
	}
	if r.Seen != r.Undecided+r.Same+r.Changed+r.Untold+r.Faults || sum != r.Untold || groups != r.Changed || len(r.Changes) != r.Changed || !r.Complete {
		w.t.Errorf("the counts do not add up: %+v", r)
	}
	return r
}

type blobs struct {
	mu      sync.Mutex
	content map[blob.Ref][]byte
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
	content, ok := b.content[ref]
	if !ok {
		return nil, blob.ErrMissing
	}
	if !ref.Fits(content) {
		return nil, blob.ErrDamaged
	}
	return content, nil
}

func (b *blobs) lose(ref string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.content, blob.Ref(ref))
}

// scripted answers what the lines of a text say: "Name: …", "Company: …",
// "Phone: …", "Intent: …", "Class: …", "Sure: 40", "Maybe: leave", "Ask: …".
type scripted struct{}

func (scripted) Model() string         { return "scripted" }
func (scripted) PromptVersion() string { return "1" }

func (scripted) Extract(_ context.Context, s reader.Source) (reader.Record, error) {
	r := reader.Record{Intent: reader.ProductQuestion}
	said := map[string]string{}
	for line := range strings.Lines(s.Visible) {
		if word, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			said[word] = value
		}
	}
	sure := int64(95)
	if n, err := strconv.ParseInt(said["Sure"], 10, 64); err == nil {
		sure = n
	}
	if s.FromAddress != "" {
		r.SenderEmail = reader.Field{Value: s.FromAddress, Confidence: sure, Evidence: s.FromAddress, Where: reader.InFrom}
		if s.Kind == tenant.ContentForm {
			r.SenderEmail.Where = reader.InForm
		}
	}
	field := func(word string) reader.Field {
		if said[word] == "" {
			return reader.Field{}
		}
		return reader.Field{Value: said[word], Confidence: 90, Evidence: said[word], Where: reader.InVisible}
	}
	r.ContactName, r.Company, r.Phone = field("Name"), field("Company"), field("Phone")
	if said["Intent"] != "" {
		r.Intent = reader.Intent(said["Intent"])
	}
	r.Class = reader.Class(said["Class"])
	r.PossibleOptOut = said["Maybe"] != ""
	if said["Ask"] != "" {
		r.NeedsHumanReview, r.ReviewReasons = true, []string{said["Ask"]}
	}
	return r, nil
}

// mail is one raw mail; headers are further lines of its head.
func mail(id, from, subject, text string, headers ...string) string {
	head := append([]string{
		"From: " + from, "To: hello@demo.example", "Date: Mon, 02 Mar 2026 08:00:00 +0000", "Message-ID: <" + id + "@example.org>",
		"Subject: " + subject, "Content-Type: text/plain; charset=utf-8",
	}, headers...)
	return strings.Join(head, "\r\n") + "\r\n\r\n" + strings.ReplaceAll(text, "\n", "\r\n") + "\r\n"
}

// bounce is a report (RFC 3464) that mail to these addresses failed.
func bounce(id string, addresses ...string) string {
	var b strings.Builder
	b.WriteString("Return-Path: <>\r\nFrom: MAILER-DAEMON@example.org\r\nTo: hello@demo.example\r\nSubject: Undelivered Mail\r\nDate: Mon, 02 Mar 2026 08:00:00 +0000\r\n" +
		"Message-ID: <" + id + "@example.org>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\n\r\nSee below.\r\n" +
		"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; example.org\r\n")
	for _, a := range addresses {
		fmt.Fprintf(&b, "\r\nFinal-Recipient: rfc822; %s\r\nAction: failed\r\nStatus: 5.1.1\r\n", a)
	}
	b.WriteString("--b--\r\n")
	return b.String()
}

// returned is such a report that gives back the head of a mail of ours.
func returned(id string, ours mailer.Mail) string {
	head := "--b\r\nContent-Type: text/rfc822-headers\r\n\r\n"
	for _, h := range ours.Headers {
		head += h.Name + ": " + h.Value + "\r\n"
	}
	return strings.TrimSuffix(bounce(id, ours.To), "--b--\r\n") + head + "--b--\r\n"
}

func form(email, name, message string) string {
	return fmt.Sprintf(`{"data":{"email":%q,"name":%q,"subject":"From the page","message":%q}}`, email, name, message)
}
