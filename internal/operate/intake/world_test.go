package intake_test

// Real: identity, matching, the policy book, the ledger in memory, and `onefold
// verify`, which judges what a list has left. Fake: the clock, faults between the
// use case and the ledger, and the lists. Asserted: what the ledger holds, what
// is reported.

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/address"
	"onefold/internal/crm"
	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/operate/intake"
	"onefold/internal/operate/verify"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

type world struct {
	*testing.T
	store *mem.Store
	ids   digest.Key
	book  *versions.Book
}

// newWorld has the example policy with some of its words replaced.
func newWorld(t *testing.T, replace ...string) *world {
	t.Helper()
	ids, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	w := &world{T: t, store: mem.New(), ids: ids}
	w.ok(err)
	w.book = &versions.Book{Store: w.store, Now: clock}
	_, err = w.book.Apply(t.Context(), []byte(strings.NewReplacer(replace...).Replace(string(tenant.Example()))), "person:tester")
	w.ok(err)
	return w
}

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) service(s ledger.Store) *intake.Service {
	return &intake.Service{Store: s, Policies: w.book, IDs: w.ids, Now: clock, By: "person:tester"}
}

func each(entries []intake.Entry) iter.Seq2[intake.Entry, error] {
	return func(yield func(intake.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// of is a list of a file, or of a CRM if its entries are records.
func of(apply bool, entries ...intake.Entry) intake.List {
	l := intake.List{Tenant: "demo", Entries: each(entries), Apply: apply}
	if entries[0].Record != "" {
		l.CRM = "hubspot"
	}
	return l
}

// imports runs a list in the plan and for good, which have to say the same, and
// asks verify what it left.
func (w *world) imports(entries ...intake.Entry) intake.Report {
	w.Helper()
	before := w.dump()
	plan, err := w.service(w.store).Run(w.Context(), of(false, entries...))
	w.ok(err)
	if after := w.dump(); before != after {
		w.Fatalf("a plan changed the ledger from\n%s\nto\n%s", before, after)
	}
	done, err := w.service(w.store).Run(w.Context(), of(true, entries...))
	w.ok(err)
	plan.Applied = true
	if p, d := counts(plan), counts(done); p != d {
		w.Errorf("the plan says\n%s\nand the run\n%s", p, d)
	}
	w.sound()
	return done
}

func (w *world) sound() {
	w.Helper()
	rep, err := verify.Check(w.Context(), w.store, verify.Options{IDs: &w.ids})
	w.ok(err)
	for _, f := range rep.Findings {
		w.Errorf("%s: %s", f.Check, f.What)
	}
}

// rows are those of one entity.
func (w *world) rows(e ledger.Entity) (out []ledger.Item) {
	w.Helper()
	for _, table := range []schema.Table{schema.Ledger, schema.Outbox} {
		for cursor := ""; ; {
			page, err := w.store.Scan(context.Background(), ledger.Scan{Table: table, Segments: 1, Cursor: cursor, Limit: 1000})
			w.ok(err)
			for _, it := range page.Items {
				if ledger.KeyOf(it).Entity == e {
					out = append(out, it)
				}
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
	}
	return out
}

func (w *world) contacts() (out []contact.Contact) {
	w.Helper()
	for _, it := range w.rows(ledger.Contact) {
		var c contact.Contact
		w.ok(it.Decode(&c))
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b contact.Contact) int { return strings.Compare(a.Email, b.Email) })
	return out
}

func (w *world) mappings() map[string]crm.Mapping {
	w.Helper()
	out := map[string]crm.Mapping{}
	for _, it := range w.rows(ledger.CRMMapping) {
		var m crm.Mapping
		w.ok(it.Decode(&m))
		out[m.CRMID] = m
	}
	return out
}

func (w *world) guard(written string) ledger.Item {
	w.Helper()
	it, err := w.store.Get(w.Context(), w.guardKey(written))
	w.ok(err)
	return it
}

func (w *world) guardKey(written string) ledger.Key {
	w.Helper()
	a, err := address.Parse(written)
	w.ok(err)
	return ledger.Guard.At("demo", decide.GuardID(w.ids, "demo", a))
}

// person puts a contact as an event would have.
func (w *world) person(id, name string, keys ...string) contact.Contact {
	w.Helper()
	c := contact.Contact{
		Tenant: "demo", ID: id, Status: contact.Active, Email: strings.TrimPrefix(keys[0], "email:"), Name: name, Keys: keys, ConsentVersion: 1, Revision: 1,
		CreatedAt: utc.At(noon.Add(-time.Hour)), Transition: 1,
	}
	var commit ledger.Commit
	for _, key := range keys {
		w.ok(commit.Create("contact_key", ledger.ContactKey.At("demo", key), contact.Key{Tenant: "demo", ID: key, Contact: id}))
	}
	w.ok(commit.Insert(ledger.Step{Key: people.Key("demo", id), Event: "create", Audit: audit.Record{At: c.CreatedAt, By: "test", Contact: id}}, c, ""))
	w.ok(w.store.Commit(w.Context(), commit))
	return c
}

// maps puts a mapping as a worker would have.
func (w *world) maps(contactID, record string) {
	w.Helper()
	m := crm.Mapping{Tenant: "demo", CRM: "hubspot", Contact: contactID, CRMID: record, SentVersion: 1, Transition: 1}
	var c ledger.Commit
	w.ok(c.Insert(ledger.Step{
		Key: ledger.CRMMapping.Under("demo", contactID, "hubspot"), Event: "create", Audit: audit.Record{At: utc.At(noon), By: "test", Contact: contactID},
	}, m, ""))
	w.ok(w.store.Commit(w.Context(), c))
}

func (w *world) set(k ledger.Key, attrs ledger.Item) {
	w.Helper()
	var c ledger.Commit
	w.ok(c.Update("set", k, ledger.Cond{}, attrs))
	w.ok(w.store.Commit(w.Context(), c))
}

// broken is a ledger of which one call goes wrong and, if the run dies there,
// none after it succeeds.
type broken struct {
	ledger.Store
	calls, at int
	applied   bool
	dies      bool
	err       error
}

var errDead = errors.New("the process is dead")

func (b *broken) wrong() bool {
	b.calls++
	return b.calls == b.at || b.dies && b.at > 0 && b.calls > b.at
}

func (b *broken) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if b.wrong() {
		return nil, b.err
	}
	return b.Store.Get(ctx, k)
}

func (b *broken) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	if b.wrong() {
		return nil, b.err
	}
	return b.Store.GetMany(ctx, keys)
}

func (b *broken) Scan(ctx context.Context, s ledger.Scan) (ledger.Page, error) {
	if b.wrong() {
		return ledger.Page{}, b.err
	}
	return b.Store.Scan(ctx, s)
}

func (b *broken) Commit(ctx context.Context, c ledger.Commit) error {
	if !b.wrong() {
		return b.Store.Commit(ctx, c)
	}
	if b.applied && b.calls == b.at {
		_ = b.Store.Commit(ctx, c)
	}
	return b.err
}
