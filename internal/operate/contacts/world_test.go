package contacts_test

// What is real: identity, flow, the policy book, the state machines and the
// ledger in memory. What is fake: the clock, and the faults between identity
// and the ledger. Contacts, guards and follow-ups are put by hand. What may be
// asserted is what the ledger holds, and what a person is shown.

import (
	"bytes"
	"context"
	"errors"
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
	"onefold/internal/operate/contacts"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

type world struct {
	t     *testing.T
	store *hooked
	ids   digest.Key
	s     *contacts.Service
}

// hooked is a ledger with one thing that happens before or instead of a commit.
type hooked struct {
	*mem.Store
	before func()            // once, just before the next commit
	answer func(error) error // what is said of the next commit
	drop   bool              // it is not made
	seen   []ledger.Commit   // all that were asked for
}

func (h *hooked) Commit(ctx context.Context, c ledger.Commit) error {
	h.seen = append(h.seen, c)
	if do := h.before; do != nil {
		h.before = nil
		do()
	}
	answer, drop := h.answer, h.drop
	h.answer, h.drop = nil, false
	var err error
	if !drop {
		err = h.Store.Commit(ctx, c)
	}
	if answer != nil {
		return answer(err)
	}
	return err
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func newWorld(t *testing.T) *world {
	t.Helper()
	ids, err := digest.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: &hooked{Store: mem.New()}, ids: ids}
	now := func() time.Time { return noon }
	book := &versions.Book{Store: w.store.Store, Now: now}
	if _, err := book.Apply(t.Context(), tenant.Example(), "person:tester"); err != nil {
		t.Fatal(err)
	}
	w.s = &contacts.Service{Store: w.store, Policies: book, IDs: ids, Now: now}
	return w
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// person puts a contact with its keys; the first is its main address.
func (w *world) person(id string, addresses ...string) {
	w.t.Helper()
	c := contact.Contact{
		Tenant: "demo", ID: id, Status: contact.Active, Email: addresses[0], ConsentVersion: 1, Revision: 1, FromEvent: "e-" + id,
		CreatedAt: utc.At(noon.Add(-time.Hour)), Transition: 1,
	}
	var commit ledger.Commit
	for _, a := range addresses {
		key := contact.KeyID(contact.KindEmail, a)
		c.Keys = append(c.Keys, key)
		w.ok(commit.Create("contact_key", ledger.ContactKey.At("demo", key), contact.Key{Tenant: "demo", ID: key, Contact: id}))
	}
	w.ok(commit.Insert(ledger.Step{Key: people.Key("demo", id), Event: "create", Audit: audit.Record{At: c.CreatedAt, By: "test", Contact: id}}, c, ""))
	w.ok(w.store.Store.Commit(w.t.Context(), commit))
}

func (w *world) set(k ledger.Key, attrs ledger.Item) {
	w.t.Helper()
	var c ledger.Commit
	w.ok(c.Update("set", k, ledger.Cond{}, attrs))
	w.ok(w.store.Store.Commit(w.t.Context(), c))
}

func (w *world) guardKey(written string) ledger.Key {
	w.t.Helper()
	a, err := address.Parse(written)
	w.ok(err)
	return ledger.Guard.At("demo", decide.GuardID(w.ids, "demo", a))
}

// guard puts what stands at an address: "stop" by a reason, or "hold".
func (w *world) guard(written, event, reason string) {
	w.t.Helper()
	k, at := w.guardKey(written), utc.At(noon.Add(-time.Minute))
	set := ledger.Item{"address": written}
	if event == "hold" {
		set["hold"] = at
	} else {
		set[guard.StopAttr(guard.ScopeAll)], set["reason"] = at, reason
	}
	seen, err := w.store.Get(w.t.Context(), k)
	w.ok(err)
	var c ledger.Commit
	w.ok(decide.ChangeGuard(&c, decide.GuardChange{Tenant: "demo", ID: k.ID, Seen: seen, Event: event, Set: set, Audit: audit.Record{At: at, By: "test", Reasons: []string{reason}}}))
	w.ok(w.store.Store.Commit(w.t.Context(), c))
}

func (w *world) waits(id, contactID, recipient string) {
	w.t.Helper()
	i := followup.Intent{
		Tenant: "demo", ID: id, Contact: contactID, Recipient: recipient, Rule: "welcome", Scope: tenant.ScopeFollowUp, State: followup.Proposed,
		Transition: 1, ConsentVersion: 1, CreatedAt: utc.At(noon), ContactRef: schema.Ref("demo", contactID), Guard: w.guardKey(recipient).ID,
	}
	var c ledger.Commit
	w.ok(c.Create("intent", ledger.Intent.At("demo", id), i))
	w.ok(w.store.Store.Commit(w.t.Context(), c))
}

func (w *world) record(contactID, crmID string) {
	w.t.Helper()
	var c ledger.Commit
	w.ok(c.Create("crm_mapping", ledger.CRMMapping.Under("demo", contactID, "hubspot"), crm.Mapping{Tenant: "demo", CRM: "hubspot", Contact: contactID, CRMID: crmID}))
	w.ok(w.store.Store.Commit(w.t.Context(), c))
}

func (w *world) contact(id string) contact.Contact {
	w.t.Helper()
	c, err := people.Get(w.t.Context(), w.store.Store, "demo", id)
	w.ok(err)
	if c == nil {
		w.t.Fatalf("no contact %s", id)
	}
	return *c
}

func merge(a, b string) contacts.Act {
	return contacts.Act{Kind: contacts.Merge, Tenant: "demo", Contact: a, Into: b}
}

func split(a string) contacts.Act {
	return contacts.Act{Kind: contacts.Split, Tenant: "demo", Contact: a}
}

func alias(a, written string) contacts.Act {
	return contacts.Act{Kind: contacts.Alias, Tenant: "demo", Contact: a, Address: written}
}

func change(a, written string) contacts.Act {
	return contacts.Act{Kind: contacts.ChangeAddress, Tenant: "demo", Contact: a, Address: written}
}

func (w *world) do(a contacts.Act) contacts.Plan {
	w.t.Helper()
	p, err := w.s.Do(w.t.Context(), a, "person:kim", "")
	w.ok(err)
	return p
}

func (w *world) plan(a contacts.Act) contacts.Plan {
	w.t.Helper()
	p, err := w.s.Plan(w.t.Context(), a)
	w.ok(err)
	return p
}

// refused does an act that is not possible, and returns why.
func (w *world) refused(a contacts.Act) *contacts.Refusal {
	w.t.Helper()
	before := len(w.store.seen)
	_, err := w.s.Do(w.t.Context(), a, "person:kim", "")
	var no *contacts.Refusal
	if !errors.As(err, &no) {
		w.t.Fatalf("%s %s: %v, want a refusal", a.Kind, a.Contact, err)
	}
	if no.Why == "" || no.Hint == "" || strings.Contains(no.Why+no.Hint, "@") && !strings.Contains(no.Hint, "name@example.com") {
		w.t.Errorf("says %q, %q", no.Why, no.Hint)
	}
	if len(w.store.seen) != before {
		w.t.Error("it was refused and commits all the same")
	}
	return no
}

func (w *world) scan(t schema.Table, e ledger.Entity) (out []ledger.Item) {
	w.t.Helper()
	page, err := w.store.Scan(w.t.Context(), ledger.Scan{Table: t, Segments: 1, Limit: 1000})
	w.ok(err)
	for _, it := range page.Items {
		if ledger.KeyOf(it).Entity == e {
			out = append(out, it)
		}
	}
	return out
}

// operations counts those of a kind for a contact.
func (w *world) operations(kind, contactID string) int {
	n := 0
	for _, it := range w.scan(schema.Outbox, ledger.Operation) {
		if it.Text("kind") == kind && it.Text("contact") == contactID {
			n++
		}
	}
	return n
}

func says(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}
