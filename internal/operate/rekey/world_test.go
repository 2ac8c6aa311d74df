package rekey_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/console"
	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/extract"
	"onefold/internal/ingest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/operate/contacts"
	"onefold/internal/operate/rekey"
	"onefold/internal/operate/verify"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/utc"
	"onefold/internal/webhook"
)

// world is a tenant with forms that come in, policies, a console and
// migrations. Real: ingest, process, console, policybook, the rules and the
// ledger in memory. Fake: the content store, and the clock. What is asserted is
// what the ledger holds, and what the invariant checker says of it.
type world struct {
	t      *testing.T
	store  ledger.Store
	ids    digest.Key
	now    time.Time
	keep   time.Duration
	blobs  blobs
	secret webhook.Secret
	forms  int
	policy int
	always *versions.Book
}

// settle is more than any process remembers a policy and works with it.
const settle = 2 * time.Minute

const (
	ruleOne = `"identity": { "version": 1, "keep_local_case": false, "fold_dots": false, "fold_plus": false },`
	toFold  = ruleOne + `"identity_next": { "version": 2, "fold_plus": true },`
	folded  = `"identity": { "version": 2, "fold_plus": true },`
)

type blobs map[blob.Ref][]byte

func (b blobs) Put(_ context.Context, r blob.Ref, c []byte) error { b[r] = bytes.Clone(c); return nil }

func (b blobs) Get(_ context.Context, r blob.Ref) ([]byte, error) {
	if c, ok := b[r]; ok {
		return c, nil
	}
	return nil, blob.ErrMissing
}

func newWorld(t *testing.T, rule string) *world {
	t.Helper()
	ids, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	w := &world{t: t, store: mem.New(), ids: ids, blobs: blobs{}, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	w.ok(err)
	w.secret, err = webhook.ParseSecret("whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{9}, 32)))
	w.ok(err)
	w.always = w.book()
	w.apply(rule)
	return w
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) clock() time.Time { return w.now }

// book is that of a process of its own, which knows no policy yet or, where
// nothing is remembered, one for all: reading a document costs more than all else.
func (w *world) book() *versions.Book {
	if w.keep > 0 || w.always == nil {
		return &versions.Book{Store: w.store, Now: w.clock, Keep: w.keep}
	}
	return w.always
}

// document is the example with the next version and an identity part.
func (w *world) document(rule string) []byte {
	w.policy++
	doc := strings.NewReplacer(ruleOne, rule, `"mode": "draft"`, `"mode": "observe"`, `"version": 1,
  "name"`, fmt.Sprintf(`"version": %d,
  "name"`, w.policy)).Replace(string(tenant.Example()))
	return []byte(doc)
}

func (w *world) apply(rule string) {
	w.t.Helper()
	w.ok(w.tryApply(rule))
}

func (w *world) tryApply(rule string) error {
	_, err := w.book().Apply(context.Background(), w.document(rule), "person:tester")
	return err
}

func (w *world) process(s ledger.Store, b *versions.Book) *extract.Service {
	return &extract.Service{
		Store: s, Blob: w.blobs, Policies: b, Reader: rules.New(), IDs: w.ids, Now: w.clock, Timeout: time.Minute,
		Log: slog.New(slog.DiscardHandler),
	}
}

// record takes a form in and returns its event.
func (w *world) record(email, message string) ledger.Item {
	w.t.Helper()
	w.forms++
	body, err := json.Marshal(map[string]any{"data": map[string]string{"email": email, "name": "Ada Sample", "subject": "A walk", "message": message}})
	w.ok(err)
	id := fmt.Sprint("form-", w.forms)
	s := &ingest.Service{
		Store: w.store, Blob: w.blobs, Policies: w.book(), IDs: w.ids, Now: w.clock, Log: slog.New(slog.DiscardHandler),
		Secrets: func(context.Context, string, string) ([]webhook.Secret, error) {
			return []webhook.Secret{w.secret}, nil
		},
	}
	answer := s.Handle(context.Background(), ingest.Request{
		Tenant: "demo", Endpoint: "form", Body: body, RequestID: id,
		Headers: map[string]string{
			"webhook-id": id, "webhook-timestamp": fmt.Sprint(w.now.Unix()), "webhook-signature": webhook.Sign(w.secret, id, w.now, body),
		},
	})
	if answer.Status != 200 && answer.Status != 202 {
		w.t.Fatalf("ingest answers %d", answer.Status)
	}
	for _, it := range w.rows(ledger.Event) {
		if it.Text("delivery_id") == id {
			return it
		}
	}
	w.t.Fatal("the event is not recorded")
	return nil
}

// form takes a form in and decides on it.
func (w *world) form(email string) ledger.Item {
	w.t.Helper()
	return w.decide(w.record(email, fmt.Sprintf("How much is walk number %d?", w.forms)), w.process(w.store, w.book()))
}

func (w *world) decide(event ledger.Item, s *extract.Service) ledger.Item {
	w.t.Helper()
	k := ledger.KeyOf(event)
	for range 10 {
		w.ok(s.Handle(context.Background(), ledger.Change{Key: k, Item: w.get(k)}))
		if it := w.get(k); it.Text("state") != inbound.Recorded {
			return it
		}
		w.now = w.now.Add(10 * time.Minute)
	}
	w.t.Fatal("the event is not decided")
	return nil
}

func (w *world) get(k ledger.Key) ledger.Item {
	w.t.Helper()
	it, err := w.store.Get(context.Background(), k)
	w.ok(err)
	return it
}

func (w *world) rows(e ledger.Entity) (list []ledger.Item) {
	w.t.Helper()
	for cursor := ""; ; {
		page, err := w.store.Scan(context.Background(), ledger.Scan{Table: e.Table(), Segments: 1, Limit: ledger.MaxPage, Cursor: cursor})
		w.ok(err)
		for _, it := range page.Items {
			if ledger.KeyOf(it).Entity == e {
				list = append(list, it)
			}
		}
		if cursor = page.Next; cursor == "" {
			return list
		}
	}
}

// keys is every contact key with whom it names: the survivor of merges, and a
// star where it is shared.
func (w *world) keys() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for _, it := range w.rows(ledger.ContactKey) {
		who := w.survivor(it.Text("contact"))
		if shared, _ := it["shared"].(bool); shared {
			who += "*"
		}
		out[it.Text("id")] = who
	}
	return out
}

func (w *world) survivor(id string) string {
	w.t.Helper()
	for {
		it := w.get(contactKey(id))
		if it.Text("status") != contact.Merged {
			return id
		}
		id = it.Text("merged_into")
	}
}

// holder is the contact that a key names.
func (w *world) holder(key string) string {
	w.t.Helper()
	return w.get(ledger.ContactKey.At("demo", key)).Text("contact")
}

func contactKey(id string) ledger.Key {
	return ledger.Contact.At("demo", id)
}

func (w *world) service(s ledger.Store) *rekey.Service {
	return &rekey.Service{
		Store: s, Policies: &versions.Book{Store: s, Now: w.clock}, IDs: w.ids, Now: w.clock, By: "person:tester", Settle: settle,
	}
}

// migrate runs the migration when it has settled.
func (w *world) migrate() rekey.Report {
	w.t.Helper()
	w.now = w.now.Add(settle)
	rep, err := w.service(w.store).Run(context.Background(), "demo")
	w.ok(err)
	return rep
}

func (w *world) tasks(kind string) (open []review.Task) {
	w.t.Helper()
	for _, it := range w.rows(ledger.ReviewTask) {
		var t review.Task
		w.ok(it.Decode(&t))
		if t.State == review.Open && t.Kind == kind {
			open = append(open, t)
		}
	}
	slices.SortFunc(open, func(a, b review.Task) int { return strings.Compare(a.ID, b.ID) })
	return open
}

func (w *world) console() *console.Service {
	return &console.Service{
		Store: w.store, IDs: w.ids, Now: w.clock, Log: slog.New(slog.DiscardHandler),
		Decide: w.process(w.store, w.book()).Answer,
		Facts:  func(context.Context, inbound.Event) (content.Facts, error) { return content.Facts{}, nil },
	}
}

func (w *world) answer(t review.Task, action string) error {
	return w.console().Answer(context.Background(), "demo", t.ID, console.Form{Action: action, By: "tester", Transition: t.Transition})
}

func (w *world) merge(loser, survivor string) {
	w.t.Helper()
	s := contacts.Service{Store: w.store, Policies: w.book(), IDs: w.ids, Now: w.clock}
	_, err := s.Do(context.Background(), contacts.Act{Tenant: "demo", Kind: contacts.Merge, Contact: loser, Into: survivor}, "person:tester", "")
	w.ok(err)
}

// alias gives a contact a key in every form that the policy asks for.
func (w *world) alias(id, email string) {
	w.t.Helper()
	p, err := w.book().Fresh(context.Background(), "demo")
	w.ok(err)
	who, it := decide.Identify(w.ids, p, email), w.get(contactKey(id))
	var have contact.Contact
	w.ok(it.Decode(&have))
	var c ledger.Commit
	for _, key := range []string{who.KeyID, who.NextKeyID} {
		if key == "" || w.get(ledger.ContactKey.At("demo", key)) != nil {
			continue
		}
		have.Keys = append(have.Keys, key)
		w.ok(c.Create("key", ledger.ContactKey.At("demo", key), contact.Key{Tenant: "demo", ID: key, Contact: id, CreatedAt: utc.At(w.now)}))
	}
	_, err = c.Move(ledger.Step{Key: contactKey(id), Transition: have.Transition, Event: "alias", Set: ledger.Item{"keys": have.Keys}, Audit: audit.Record{At: utc.At(w.now), By: "test"}})
	w.ok(err)
	w.ok(w.store.Commit(context.Background(), c))
}

// sound checks every invariant.
func (w *world) sound(when string) {
	w.t.Helper()
	rep, err := verify.Check(context.Background(), w.store, verify.Options{IDs: &w.ids, Blob: w.blobs})
	w.ok(err)
	for _, f := range rep.Findings {
		w.t.Errorf("%s: %s: %s %v", when, f.Check, f.What, f.Keys)
	}
}
