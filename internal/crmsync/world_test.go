package crmsync_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/crm"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/crmsync"
	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/operate/verify"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/sweep"
	"onefold/internal/utc"
)

const tenantID = "acme"

// world is a ledger, a CRM and a clock that stands until a test moves it.
// Real: crmsync, sweep, the memory ledger; with newHubSpot the adapter, on the
// wire, against the CRM's fake. The worker's own end is a panic.
type world struct {
	testing.TB
	store *faulty
	crm   crm.CRM
	none  bool // no account is set up
	// accounts are others than the one CRM for everybody.
	accounts crmsync.Accounts
	blobs    blobs
	logs     *slog.Logger

	mu  sync.Mutex
	now time.Time
}

func newWorld(t testing.TB, c crm.CRM) *world {
	w := &world{TB: t, store: newFaulty(), crm: c, blobs: blobs{}, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	w.logs = slog.New(slog.NewTextHandler(io.Discard, nil))
	return w
}

func newHubSpot(t testing.TB) (*hubspottest.Server, *hubspot.Client) {
	t.Helper()
	const token = "crmsync-test-token"
	server := hubspottest.New(hubspottest.Options{Token: token})
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := hubspot.New(hubspot.Config{
		BaseURL: web.URL, HTTPClient: &http.Client{Transport: transport},
		Token: func(context.Context) (string, error) { return token, nil },
	})
	if err == nil {
		err = c.SetUp(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return server, c
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

const (
	timeout  = 30 * time.Second
	callTime = 10 * time.Second
)

func (w *world) worker() *crmsync.Service {
	accounts := crmsync.OneAccount(w.crm)
	if w.accounts != nil {
		accounts = w.accounts
	}
	if w.none {
		accounts = func(context.Context, string) (crmsync.Account, error) { return crmsync.Account{}, crmsync.ErrNoAccount }
	}
	return &crmsync.Service{
		Store: role.Store(w.store), Blob: role.Blob(w.blobs), Accounts: accounts, Now: w.clock, Timeout: timeout, CallTime: callTime, Log: w.logs,
		Describe: func(_ context.Context, _ inbound.Event, raw []byte) (string, string, error) {
			return "Two crates", string(raw), nil
		},
	}
}

func (w *world) handle(op string) { w.handleBy(w.worker(), op) }

func (w *world) handleBy(s *crmsync.Service, op string) {
	w.Helper()
	if err := s.Handle(context.Background(), ledger.Change{Key: opKey(op), Item: w.get(opKey(op))}); err != nil {
		w.Fatal(err)
	}
}

// pump hands the stream to a worker until it is empty, and returns how many
// changes it had. A worker that dies or fails gets its change again.
func (w *world) pump() int {
	w.Helper()
	n := 0
	for {
		ch, ok := w.store.next()
		if !ok {
			return n
		}
		if n++; n > 200_000 {
			w.Fatal("the stream never becomes empty: the worker feeds itself")
		}
		for try := 0; ; try++ {
			err := alive(func() error { return w.worker().Handle(context.Background(), ch) })
			if err == nil {
				break
			}
			if try == 200 {
				w.Fatalf("a change of %v is never handled, and would hold up its shard: %v", ch.Item["kind"], err)
			}
		}
	}
}

func (w *world) sweep() {
	w.Helper()
	s := &sweep.Service{Store: w.store, Now: w.clock, PerShard: 50, Log: w.logs}
	_ = alive(func() error { _, err := s.Run(context.Background()); return err })
}

// settle lets time pass until no operation is open or waiting.
func (w *world) settle() {
	w.Helper()
	for end := w.clock().Add(72 * time.Hour); w.clock().Before(end); w.advance(time.Minute) {
		w.pump()
		if !w.moving() {
			return
		}
		w.sweep()
	}
	w.Fatal("operations are still open after three days")
}

func (w *world) moving() bool {
	for _, op := range w.operations() {
		if op.State == outbox.Open || op.State == outbox.Waiting {
			return true
		}
	}
	return false
}

func (w *world) operations() []outbox.Operation {
	w.Helper()
	page, err := w.store.Store.Scan(context.Background(), ledger.Scan{Table: "outbox", Segments: 1, Limit: 1000})
	if err != nil {
		w.Fatal(err)
	}
	var ops []outbox.Operation
	for _, it := range page.Items {
		var op outbox.Operation
		if err := it.Decode(&op); err != nil {
			w.Fatal(err)
		}
		ops = append(ops, op)
	}
	return ops
}

// sound asks for what must hold after every schedule: an owner and a complete
// record for every row, one contact for each CRM record.
func (w *world) sound() {
	w.Helper()
	rep, err := verify.Check(context.Background(), w.store.Store, verify.Options{})
	if err != nil {
		w.Fatal(err)
	}
	for _, f := range rep.Findings {
		if slices.Contains([]string{"audit_complete", "audit_moves", "operations_owned", "crm_records"}, f.Check) {
			w.Errorf("%s: %s", f.Check, f.What)
		}
	}
}

func (w *world) get(k ledger.Key) ledger.Item {
	w.Helper()
	it, err := w.store.Store.Get(context.Background(), k)
	if err != nil {
		w.Fatal(err)
	}
	return it
}

func (w *world) op(id string) outbox.Operation {
	w.Helper()
	var op outbox.Operation
	if err := w.get(opKey(id)).Decode(&op); err != nil {
		w.Fatal(err)
	}
	return op
}

func (w *world) mapping(contactID string) crm.Mapping {
	w.Helper()
	var m crm.Mapping
	if err := w.get(ledger.CRMMapping.Under(tenantID, contactID, w.crm.Capabilities().Name)).Decode(&m); err != nil {
		w.Fatal(err)
	}
	return m
}

func (w *world) write(build func(*ledger.Commit) error) {
	w.Helper()
	var c ledger.Commit
	err := build(&c)
	if err == nil {
		err = w.store.direct(c)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// person makes a contact at revision 1, whose name says so.
func (w *world) person(id string) {
	w.Helper()
	w.write(func(c *ledger.Commit) error {
		p := contact.Contact{
			Tenant: tenantID, ID: id, Status: contact.Active, Email: id + "@example.com", Name: "Revision 1",
			ConsentVersion: 1, Revision: 1, FromEvent: "e1", CreatedAt: utc.At(w.clock()), Transition: 1,
		}
		return c.Insert(ledger.Step{Key: personKey(id), Event: "create", Audit: audit.Record{At: utc.At(w.clock()), By: "test"}}, p, "")
	})
}

// revise raises a contact's revision, and puts the operation that says so.
func (w *world) revise(id string, revision int64) {
	w.Helper()
	w.write(func(c *ledger.Commit) error {
		_, err := c.Move(ledger.Step{
			Key: personKey(id), Transition: w.get(personKey(id)).Int("transition"), Event: "update", Audit: audit.Record{At: utc.At(w.clock()), By: "test"},
			Set: ledger.Item{"revision": revision, "name": fmt.Sprint("Revision ", revision)},
		})
		return err
	})
	w.operation(outbox.Operation{ID: fmt.Sprint("sync", revision, id), Kind: outbox.CRMContact, Contact: id, Revision: revision})
}

func (w *world) set(k ledger.Key, set ledger.Item) {
	w.Helper()
	w.write(func(c *ledger.Commit) error { return c.Update("row", k, ledger.Cond{}, set) })
}

func (w *world) operation(op outbox.Operation) {
	w.Helper()
	op.Tenant, op.Event = tenantID, cmp.Or(op.Event, "e1")
	w.write(func(c *ledger.Commit) error {
		return decide.InsertOperation(c, op, utc.At(w.clock()), audit.Record{At: utc.At(w.clock()), By: "test"})
	})
}

// enquiry is what a new person's first mail leads to: contact, note and task,
// in the order in which the operations are named.
func (w *world) enquiry(id string, order ...string) {
	w.Helper()
	w.person(id)
	raw := []byte("Please send two crates.")
	ref := blob.RefOf(tenantID, "e1", raw)
	w.blobs[ref] = raw
	if w.get(eventKey) == nil {
		w.event("e1", ref)
	}
	for _, kind := range order {
		op := outbox.Operation{ID: kind + id, Kind: kind, Contact: id}
		if kind == outbox.CRMContact {
			op.Revision = 1
		}
		w.operation(op)
	}
}

// event is a recorded event with that content.
func (w *world) event(id string, raw blob.Ref) {
	w.Helper()
	w.write(func(c *ledger.Commit) error {
		e := inbound.Event{
			Tenant: tenantID, ID: id, Source: "form", Raw: string(raw), ReceivedAt: utc.At(w.clock()), State: inbound.Recorded, Transition: 1,
		}
		return c.Insert(ledger.Step{Key: ledger.Event.At(tenantID, id), Machine: inbound.Machine(), Event: "record", Audit: audit.Record{At: utc.At(w.clock()), By: "test"}}, e, inbound.Recorded)
	})
}

var eventKey = ledger.Event.At(tenantID, "e1")

func personKey(id string) ledger.Key {
	return ledger.Contact.At(tenantID, id)
}

func opKey(id string) ledger.Key {
	return ledger.Operation.At(tenantID, id)
}

type blobs map[blob.Ref][]byte

func (b blobs) Put(context.Context, blob.Ref, []byte) error { return nil }

func (b blobs) Get(_ context.Context, r blob.Ref) ([]byte, error) {
	if raw, ok := b[r]; ok {
		return raw, nil
	}
	return nil, blob.ErrMissing
}

func (w *world) clockText(d time.Duration) utc.Time { return utc.At(w.clock().Add(d)) }
