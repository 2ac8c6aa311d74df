package bottlecrm_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crmsync"
	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/operate/verify"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/sweep"
	"onefold/internal/utc"
)

// people is how many write in the worker's bad hour.
const people = 12

// The worker on the real CRM, of whose calls one in five
// meets a fault. Every operation ends done, or with a person with a reason; for
// each reference there is one record at most, and one for what is done.
//
// Real besides the CRM: crmsync, sweep, the adapter. Not real: the ledger is in
// memory and the worker's clock virtual, so that the waits for the CRM's time in
// flight pass at once; a faulty call has taken effect by then, or never will.
func workerMakesNothingTwice(t *testing.T, w *world) { badHour(t, w, w.start(t, w.server.Socket())) }

func workerMakesNothingTwiceOfLeads(t *testing.T, w *world) {
	v := w.start(t, w.server.Socket())
	v.takesIn()
	badHour(t, w, v)
}

func badHour(t *testing.T, w *world, v *vendor) {
	t.Helper()
	b := &backOffice{
		TB: t, stream: &stream{Store: mem.New()}, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	ids, err := digest.NewKey([]byte("only-for-tests-on-this-machine-0123456789"))
	if err != nil {
		t.Fatal(err)
	}
	b.worker = &crmsync.Service{
		Store: b.stream, IDs: ids, Blob: enquiryText{}, Accounts: crmsync.OneAccount(w.ready(t, v)), Now: func() time.Time { return b.now },
		Timeout: time.Minute, CallTime: 30 * time.Second, Log: b.log,
		Describe: func(context.Context, inbound.Event, []byte) (string, string, error) {
			return "Two crates", "Please send two crates.", nil
		},
	}
	r, faults := rand.New(rand.NewPCG(7, 13)), v.Faults()
	v.intend(func() string {
		if r.IntN(5) > 0 {
			return ""
		}
		return faults[r.IntN(len(faults))].Name
	})
	for n := range people {
		b.writesIn(fmt.Sprint("person", n))
	}
	b.settle(w.ctx)
	met := v.intend(nil)

	ended, done := b.operations(w.ctx), map[string]int{}
	for _, op := range ended {
		switch {
		case op.State == outbox.Done:
			done[op.Kind]++
		case op.State != outbox.Parked || op.Reason == "":
			t.Errorf("%s is %s (%s)", op.ID, op.State, op.Reason)
		}
	}
	for kind, of := range map[string]crmtest.Kind{outbox.CRMContact: crmtest.Contacts, outbox.CRMNote: crmtest.Notes, outbox.CRMTask: crmtest.Tasks} {
		made := len(v.Records(of))
		t.Logf("%d of %d %s done, %d in the CRM", done[kind], people, of, made)
		if made < done[kind] || made > people || done[kind] == 0 {
			t.Errorf("%d %s are done and %d are in the CRM, of %d people", done[kind], of, made, people)
		}
	}
	t.Logf("%d calls, of which %d met a fault", len(v.Calls()), met)
	if met < people {
		t.Errorf("%d calls met a fault", met)
	}
	b.sound(w.ctx)
}

// stream is the memory ledger with the changes of operations in their order.
type stream struct {
	*mem.Store
	queue []ledger.Change
}

func (s *stream) Commit(ctx context.Context, c ledger.Commit) error {
	if err := s.Store.Commit(ctx, c); err != nil {
		return err
	}
	for _, w := range c.Writes {
		if w.Op == ledger.OpCheck || w.Key.Entity != ledger.Operation {
			continue
		}
		it, err := s.Get(ctx, w.Key)
		if err != nil {
			return err
		}
		s.queue = append(s.queue, ledger.Change{Key: w.Key, Item: it})
	}
	return nil
}

// enquiryText has one text for every event.
type enquiryText struct{}

func (enquiryText) Put(context.Context, blob.Ref, []byte) error { return nil }

func (enquiryText) Get(context.Context, blob.Ref) ([]byte, error) {
	return []byte("Please send two crates."), nil
}

// backOffice is a ledger and what works on it.
type backOffice struct {
	testing.TB
	stream *stream
	worker *crmsync.Service
	now    time.Time
	log    *slog.Logger
}

const tenant = "acme"

// writesIn is what a new person's mail leads to: contact, note and task.
func (b *backOffice) writesIn(id string) {
	b.Helper()
	at := utc.At(b.now)
	by := audit.Record{At: at, By: "test"}
	var c ledger.Commit
	event := inbound.Event{Tenant: tenant, ID: "event-" + id, Source: "form", Raw: "raw", ReceivedAt: at, State: inbound.Recorded, Transition: 1}
	err := c.Insert(ledger.Step{Key: ledger.Event.At(tenant, event.ID), Machine: inbound.Machine(), Event: "record", Audit: by}, event, inbound.Recorded)
	if err == nil {
		err = c.Insert(ledger.Step{Key: ledger.Contact.At(tenant, id), Event: "create", Audit: by}, contact.Contact{
			Tenant: tenant, ID: id, Status: contact.Active, Email: id + "@example.com", Name: "Ann Smith",
			ConsentVersion: 1, Revision: 1, FromEvent: event.ID, CreatedAt: at, Transition: 1,
		}, "")
	}
	for _, kind := range []string{outbox.CRMContact, outbox.CRMNote, outbox.CRMTask} {
		if err == nil {
			err = decide.InsertOperation(&c, outbox.Operation{ID: kind + "-" + id, Tenant: tenant, Kind: kind, Contact: id, Event: event.ID, Revision: 1}, at, by)
		}
	}
	if err == nil {
		err = b.stream.Commit(context.Background(), c)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// settle lets time pass until nothing is open or waiting.
func (b *backOffice) settle(ctx context.Context) {
	b.Helper()
	for end := b.now.Add(72 * time.Hour); b.now.Before(end); b.now = b.now.Add(time.Minute) {
		for len(b.stream.queue) > 0 {
			ch := b.stream.queue[0]
			b.stream.queue = b.stream.queue[1:]
			if err := b.worker.Handle(ctx, ch); err != nil {
				b.Fatal(err)
			}
		}
		moving := false
		for _, op := range b.operations(ctx) {
			moving = moving || op.State == outbox.Open || op.State == outbox.Waiting
		}
		if !moving {
			return
		}
		if _, err := (&sweep.Service{Store: b.stream, Now: func() time.Time { return b.now }, PerShard: 50, Log: b.log}).Run(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.Fatal("operations are still open after three days")
}

// operations are all but those that look at the account.
func (b *backOffice) operations(ctx context.Context) []outbox.Operation {
	b.Helper()
	page, err := b.stream.Scan(ctx, ledger.Scan{Table: "outbox", Segments: 1, Limit: 1000})
	if err != nil {
		b.Fatal(err)
	}
	var out []outbox.Operation
	for _, it := range page.Items {
		var op outbox.Operation
		if err := it.Decode(&op); err != nil {
			b.Fatal(err)
		}
		if op.Kind != outbox.CRMProbe {
			out = append(out, op)
		}
	}
	return out
}

// sound asks for what must hold after every schedule.
func (b *backOffice) sound(ctx context.Context) {
	b.Helper()
	rep, err := verify.Check(ctx, b.stream.Store, verify.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range rep.Findings {
		if f.Check == "operations_owned" || f.Check == "crm_records" || f.Check == "audit_complete" {
			b.Errorf("%s: %s", f.Check, f.What)
		}
	}
}
