package extract_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}

func auditRecord() audit.Record {
	return audit.Record{At: utc.At(time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)), By: "test"}
}

// dying is the ledger of a worker that dies: after some calls none succeeds.
type dying struct {
	ledger.Store
	mu   sync.Mutex
	left int
}

func (d *dying) dead() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left--
	return d.left < 0
}

func (d *dying) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if d.dead() {
		return nil, ledger.ErrUnavailable
	}
	return d.Store.Get(ctx, k)
}

func (d *dying) GetMany(ctx context.Context, k []ledger.Key) ([]ledger.Item, error) {
	if d.dead() {
		return nil, ledger.ErrUnavailable
	}
	return d.Store.GetMany(ctx, k)
}

func (d *dying) Commit(ctx context.Context, c ledger.Commit) error {
	if d.dead() {
		return ledger.ErrUnavailable
	}
	return d.Store.Commit(ctx, c)
}

// before runs something just before the first deciding commit.
type before struct {
	ledger.Store
	do   sync.Once
	once func()
}

func (b *before) Commit(ctx context.Context, c ledger.Commit) error {
	if decides(c) {
		b.do.Do(b.once)
	}
	return b.Store.Commit(ctx, c)
}

func decides(c ledger.Commit) bool {
	for _, w := range c.Writes {
		if w.Key.Entity == ledger.Event && w.Set.Text("state") != "" {
			return true
		}
	}
	return false
}

// meeting holds the first deciding commits until as many workers have read
// their ground: the worst schedule there is.
type meeting struct {
	ledger.Store
	mu      sync.Mutex
	missing int
	all     chan struct{}
	when    func(ledger.Commit) bool // which commits meet
}

func meet(s ledger.Store, n int) *meeting {
	return &meeting{Store: s, missing: n, all: make(chan struct{}), when: decides}
}

func (m *meeting) Commit(ctx context.Context, c ledger.Commit) error {
	if m.when(c) {
		m.mu.Lock()
		if m.missing--; m.missing == 0 {
			close(m.all)
		}
		m.mu.Unlock()
		select {
		case <-m.all:
		case <-ctx.Done():
		}
	}
	return m.Store.Commit(ctx, c)
}

// together handles each event with a worker of its own, all at once, and then
// lets time do the rest.
func (w *world) together(store ledger.Store, keys ...ledger.Key) {
	w.t.Helper()
	changes := make([]ledger.Change, len(keys))
	for i, k := range keys {
		changes[i] = ledger.Change{Key: k, Item: w.item(k)}
	}
	var wg sync.WaitGroup
	for i := range changes {
		s := w.service(store, w.reader)
		wg.Go(func() {
			if err := s.Handle(w.t.Context(), changes[i]); err != nil {
				w.t.Error(err)
			}
		})
	}
	wg.Wait()
	w.settle(w.service(w.store, w.reader), keys...)
}

// stores are the schedules that a race is played on: all meet before the first
// commit, or they run as they come.
func stores(w *world, n int) map[string]func() ledger.Store {
	return map[string]func() ledger.Store{
		"meeting": func() ledger.Store { return meet(w.store, n) }, "free": func() ledger.Store { return w.store },
	}
}

// TestMailsOfOneIdentityAtOnceMakeOneContact: E-43 and E-44 of the mission,
// and more of them. Spellings differ as people's do.
func TestMailsOfOneIdentityAtOnceMakeOneContact(t *testing.T) {
	t.Parallel()
	for _, schedule := range []string{"meeting", "free"} {
		for n := 2; n <= 8; n++ {
			for range 8 {
				w := newWorld(t, tenant.ModeAuto)
				keys := make([]ledger.Key, n)
				for i := range keys {
					id := "E-" + string(rune('a'+i))
					from := []string{"ada@example.org", "Ada@Example.ORG", "ADA@example.org"}[i%3]
					keys[i] = w.record("hello@demo.example", id, rawMail(id, from, "Huts", body))
				}
				w.together(stores(w, n)[schedule](), keys...)
				// One follow-up: the others fall into its window.
				w.wants(map[ledger.Entity]int{
					ledger.Contact: 1, ledger.ContactKey: 1, ledger.Enquiry: n, ledger.MatchDecision: n, ledger.Intent: 1, ledger.Cadence: 1,
				})
				outcomes := map[string]int{}
				for _, k := range keys {
					outcomes[w.event(k).Outcome]++
				}
				if outcomes[inbound.FollowUp] != 1 || outcomes[inbound.Folded] != n-1 {
					t.Fatalf("outcomes %v", outcomes)
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

func TestTheSameMailInTwoMailboxesAtOnceIsOneCause(t *testing.T) {
	t.Parallel()
	for _, schedule := range []string{"meeting", "free"} {
		for range 40 {
			w := newWorld(t, tenant.ModeAuto)
			raw := rawMail("m1", ada, "Huts", body)
			a := w.record("hello@demo.example", "m1", raw)
			b := w.record("sales@demo.example", "m1", raw)
			w.together(stores(w, 2)[schedule](), a, b)
			// crm_contact, crm_note, crm_task and send_intent, each once.
			w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.Enquiry: 1, ledger.Intent: 1, ledger.Operation: 4, ledger.MatchDecision: 2})
			if t.Failed() {
				return
			}
		}
	}
}

// TestTheSameMailReadTwoWaysIsStillOneCause: a model takes From once and
// Reply-To once, whether a rule answers or none.
func TestTheSameMailReadTwoWaysIsStillOneCause(t *testing.T) {
	t.Parallel()
	for intents, wanted := range map[reader.Intent]int{reader.ProductQuestion: 1, reader.OptOut: 0} {
		for _, schedule := range []string{"meeting", "free", "one by one"} {
			w := newWorld(t, tenant.ModeAuto)
			w.reader.script = func(call int, s reader.Source) (reader.Record, error) {
				r := plainRecord(s)
				r.Intent = intents
				if call%2 == 0 {
					r.SenderEmail = reader.Field{Value: s.ReplyTo, Confidence: 95, Evidence: s.ReplyTo, Where: reader.InReplyTo}
				}
				return r, nil
			}
			raw := rawMail("m1", "ada@example.org\r\nReply-To: ada@elsewhere.example", "Huts", body)
			a := w.record("hello@demo.example", "m1", raw)
			b := w.record("sales@demo.example", "m1", raw)
			s := w.service(w.store, w.reader)
			if schedule == "one by one" {
				w.settle(s, a, b)
			} else {
				w.together(stores(w, 2)[schedule](), a, b)
			}
			for _, k := range []ledger.Key{a, b} {
				if w.event(k).State == inbound.InReview { // a wish to opt out, as the reader has it
					if err := w.answer(s, k, yes); err != nil {
						t.Fatal(err)
					}
				}
			}
			w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.Enquiry: 1, ledger.Intent: wanted})
			if schedule == "one by one" && w.reader.calls != 1 {
				t.Errorf("%d calls for one mail", w.reader.calls)
			}
		}
	}
}

// TestAnErasedAnswerIsNoAnswerForItsCause: the pointer leads to nothing, and
// the reader is asked again.
func TestAnErasedAnswerIsNoAnswerForItsCause(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	raw := rawMail("m1", ada, "Huts", body)
	a := w.record("hello@demo.example", "m1", raw)
	w.settle(w.service(w.store, w.reader), a)
	b := w.record("sales@demo.example", "m1", raw)
	w.settle(w.service(&hiding{Store: w.store, id: a.ID}, w.reader), b)
	if e := w.event(b); e.Outcome != inbound.Folded || w.reader.calls != 2 {
		t.Errorf("%s %s after %d calls", e.State, e.Outcome, w.reader.calls)
	}
}

// hiding is a ledger in which one event's answer has been erased.
type hiding struct {
	ledger.Store
	id string
}

func (h *hiding) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if k.Entity == ledger.Extraction && k.ID == h.id {
		return nil, nil
	}
	return h.Store.Get(ctx, k)
}

// TestTheSameMailAfterAMergeIsStillOneCause: its enquiry hangs on the contact
// that was merged away, and no intent tells, since no rule answers.
func TestTheSameMailAfterAMergeIsStillOneCause(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	doc := strings.Replace(strings.Replace(string(tenant.Example()), `"version": 1`, `"version": 2`, 1), `"intents": []`, `"intents": ["pricing"]`, 1)
	w.policy(doc)
	raw := rawMail("m1", ada, "Huts", body)
	a := w.record("hello@demo.example", "m1", raw)
	survivor := w.record("hello@demo.example", "m2", rawMail("m2", "bob@example.org", "Huts", body))
	s := w.service(w.store, w.reader)
	w.settle(s, a, survivor)
	var c ledger.Commit
	loser := ledger.Contact.At("demo", w.event(a).Contact)
	if err := c.Update("merge", loser, ledger.Cond{}, ledger.Item{"status": contact.Merged, "merged_into": w.event(survivor).Contact}); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	b := w.record("sales@demo.example", "m1", raw)
	w.settle(s, b)
	if e := w.event(b); e.Outcome != inbound.Folded || e.Contact != w.event(survivor).Contact {
		t.Errorf("%s %v of contact %s", e.Outcome, e.Reasons, e.Contact)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 2, ledger.Enquiry: 2, ledger.Intent: 0})
}

func TestTheSameMailOfASharedInboxApprovedTwiceIsOneCause(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	raw := rawMail("m1", "info@example.org", "Huts", body)
	a, b := w.record("hello@demo.example", "m1", raw), w.record("sales@demo.example", "m1", raw)
	s := w.service(w.store, w.reader)
	w.settle(s, a, b)
	for _, k := range []ledger.Key{a, b} {
		if err := w.answer(s, k, yes); err != nil {
			t.Fatal(err)
		}
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.ContactKey: 0, ledger.Enquiry: 1, ledger.Intent: 1})
}

func TestTwoWorkersOnOneEventDecideItOnce(t *testing.T) {
	t.Parallel()
	for n := 2; n <= 8; n++ {
		for range 12 {
			w := newWorld(t, tenant.ModeAuto)
			k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
			keys := make([]ledger.Key, n)
			for i := range keys {
				keys[i] = k
			}
			// All have read the row before the first of them claims it.
			m := meet(w.store, n)
			m.when = func(c ledger.Commit) bool { return c.Writes[0].Set.Text("status") == "in_progress" }
			w.together(m, keys...)
			w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.Enquiry: 1, ledger.Intent: 1, ledger.MatchDecision: 1, ledger.Operation: 4})
			if e := w.event(k); e.Transition != 2 || w.reader.calls != 1 {
				t.Fatalf("%d transitions, %d calls of the reader", e.Transition, w.reader.calls)
			}
		}
	}
}

// TestAnOptOutAndAFirstEnquiryAtOnceLeaveNothingToClaim: in either order and
// on every schedule.
func TestAnOptOutAndAFirstEnquiryAtOnceLeaveNothingToClaim(t *testing.T) {
	t.Parallel()
	type schedule func(w *world, ask, stop ledger.Key)
	inside := func(w *world, first, second ledger.Key) {
		s := &before{Store: w.store, once: func() { w.settle(w.service(w.store, w.reader), second) }}
		w.settle(w.service(s, w.reader), first)
	}
	for name, run := range map[string]schedule{
		"enquiry first":  func(w *world, ask, stop ledger.Key) { w.settle(w.service(w.store, w.reader), ask, stop) },
		"opt-out first":  func(w *world, ask, stop ledger.Key) { w.settle(w.service(w.store, w.reader), stop, ask) },
		"opt-out inside": func(w *world, ask, stop ledger.Key) { inside(w, ask, stop) },
		"enquiry inside": func(w *world, ask, stop ledger.Key) { inside(w, stop, ask) },
		"meeting":        func(w *world, ask, stop ledger.Key) { w.together(meet(w.store, 2), ask, stop) },
		"free":           func(w *world, ask, stop ledger.Key) { w.together(w.store, ask, stop) },
	} {
		for _, mode := range []string{tenant.ModeAuto, tenant.ModeDraft} {
			for range 10 {
				w := newWorld(t, mode)
				ask := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
				stop := w.record("hello@demo.example", "m2", rawMail("m2", ada, "Stop", "unsubscribe"))
				run(w, ask, stop)
				if got := w.event(stop).Outcome; got != inbound.OptedOut {
					t.Fatalf("%s: the opt-out is %s", name, got)
				}
				w.checkNothingToClaim(name)
				if name == "opt-out first" || name == "opt-out inside" {
					if n := w.count(ledger.Intent); n != 0 {
						t.Errorf("%s: %d intents decided for somebody who had opted out", name, n)
					}
				}
				w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.Enquiry: 1})
				if t.Failed() {
					return
				}
			}
		}
	}
}

// checkNothingToClaim asks what a claim asks of each intent, one by one: the
// guard must block, and the consent under which it was decided must be stale.
func (w *world) checkNothingToClaim(name string) {
	w.t.Helper()
	for _, it := range w.all(ledger.Intent) {
		var i followup.Intent
		if err := it.Decode(&i); err != nil {
			w.t.Fatal(err)
		}
		g := w.item(ledger.Guard.At("demo", i.Guard))
		c := w.item(ledger.Contact.At("demo", i.Contact))
		if guard.Blocks(g, i.Scope) == "" {
			w.t.Errorf("%s: the guard lets the intent through", name)
		}
		if c.Int("consent_version") == i.ConsentVersion {
			w.t.Errorf("%s: the consent under which the intent was decided stands", name)
		}
	}
	cancels := 0
	for _, it := range w.all(ledger.Operation) {
		if it.Text("kind") == outbox.CancelIntents {
			cancels++
		}
	}
	if cancels != 1 {
		w.t.Errorf("%s: %d operations to cancel what is queued", name, cancels)
	}
}

// TestStoreFaultsChangeNothing: at each call of the ledger, in each flavour,
// the event is decided in the end, once, and to the same result.
func TestStoreFaultsChangeNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, text string
		answer     bool
	}{
		"enquiry": {ada, body, false}, "opt-out": {ada, "unsubscribe", false}, "review": {"info@example.org", body, false},
		"answer": {"info@example.org", body, true},
	} {
		run := func(at int, applied bool, fault error) (*world, int) {
			w := newWorld(t, tenant.ModeAuto)
			k := w.record("hello@demo.example", "m1", rawMail("m1", c.from, "Huts", c.text))
			s := w.service(w.faults, w.reader)
			if c.answer {
				w.settle(w.service(w.store, w.reader), k)
			}
			w.faults.at, w.faults.applied, w.faults.err = at, applied, fault
			if !c.answer {
				w.settle(s, k)
			}
			for range 20 { // a person who is told of a fault tries again
				if !c.answer || w.event(k).State == inbound.Decided {
					break
				}
				_ = w.answer(s, k, yes)
			}
			return w, w.faults.calls
		}
		clean, calls := run(0, false, nil)
		if calls < 4 {
			t.Fatalf("%s: %d calls", name, calls)
		}
		for at := 1; at <= calls; at++ {
			for flavour, f := range map[string]struct {
				applied bool
				err     error
			}{
				"unavailable": {false, ledger.ErrUnavailable}, "contention": {false, ledger.ErrContention}, "lost before": {false, ledger.ErrUnknown},
				"lost after": {true, ledger.ErrUnknown}, "deadline after": {true, context.DeadlineExceeded},
			} {
				w, _ := run(at, f.applied, f.err)
				got, want := w.names(), clean.names()
				if len(got) != len(want) {
					t.Fatalf("%s, %s at call %d: %d items, want %d", name, flavour, at, len(got), len(want))
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%s, %s at call %d:\n%s, want\n%s", name, flavour, at, got[i], want[i])
					}
				}
			}
		}
	}
}
