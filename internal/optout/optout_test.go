package optout_test

// Real: optout, the rules and the ledger in memory. Fake: the clock, and the
// faults of the store.

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/optout"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

type faulty struct {
	*mem.Store
	hook func(ledger.Commit) (apply bool, err error)
}

func (f *faulty) Commit(ctx context.Context, c ledger.Commit) error {
	if f.hook == nil {
		return f.Store.Commit(ctx, c)
	}
	apply, err := f.hook(c)
	if apply {
		if err := f.Store.Commit(ctx, c); err != nil {
			return err
		}
	}
	return err
}

type world struct {
	t     *testing.T
	store *faulty
	s     *optout.Service
	ids   digest.Key
	logs  *bytes.Buffer
	i     followup.Intent
}

const kim = "kim@example.com"

// newWorld is one mail to Kim, who is contact c1.
func newWorld(t *testing.T) *world {
	t.Helper()
	ids, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC) }
	w := &world{t: t, store: &faulty{Store: mem.New()}, ids: ids, logs: &bytes.Buffer{}}
	book := &versions.Book{Store: role.Store(w.store), Now: now}
	policy, err := (&versions.Book{Store: w.store, Now: now}).Apply(t.Context(), tenant.Example(), "test")
	w.must(err)
	w.s = &optout.Service{Store: role.Store(w.store), Policies: book, IDs: ids, Now: now, Log: slog.New(slog.NewTextHandler(w.logs, nil))}
	p := decide.Identify(ids, policy, kim)
	at := utc.At(now())
	w.i = followup.Intent{
		Tenant: "demo", ID: "i1", Rule: "welcome", Scope: "follow_up", Contact: "c1", Event: "e1", Guard: p.GuardID, State: followup.Ready, Transition: 1,
		Recipient: kim, CreatedAt: at, ContactRef: schema.Ref("demo", "c1"),
	}
	var c ledger.Commit
	w.must(c.Insert(ledger.Step{Key: w.key(ledger.Intent, "i1"), Machine: followup.IntentMachine(), Event: "create", Audit: audit.Record{At: at, By: "test"}}, w.i, w.i.State))
	w.must(c.Create("key", w.key(ledger.ContactKey, p.KeyID), contact.Key{Tenant: "demo", ID: p.KeyID, Contact: "c1"}))
	w.must(w.store.Store.Commit(t.Context(), c))
	w.contact(contact.Contact{ID: "c1", Status: contact.Active})
	return w
}

func (w *world) contact(c contact.Contact) {
	w.t.Helper()
	c.Tenant, c.ConsentVersion, c.Transition = "demo", 1, 1
	var commit ledger.Commit
	w.must(commit.Create("contact", w.key(ledger.Contact, c.ID), c))
	w.must(w.store.Store.Commit(w.t.Context(), commit))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) key(e ledger.Entity, id string) ledger.Key {
	return e.At("demo", id)
}

func (w *world) get(e ledger.Entity, id string) ledger.Item {
	w.t.Helper()
	it, err := w.store.Store.Get(w.t.Context(), w.key(e, id))
	w.must(err)
	return it
}

func (w *world) change(e ledger.Entity, id string, set ledger.Item) {
	w.t.Helper()
	var c ledger.Commit
	w.must(c.Update("x", w.key(e, id), ledger.Cond{}, set))
	w.must(w.store.Store.Commit(w.t.Context(), c))
}

// stopped is what a click must leave: the stop with its reason, the consent
// version of each contact, and as many operations that end what is queued.
func (w *world) stopped(contacts ...string) {
	w.t.Helper()
	g := w.get(ledger.Guard, w.i.Guard)
	if guard.Blocks(g, "follow_up") != "suppressed_all" || guard.Blocks(g, "other") != "suppressed_all" || g.Text("reason") == guard.ReasonBounce {
		w.t.Errorf("guard %v", g)
	}
	for _, id := range contacts {
		if v := w.get(ledger.Contact, id).Int("consent_version"); v != 2 {
			w.t.Errorf("consent version of %s is %d", id, v)
		}
	}
	page, err := w.store.Scan(w.t.Context(), ledger.Scan{Table: schema.Outbox, Segments: 1, Limit: 100})
	w.must(err)
	n := 0
	for _, it := range page.Items {
		if it.Text("kind") == outbox.CancelIntents && it.Text("guard") == w.i.Guard {
			n++
		}
	}
	if n != max(1, len(contacts)) {
		w.t.Errorf("%d operations to end what is queued", n)
	}
}

func (w *world) do(method, path string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	w.s.Pages().ServeHTTP(rec, httptest.NewRequestWithContext(w.t.Context(), method, "/"+path, strings.NewReader("List-Unsubscribe=One-Click")))
	return rec
}

func (w *world) link() string { return optout.Link(w.ids, "demo", "i1") }

func TestAClickStopsTheAddressAndThePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if rec := w.do(http.MethodPost, w.link()); rec.Code != http.StatusOK || strings.Contains(rec.Body.String(), kim) {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	w.stopped("c1")
	for range 3 {
		if rec := w.do(http.MethodPost, w.link()); rec.Code != http.StatusOK {
			t.Errorf("again: %d", rec.Code)
		}
	}
	w.stopped("c1")
	if strings.Contains(w.logs.String(), "kim") {
		t.Errorf("the log names an address: %s", w.logs)
	}
}

// RFC 8058 section 2: scanners follow links, so GET must not stop anything.
func TestLookingIsNotStopping(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		if rec := w.do(method, w.link()); rec.Code != http.StatusOK || strings.Contains(rec.Body.String(), kim) {
			t.Errorf("%s: %d", method, rec.Code)
		}
	}
	if g := w.get(ledger.Guard, w.i.Guard); g != nil {
		t.Errorf("guard %v", g)
	}
}

func TestALinkThatIsNotOursStopsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := optout.Token(w.ids, "demo", "i1")
	for name, path := range map[string]string{
		"no token": "demo/i1/x", "of another intent": "demo/i2/" + token, "of another tenant": "other/i1/" + token,
		"cut off": "demo/i1/" + token[:31], "of a mail that is not there": optout.Link(w.ids, "demo", "gone"), "not a link": "demo",
		"a strange tenant": optout.Link(w.ids, "d%00emo", "i1"), "a long one": optout.Link(w.ids, strings.Repeat("x", 3000), "i1"),
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if rec := w.do(method, path); rec.Code != http.StatusNotFound {
				t.Errorf("%s, %s: %d", name, method, rec.Code)
			}
		}
	}
	if g := w.get(ledger.Guard, w.i.Guard); g != nil {
		t.Errorf("guard %v", g)
	}
}

// Another tenant's intent of the same ID has another link.
func TestALinkIsOfOneTenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.i
	i.Tenant = "other"
	var c ledger.Commit
	w.must(c.Insert(ledger.Step{
		Key:     ledger.Intent.At("other", "i1"),
		Machine: followup.IntentMachine(), Event: "create", Audit: audit.Record{At: utc.At(w.s.Now()), By: "test"},
	}, i, i.State))
	w.must(w.store.Store.Commit(t.Context(), c))
	if rec := w.do(http.MethodPost, "other/i1/"+optout.Token(w.ids, "demo", "i1")); rec.Code != http.StatusNotFound {
		t.Errorf("%d", rec.Code)
	}
	if rec := w.do(http.MethodPost, optout.Link(w.ids, "other", "i1")); rec.Code != http.StatusOK {
		t.Errorf("its own link: %d", rec.Code)
	}
}

func TestTheWishHoldsForWhoeverHasTheAddressNow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(*world)
		want []string
	}{
		"merged away": {func(w *world) {
			w.contact(contact.Contact{ID: "c2", Status: contact.Active})
			w.change(ledger.Contact, "c1", ledger.Item{"status": contact.Merged, "merged_into": "c2"})
		}, []string{"c2"}},
		"another contact has the key": {func(w *world) {
			w.contact(contact.Contact{ID: "c2", Status: contact.Active})
			w.change(ledger.ContactKey, decide.Identify(w.ids, w.policy(), kim).KeyID, ledger.Item{"contact": "c2"})
		}, []string{"c1", "c2"}},
		"a shared inbox": {func(w *world) {
			w.contact(contact.Contact{ID: "c2", Status: contact.Active})
			w.change(ledger.ContactKey, decide.Identify(w.ids, w.policy(), kim).KeyID, ledger.Item{"contact": "c2", "shared": true})
		}, []string{"c1"}},
		"stopped by a bounce before": {func(w *world) { w.before(guard.ReasonBounce) }, []string{"c1"}},
		// Her own words may have come from another spelling (kim+x@), which another
		// contact has: that one was told then, and this one is told now.
		"stopped by words before":       {func(w *world) { w.before(guard.ReasonOptOut) }, []string{"c1"}},
		"stopped by a complaint before": {func(w *world) { w.before(guard.ReasonComplaint) }, []string{"c1"}},
		"erased": {func(w *world) {
			w.change(ledger.Intent, "i1", ledger.Item{"recipient": ""})
		}, []string{"c1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.set(w)
			for range 2 {
				if rec := w.do(http.MethodPost, w.link()); rec.Code != http.StatusOK {
					t.Fatalf("%d", rec.Code)
				}
			}
			w.stopped(c.want...)
		})
	}
}

func (w *world) policy() tenant.Policy {
	p, err := w.s.Policies.Current(w.t.Context(), "demo")
	w.must(err)
	return p
}

func (w *world) before(reason string) {
	var c ledger.Commit
	now := utc.At(w.s.Now())
	w.must(decide.ChangeGuard(&c, decide.GuardChange{Tenant: "demo", ID: w.i.Guard, Event: "stop", Audit: audit.Record{At: now, By: "feedback"},
		Set: ledger.Item{guard.StopAttr(guard.ScopeAll): now, "reason": reason}}))
	w.must(w.store.Store.Commit(w.t.Context(), c))
}

func TestAFaultIsToldAndTheNextTryStops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		applied bool
		err     error
	}{
		"unavailable": {false, ledger.ErrUnavailable}, "lost before": {false, ledger.ErrUnknown}, "lost after": {true, ledger.ErrUnknown},
		"a deadline after": {true, context.DeadlineExceeded},
	} {
		w := newWorld(t)
		w.store.hook = func(ledger.Commit) (bool, error) { return c.applied, c.err }
		rec := w.do(http.MethodPost, w.link())
		if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" || !strings.Contains(w.logs.String(), "alarm=opt_out_failed") {
			t.Errorf("%s: %d, log %s", name, rec.Code, w.logs)
		}
		w.store.hook = nil
		if rec := w.do(http.MethodPost, w.link()); rec.Code != http.StatusOK {
			t.Errorf("%s: then %d", name, rec.Code)
		}
		w.stopped("c1")
	}
}

// Two clicks, and a decision that moves the contact between read and commit.
func TestWhatMovedMeanwhileIsDecidedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.store.hook = func(ledger.Commit) (bool, error) {
		w.store.hook = nil
		w.change(ledger.Contact, "c1", ledger.Item{"transition": 2})
		return true, nil
	}
	if err := w.s.Stop(t.Context(), "demo", "i1", optout.Token(w.ids, "demo", "i1")); err != nil {
		t.Fatal(err)
	}
	w.stopped("c1")

	w = newWorld(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := w.s.Stop(context.Background(), "demo", "i1", optout.Token(w.ids, "demo", "i1")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	w.stopped("c1")
}

func TestWhatNeverSettlesIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.store.hook = func(ledger.Commit) (bool, error) { return false, ledger.ErrContention }
	if err := w.s.Stop(t.Context(), "demo", "i1", optout.Token(w.ids, "demo", "i1")); !errors.Is(err, ledger.ErrContention) {
		t.Error(err)
	}
}
