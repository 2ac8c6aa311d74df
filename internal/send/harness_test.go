package send_test

// What is real here: send, feedback, evidence, sweep, the policy book, the
// state machines and the ledger in memory. What is fake: the provider
// (postbox_test.go), the faults of the store (fault_test.go) and the clock,
// which is that of a synctest bubble: time passes only when a test lets it.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/feedback"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/mailer"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/send"
	"onefold/internal/sweep"
	"onefold/internal/utc"
)

const (
	timeout  = 30 * time.Second
	callTime = 10 * time.Second
	lease    = 90 * time.Second // the timeout and 60 s for skew, by DESIGN section 4
	within   = 6 * time.Hour    // unknown_within of the example policy
)

// world is one tenant with one ready intent and its timer.
type world struct {
	t      *testing.T
	store  *faulty
	post   *postbox
	logs   *bytes.Buffer
	ids    digest.Key
	send   *send.Service
	feed   *feedback.Service
	sweep  *sweep.Service
	intent followup.Intent
	op     ledger.Key

	probes     int
	feedSilent bool // no event proves that the feed is alive
	lossy      bool // a change is handed out once, whatever becomes of it
}

// newWorld makes a world. change may alter the intent before it is stored.
func newWorld(t *testing.T, change func(*followup.Intent)) *world {
	t.Helper()
	ids, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: &faulty{Store: mem.New(), claimed: map[string]int{}}, logs: &bytes.Buffer{}, ids: ids}
	w.post = &postbox{w: w, verdict: func(int) verdict { return taken }}
	log := slog.New(slog.NewTextHandler(w.logs, nil))
	book := &versions.Book{Store: role.Store(w.store), Now: time.Now}
	w.send = &send.Service{Store: role.Store(w.store), Policies: book, Mailer: role.Mailer(w.post), IDs: ids, Now: time.Now, Timeout: timeout, CallTime: callTime, Log: log}
	w.feed = &feedback.Service{Store: w.store, IDs: ids, Provider: "fake", Now: time.Now, Log: log}
	w.sweep = &sweep.Service{Store: w.store, Now: time.Now, PerShard: 100, Log: log}
	w.seed(change)
	w.store.commits, w.store.reads = 0, 0
	return w
}

// policy puts the example policy in force with another mode.
func (w *world) policy(version int, mode string) {
	w.t.Helper()
	text, err := document(version, mode)
	w.must(err)
	_, err = (&versions.Book{Store: w.store, Now: time.Now}).Apply(context.Background(), []byte(text), "test")
	w.must(err)
}

// firstPolicy is made once, since thousands of worlds begin with it.
var firstPolicy = sync.OnceValues(func() (string, error) { return document(1, tenant.ModeAuto) })

func document(version int, mode string) (string, error) {
	var doc map[string]any
	if err := json.Unmarshal(tenant.Example(), &doc); err != nil {
		return "", err
	}
	rule := doc["rules"].([]any)[0].(map[string]any)
	doc["version"], rule["mode"] = version, mode
	// Small, since each claim reads it: thousands of schedules are run.
	doc["shared_addresses"], doc["endpoints"] = []any{}, doc["endpoints"].([]any)[:1]
	rule["template"] = map[string]any{"version": 1, "subject": "Hello", "text": "Hello from {{.Business}}, {{.PostalAddress}}\n"}
	text, err := json.Marshal(doc)
	return string(text), err
}

// intentOf is a ready intent of the contact, decided and approved now.
func (w *world) intentOf(id string) followup.Intent {
	now := utc.At(time.Now())
	i := followup.Intent{
		Tenant: "demo", ID: id, Cause: "cause-" + id, Rule: "welcome", RuleVersion: 1, Mode: tenant.ModeAuto, Scope: "follow_up", Contact: "c1", Event: "e1",
		Guard: "g1", State: followup.Ready, Transition: 1, From: "hello@demo.example", Recipient: "kim@example.com", Subject: "Re: huts", Text: "Hello",
		ApprovedBy: "policy", ApprovedAt: now, ConsentVersion: 1, NotAfter: now.Add(72 * time.Hour), QuietPeriod: (24 * time.Hour).Milliseconds(),
		OnUnknown: tenant.UnknownReview, UnknownWithin: within.Milliseconds(), CreatedAt: now, ContactRef: schema.Ref("demo", "c1"),
	}
	i.ContentHash = i.HashContent()
	i.ApprovedHash = i.ContentHash
	return i
}

func (w *world) seed(change func(*followup.Intent)) {
	w.t.Helper()
	w.intent = w.intentOf("i1")
	if change != nil {
		change(&w.intent)
	}
	now := utc.At(time.Now())
	var c ledger.Commit
	who := contact.Contact{Tenant: "demo", ID: "c1", Status: contact.Active, ConsentVersion: 1, Revision: 1, FromEvent: "e1", CreatedAt: now, Transition: 1}
	w.must(c.Insert(ledger.Step{Key: contactKey, Event: "create", Audit: record()}, who, ""))
	w.must(c.Create("cadence", cadenceKey, followup.Cadence{Tenant: "demo", Contact: "c1", Rule: "welcome", Intent: "i1"}))
	text, err := firstPolicy()
	w.must(err)
	current := ledger.PolicyCurrent.At("demo", "policy")
	w.must(c.Insert(ledger.Step{Key: current, Event: "apply", Audit: record()}, ledger.Item{"policy_version": 1, "document": text, "transition": 1}, ""))
	w.born(&c, w.intent)
	w.commit(c)
	w.op = w.timer(w.intent)
}

func (w *world) born(c *ledger.Commit, i followup.Intent) {
	w.must(c.Insert(ledger.Step{Key: w.key(i.ID), Machine: followup.IntentMachine(), Event: "create", Audit: record()}, i, i.State))
	if i.State == followup.Proposed {
		task := review.Task{Tenant: "demo", ID: i.Review, Kind: review.ApproveIntent, State: review.Open, Transition: 1, Intent: i.ID, Contact: i.Contact, OpenFor: "demo", OpenedAt: i.CreatedAt}
		w.must(c.Insert(ledger.Step{Key: taskKey(i.Review), Machine: review.Machine(), Event: "open", Audit: record()}, task, review.Open))
	}
}

// timer puts the operation of an intent that became ready.
func (w *world) timer(i followup.Intent) ledger.Key {
	var c ledger.Commit
	op := decide.SendOperation(w.ids, i)
	w.must(decide.InsertOperation(&c, op, utc.At(time.Now()), record()))
	w.commit(c)
	return ledger.Operation.At("demo", op.ID)
}

var (
	contactKey = ledger.Contact.At("demo", "c1")
	cadenceKey = ledger.Cadence.Under("demo", "c1", "welcome")
	guardKey   = ledger.Guard.At("demo", "g1")
)

func taskKey(id string) ledger.Key {
	return ledger.ReviewTask.At("demo", id)
}

func record() audit.Record { return audit.Record{At: utc.At(time.Now()), By: "test"} }

func (w *world) key(id string) ledger.Key {
	return ledger.Intent.At("demo", id)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// commit writes past the faults.
func (w *world) commit(c ledger.Commit) {
	w.t.Helper()
	w.must(w.store.apply(context.Background(), c))
}

func (w *world) get(k ledger.Key) ledger.Item {
	w.t.Helper()
	it, err := w.store.Store.Get(context.Background(), k)
	w.must(err)
	return it
}

func (w *world) state() string { return w.get(w.key("i1")).Text("state") }

func (w *world) attempt(n int64) ledger.Item { return w.get(ledger.AttemptKey("demo", "i1", n)) }

// set changes attributes of an item that exists, or makes it.
func (w *world) set(k ledger.Key, set ledger.Item) {
	w.t.Helper()
	var c ledger.Commit
	if w.get(k) == nil {
		w.must(c.Create("row", k, set))
	} else {
		w.must(c.Update("row", k, ledger.Cond{}, set))
	}
	w.commit(c)
}

// stop is what an opt-out commits: guard, consent and cancellation at once.
func (w *world) stop(ctx context.Context) {
	for range 10 {
		var c ledger.Commit
		now := utc.At(time.Now())
		seen, err := w.store.Get(ctx, guardKey)
		w.must(err)
		who, err := w.store.Get(ctx, contactKey)
		w.must(err)
		w.must(decide.ChangeGuard(&c, decide.GuardChange{Tenant: "demo", ID: "g1", Seen: seen, Event: "stop", Set: ledger.Item{guard.StopAttr(guard.ScopeAll): now, "reason": guard.ReasonOptOut}, Audit: record()}))
		_, err = c.Move(ledger.Step{Key: contactKey, Transition: who.Int("transition"), Event: "withdraw_consent", Set: ledger.Item{"consent_version": who.Int("consent_version") + 1}, Audit: record()})
		w.must(err)
		op := outbox.Operation{Tenant: "demo", ID: fmt.Sprint("cancel", seen.Int("transition")), Kind: outbox.CancelIntents, Guard: "g1", Contact: "c1"}
		w.must(decide.InsertOperation(&c, op, now, record()))
		if w.store.apply(ctx, c) == nil {
			return
		}
	}
	w.t.Error("the opt-out could not be committed")
}

// handle gives send one change, as a process that may die.
func (w *world) handle(ctx context.Context, ch ledger.Change) (died bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(death); !ours {
				panic(r)
			}
			died = true
		}
	}()
	return false, w.send.Handle(ctx, ch)
}

func (w *world) change(k ledger.Key) ledger.Change { return ledger.Change{Key: k, Item: w.get(k)} }

// run hands the timer's present image to send once, with a function's life.
func (w *world) run() error {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	_, err := w.handle(ctx, w.change(w.op))
	return err
}

// happen gives feedback an event until it is taken, as a queue does.
func (w *world) happen(e mailer.Event) {
	w.t.Helper()
	for range 5 {
		died, err := w.once(e)
		if err == nil && !died {
			return
		}
	}
	w.t.Errorf("event %s was not taken in five deliveries", e.Type)
}

func (w *world) once(e mailer.Event) (died bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(death); !ours {
				panic(r)
			}
			died = true
		}
	}()
	return false, w.feed.Handle(context.Background(), e)
}

// prove brings an event of now that is no mail of ours through the feed.
func (w *world) prove() {
	w.probes++
	w.happen(mailer.Event{Type: mailer.EventDelivered, MessageID: "probe", At: time.Now(), DedupeKey: fmt.Sprint("probe", w.probes)})
}

// untilQuiet redelivers, sweeps and lets time pass until no operation is open.
func (w *world) untilQuiet() {
	w.t.Helper()
	for range 300 {
		w.pump()
		w.post.deliver()
		if !w.feedSilent {
			w.prove()
		}
		next, open := w.nextDue()
		if !open {
			w.pump()
			return
		}
		if d := next.Sub(utc.At(time.Now())); d > 0 {
			time.Sleep(d + time.Millisecond)
		}
		w.sweepOnce()
	}
	w.t.Fatalf("not quiet: intent %v, operation %v", w.get(w.key("i1")), w.get(w.op))
}

func (w *world) sweepOnce() {
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(death); !ours {
				panic(r)
			}
		}
	}()
	_, _ = w.sweep.Run(context.Background()) // a fault is made good by the next run
}

// pump works off the changes of the outbox.
func (w *world) pump() {
	for n := 0; n < 200; n++ {
		ch, ok := w.store.next()
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		died, err := w.handle(ctx, ch)
		cancel()
		if (err != nil || died) && !w.lossy {
			w.store.again(ch)
		}
	}
}

// nextDue is when the sweeper next has something to do.
func (w *world) nextDue() (next utc.Time, open bool) {
	for _, it := range w.scan(schema.Outbox) {
		if it.Text("state") != outbox.Open {
			continue
		}
		at, err := utc.Parse(it.Text(schema.DueAt))
		if err != nil || at.IsZero() {
			w.t.Fatalf("operation %s is open and has no due time", it.Text("id"))
		}
		if !open || at.Before(next) {
			next, open = at, true
		}
	}
	return next, open
}

func (w *world) scan(t schema.Table) []ledger.Item {
	page, err := w.store.Store.Scan(context.Background(), ledger.Scan{Table: t, Segments: 1, Limit: 1000})
	if err != nil || page.Next != "" {
		w.t.Fatal("scan", err)
	}
	return page.Items
}
