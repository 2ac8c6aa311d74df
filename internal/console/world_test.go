package console_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/console"
	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// world is the console's pages over a memory ledger, mounted as the local
// system mounts them. Faked: the rules behind decide, and what reads mail.
type world struct {
	testing.TB
	*mem.Store
	service *console.Service
	server  *httptest.Server
	facts   map[string]content.Facts // by raw reference

	mu      sync.Mutex
	decided []decide.Answer
	decide  func(review.Task, decide.Answer) error
	commit  func(ledger.Commit) error // instead of the store's, if set
}

func newWorld(t testing.TB) *world {
	t.Helper()
	ids, err := digest.NewKey([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, Store: mem.New(), facts: map[string]content.Facts{}}
	w.service = &console.Service{
		Store: role.Store(w), IDs: ids, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
		Decide: func(_ context.Context, t review.Task, a decide.Answer) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.decided = append(w.decided, a)
			if w.decide != nil {
				return w.decide(t, a)
			}
			return nil
		},
		Facts: func(_ context.Context, e inbound.Event) (content.Facts, error) {
			if f, ok := w.facts[e.Raw]; ok {
				return f, nil
			}
			return content.Facts{}, blob.ErrMissing
		},
	}
	mux := http.NewServeMux()
	mux.Handle("/review/", http.StripPrefix("/review", w.service.Pages("acme")))
	w.server = httptest.NewServer(mux)
	t.Cleanup(w.server.Close)
	return w
}

func (w *world) Commit(ctx context.Context, c ledger.Commit) error {
	if w.commit != nil {
		return w.commit(c)
	}
	return w.Store.Commit(ctx, c)
}

func (w *world) born(k ledger.Key, s ledger.Step, noun any, state string) {
	w.Helper()
	s.Key, s.Audit = k, audit.Record{At: utc.At(now), By: "test"}
	var c ledger.Commit
	if err := c.Insert(s, noun, state); err != nil {
		w.Fatal(err)
	}
	if err := w.Store.Commit(context.Background(), c); err != nil {
		w.Fatal(err)
	}
}

func (w *world) set(k ledger.Key, set ledger.Item) {
	w.Helper()
	var c ledger.Commit
	err := c.Update("row", k, ledger.Cond{}, set)
	if err == nil {
		err = w.Store.Commit(context.Background(), c)
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) row(k ledger.Key) ledger.Item {
	w.Helper()
	it, err := w.Get(context.Background(), k)
	if err != nil {
		w.Fatal(err)
	}
	return it
}

func key(e ledger.Entity, id string) ledger.Key {
	return e.At("acme", id)
}

// message is what the sender of the event e1 wrote.
func message() content.Facts {
	return content.Facts{Kind: rawmail.Human, Source: reader.Source{
		Kind: "mail", FromName: "Ada Example", FromAddress: "ada@example.com", ReplyTo: "office@example.com",
		Subject: "Prices for two crates", Visible: "Good morning,\n\nwhat do two crates cost?", Signature: "Ada Example\nEngines Ltd",
		Quoted: "On Monday you wrote", Attachments: []string{"plan.pdf"},
	}, Warnings: []string{"two_from_headers"}}
}

// event makes event e1, its extraction and contact c1.
func (w *world) event() {
	w.Helper()
	w.facts["raw1"] = message()
	w.born(key(ledger.Event, "e1"), ledger.Step{Event: "record"}, inbound.Event{
		Tenant: "acme", ID: "e1", Source: "mail", Mailbox: "sales@example.org", Raw: "raw1", ReceivedAt: utc.At(now), State: inbound.InReview, Transition: 1,
	}, "")
	w.extraction("rules", now, "Ada Example")
	w.born(key(ledger.Contact, "c1"), ledger.Step{Event: "create"}, contact.Contact{
		Tenant: "acme", ID: "c1", Status: contact.Active, Email: "ada@example.com", Name: "Ada E.", Company: "Engines Ltd",
		ConsentVersion: 1, Revision: 1, CreatedAt: utc.At(now), Transition: 1,
	}, "")
}

func (w *world) extraction(model string, at time.Time, name string) {
	w.Helper()
	x := reader.Stored{Tenant: "acme", Event: "e1", Model: model, PromptVersion: "7", At: utc.At(at), Reasons: []string{}, Record: reader.Record{
		SenderEmail: reader.Field{Value: "ada@example.com", Confidence: 95, Evidence: "ada@example.com", Where: reader.InFrom},
		ContactName: reader.Field{Value: name, Confidence: 80, Evidence: "signed by " + name, Where: reader.InSignature},
		Intent:      reader.Pricing, PossibleOptOut: true, NeedsHumanReview: true, ReviewReasons: []string{"two_people_named"},
	}}
	var c ledger.Commit
	k := key(ledger.Extraction, "e1")
	k.Sub = model + "@7"
	err := c.Create("extraction", k, x)
	if err == nil {
		err = w.Store.Commit(context.Background(), c)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// intent makes intent i1 in a state, and the task t1 that asks about it.
func (w *world) intent(kind, state string) followup.Intent {
	w.Helper()
	w.event()
	i := followup.Intent{
		Tenant: "acme", ID: "i1", Rule: "answer", RuleVersion: 3, Scope: "follow_up", Contact: "c1", Event: "e1", Guard: "g1",
		State: state, Transition: 1, Review: "t1", From: "sales@example.org", Recipient: "ada@example.com",
		Subject: "Re: Prices for two crates", Text: "Dear Ada,\n\ntwo crates cost 40 euros.", ConsentVersion: 1, CreatedAt: utc.At(now),
		SendWithin: (48 * time.Hour).Milliseconds(), NotAfter: utc.At(now),
	}
	i.ContentHash = i.HashContent()
	w.born(key(ledger.Intent, "i1"), ledger.Step{Event: "create"}, i, "")
	w.task(review.Task{ID: "t1", Kind: kind, Event: "e1", Intent: "i1", Contact: "c1", Reasons: []string{"new_prospect"}, ContentHash: i.ContentHash})
	return i
}

func (w *world) task(t review.Task) {
	w.Helper()
	t.Tenant, t.State, t.Transition, t.OpenFor, t.OpenedAt = "acme", review.Open, 1, "acme", utc.At(now)
	w.born(key(ledger.ReviewTask, t.ID), ledger.Step{Machine: review.Machine(), Event: "open"}, t, review.Open)
}

// page is one answer of the server; redirects are not followed.
type page struct {
	status   int
	body     string
	location string
	header   http.Header
}

func (w *world) do(method, path string, form url.Values, header ...string) page {
	w.Helper()
	body := strings.NewReader(form.Encode())
	req, err := http.NewRequestWithContext(context.Background(), method, w.server.URL+"/review/"+path, body)
	if err != nil {
		w.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for n := 0; n+1 < len(header); n += 2 {
		req.Header.Set(header[n], header[n+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var b strings.Builder
	if _, err := io.Copy(&b, resp.Body); err != nil {
		w.Fatal(err)
	}
	p := page{status: resp.StatusCode, body: b.String(), header: resp.Header}
	if to, err := resp.Location(); err == nil {
		p.location = to.RequestURI()
	}
	return p
}

// form is what the page of task t1 sends, with one action.
func form(action, hash string) url.Values {
	return url.Values{"action": {action}, "by": {"Grace"}, "transition": {"1"}, "content_hash": {hash}}
}

// everything is the whole ledger, to see that nothing has changed.
func (w *world) everything() string {
	w.Helper()
	var b strings.Builder
	for _, t := range schema.Specs() {
		p, err := w.Scan(context.Background(), ledger.Scan{Table: t.Name, Segments: 1, Limit: 1000})
		if err != nil {
			w.Fatal(err)
		}
		for _, it := range p.Items {
			if _, err := fmt.Fprintln(&b, it); err != nil {
				w.Fatal(err)
			}
		}
	}
	return b.String()
}

func (w *world) sends() []outbox.Operation {
	w.Helper()
	p, err := w.Scan(context.Background(), ledger.Scan{Table: schema.Outbox, Segments: 1, Limit: 1000})
	if err != nil {
		w.Fatal(err)
	}
	var ops []outbox.Operation
	for _, it := range p.Items {
		var op outbox.Operation
		if err := it.Decode(&op); err != nil {
			w.Fatal(err)
		}
		ops = append(ops, op)
	}
	return ops
}
