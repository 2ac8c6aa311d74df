package feedback_test

// Real: feedback, evidence and the ledger in memory. Fake: the provider's
// events, the clock, and the faults of the store.

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/feedback"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/mailer"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// world is one intent whose first attempt is under way.
type world struct {
	t     *testing.T
	store *faulty
	feed  *feedback.Service
	logs  *bytes.Buffer
	now   time.Time
	guard ledger.Key
}

// faulty fails the commit that its hook picks.
type faulty struct {
	*mem.Store
	n    int
	hook func(n int) (apply bool, err error)
}

func (f *faulty) Commit(ctx context.Context, c ledger.Commit) error {
	f.n++
	apply, fault := true, error(nil)
	if f.hook != nil {
		apply, fault = f.hook(f.n)
	}
	if apply {
		if err := f.Store.Commit(ctx, c); err != nil {
			return err
		}
	}
	return fault
}

var (
	intentKey  = ledger.Intent.At("demo", "i1")
	attemptKey = ledger.AttemptKey("demo", "i1", 1)
	feedKey    = ledger.FeedProbe.At(ledger.NoTenant, "feed")
	errLost    = errors.New("the answer was lost")
)

func newWorld(t *testing.T) *world {
	t.Helper()
	ids, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: &faulty{Store: mem.New()}, logs: &bytes.Buffer{}, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	w.feed = &feedback.Service{
		Store: role.Store(w.store), IDs: ids, Provider: "fake", Now: func() time.Time { return w.now }, Log: slog.New(slog.NewTextHandler(w.logs, nil)),
	}
	now := utc.At(w.now)
	w.guard = ledger.Guard.At("demo", "g1")
	i := followup.Intent{
		Tenant: "demo", ID: "i1", Rule: "welcome", Scope: "follow_up", Contact: "c1", Event: "e1", Guard: "g1", State: followup.Ready, Transition: 1,
		Recipient: "kim@example.com", CreatedAt: now, ContactRef: schema.Ref("demo", "c1"),
	}
	a := followup.Attempt{Tenant: "demo", Intent: "i1", Number: 1, Owner: "o", State: followup.AttemptBegun, Transition: 1, ClaimedAt: now, LeaseUntil: now.Add(time.Minute)}
	who := contact.Contact{Tenant: "demo", ID: "c1", Status: contact.Active, ConsentVersion: 1, CreatedAt: now, Transition: 1}
	r := audit.Record{At: now, By: "test"}
	var c ledger.Commit
	w.must(c.Insert(ledger.Step{Key: intentKey, Machine: followup.IntentMachine(), Event: "create", Audit: r}, i, i.State))
	w.must(c.Create("contact", ledger.Contact.At("demo", "c1"), who))
	w.must(decide.InsertOperation(&c, outbox.Operation{Tenant: "demo", ID: "op1", Kind: outbox.SendIntent, Intent: "i1"}, now, r))
	w.must(w.store.Store.Commit(t.Context(), c))
	var claim ledger.Commit
	_, err = claim.Move(ledger.Step{Key: intentKey, Machine: followup.IntentMachine(), From: followup.Ready, Transition: 1, Event: followup.Claim,
		Set: ledger.Item{"owner": "o", "attempt": 1, "lease_until": a.LeaseUntil, "timer": "op1"}, Audit: r})
	w.must(err)
	w.must(claim.Insert(ledger.Step{Name: "attempt", Key: attemptKey, Machine: followup.AttemptMachine(), Event: "begin", Audit: r}, a, a.State))
	w.must(w.store.Store.Commit(t.Context(), claim))
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) get(k ledger.Key) ledger.Item {
	w.t.Helper()
	it, err := w.store.Store.Get(context.Background(), k)
	w.must(err)
	return it
}

func (w *world) handle(e mailer.Event) error { return w.feed.Handle(context.Background(), e) }

// event is one of the provider's about the attempt.
func (w *world) event(kind mailer.EventType, dedupe string) mailer.Event {
	return mailer.Event{Type: kind, MessageID: "m1", At: w.now, DedupeKey: dedupe, Tags: map[string]string{
		mailer.TagTenant: "demo", mailer.TagIntent: "i1", mailer.TagAttempt: strconv.Itoa(1),
	}}
}

func (w *world) bounce() mailer.Event {
	e := w.event(mailer.EventBounced, "bounce")
	e.BounceType, e.Permanent = "Permanent", true
	return e
}

// cancellations counts the operations that end what is queued.
func (w *world) cancellations() (n int) {
	page, err := w.store.Scan(context.Background(), ledger.Scan{Table: schema.Outbox, Segments: 1, Limit: 100})
	w.must(err)
	for _, it := range page.Items {
		if it.Text("kind") == outbox.CancelIntents && it.Text("contact") == "c1" && it.Text("guard") == "g1" {
			n++
		}
	}
	return n
}

// audited counts the records of an item and checks that none is missing.
func (w *world) audited(k ledger.Key) {
	w.t.Helper()
	n := w.get(k).Int("transition")
	for i := int64(1); i <= n; i++ {
		if w.get(ledger.AuditKey(k, i)) == nil {
			w.t.Errorf("no record of transition %d of %s", i, k.Entity)
		}
	}
}
