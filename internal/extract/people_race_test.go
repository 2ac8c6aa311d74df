package extract_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/feedback"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/operate/contacts"
	"onefold/internal/optout"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// meanwhile has something happen just before the commit that decides an event,
// when everything that it stands on has been read.
type meanwhile struct {
	ledger.Store
	do func()
}

func (m *meanwhile) Commit(ctx context.Context, c ledger.Commit) error {
	decides := slices.ContainsFunc(c.Writes, func(w ledger.Write) bool {
		return w.Key.Entity == ledger.Event && w.Set.Text("state") == inbound.Decided
	})
	if do := m.do; do != nil && decides {
		m.do = nil
		do()
	}
	return m.Store.Commit(ctx, c)
}

const (
	adasOther = "ada.lovelace@example.net"
	bob       = "bob@example.org"
)

func (w *world) act(a contacts.Act) {
	w.t.Helper()
	a.Tenant = "demo"
	s := contacts.Service{Store: w.store, Policies: w.book, IDs: w.ids, Now: w.clock.Now}
	if p, err := s.Do(w.t.Context(), a, "person:test", ""); err != nil || p.Already != "" {
		w.t.Fatalf("%s: %v, %q", a.Kind, err, p.Already)
	}
}

// mailTo is the follow-up that went to an address, as its link and the
// provider's events name it.
func (w *world) mailTo(address string) followup.Intent {
	w.t.Helper()
	for _, it := range w.all(ledger.Intent) {
		var i followup.Intent
		if err := it.Decode(&i); err != nil {
			w.t.Fatal(err)
		}
		if i.Recipient == address {
			return i
		}
	}
	w.t.Fatalf("no follow-up")
	return followup.Intent{}
}

func (w *world) clicks(address string) {
	w.t.Helper()
	s := optout.Service{Store: w.store, Policies: w.book, IDs: w.ids, Now: w.clock.Now, Log: slog.New(slog.DiscardHandler)}
	i := w.mailTo(address)
	if err := s.Stop(w.t.Context(), "demo", i.ID, optout.Token(w.ids, "demo", i.ID)); err != nil {
		w.t.Fatal(err)
	}
}

// reports brings an event of the provider about the mail to an address, whose
// attempt is put by hand.
func (w *world) reports(kind mailer.EventType, address string) {
	w.t.Helper()
	i := w.mailTo(address)
	var c ledger.Commit
	a := followup.Attempt{Tenant: "demo", Intent: i.ID, Number: 1, State: followup.AttemptBegun, Transition: 1}
	if err := c.Create("attempt", ledger.AttemptKey("demo", i.ID, 1), a); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Commit(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
	s := feedback.Service{Store: w.store, IDs: w.ids, Provider: "ses", Now: w.clock.Now, Log: slog.New(slog.DiscardHandler)}
	if err := s.Handle(w.t.Context(), mailer.Event{Type: kind, Permanent: true, MessageID: "m", At: w.clock.Now(), DedupeKey: string(kind), Tags: map[string]string{
		mailer.TagTenant: "demo", mailer.TagIntent: i.ID, mailer.TagAttempt: "1",
	}}); err != nil {
		w.t.Fatal(err)
	}
}

// doubt holds an address, as doubtful words do.
func (w *world) doubt(address string) {
	w.t.Helper()
	p, err := w.book.Current(w.t.Context(), "demo")
	if err != nil {
		w.t.Fatal(err)
	}
	id := decide.Identify(w.ids, p, address).GuardID
	var c ledger.Commit
	if err := decide.ChangeGuard(&c, decide.GuardChange{Tenant: "demo", ID: id, Event: "hold", Set: ledger.Item{"hold": "2026-03-02T09:00:00.000Z"},
		Audit: audit.Record{At: utc.At(w.clock.now), By: "test"}}); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Commit(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
}

// TestAWishThatCommitsDuringADecisionIsHeard: whichever way it comes, and
// whichever address of the person it is about, no follow-up is made on what had
// been read before; a bounce elsewhere changes nothing.
func TestAWishThatCommitsDuringADecisionIsHeard(t *testing.T) {
	t.Parallel()
	wrote := func(w *world, from, id, text string) {
		w.settle(w.service(w.store, w.reader), w.record("hello@demo.example", id, rawMail(id, from, "Huts", text)))
	}
	stop := func(w *world, from string) { wrote(w, from, "stop", "Please unsubscribe me.") }
	merge := contacts.Act{Kind: contacts.Merge, Contact: bob, Into: adas}
	alias := contacts.Act{Kind: contacts.Alias, Contact: adas, Address: adasOther}
	for name, c := range map[string]struct {
		before, during func(*world)
		want           string
	}{
		"opt-out at an alias":                         {func(w *world) { w.act(alias) }, func(w *world) { stop(w, adasOther) }, "opted_out_elsewhere"},
		"opt-out at the address of one merged before": {func(w *world) { w.act(merge) }, func(w *world) { stop(w, bob) }, "opted_out_elsewhere"},
		"click in a mail to one merged before":        {func(w *world) { w.act(merge) }, func(w *world) { w.clicks(bob) }, "opted_out_elsewhere"},
		"complaint of a mail to one merged before":    {func(w *world) { w.act(merge) }, func(w *world) { w.reports(mailer.EventComplained, bob) }, "opted_out_elsewhere"},
		"bounce of a mail to one merged before":       {func(w *world) { w.act(merge) }, func(w *world) { w.reports(mailer.EventBounced, bob) }, ""},
		"merge with one who had opted out":            {func(w *world) { stop(w, bob) }, func(w *world) { w.act(merge) }, "opted_out_elsewhere"},
		"merge with one who is held":                  {func(w *world) { w.doubt(bob) }, func(w *world) { w.act(merge) }, "opt_out_in_doubt"},
		"merge, and then an opt-out":                  {nil, func(w *world) { w.act(merge); stop(w, bob) }, "opted_out_elsewhere"},
		"merge into one who had opted out": {func(w *world) { stop(w, bob) }, func(w *world) {
			w.act(contacts.Act{Kind: contacts.Merge, Contact: adas, Into: bob})
		}, "opted_out_elsewhere"},
		"alias of a stopped address": {func(w *world) { stop(w, adasOther) }, func(w *world) { w.act(alias) }, "opted_out_elsewhere"},
		"split off who had opted out": {func(w *world) { w.act(merge); stop(w, bob) }, func(w *world) {
			w.act(contacts.Act{Kind: contacts.Split, Contact: bob})
		}, ""},
		"nothing": {nil, func(*world) {}, ""},
	} {
		for path, fills := range map[string]bool{"nothing to fill": false, "a name to fill": true} {
			w := newWorld(t, tenant.ModeAuto)
			wrote(w, ada, "m1", body)
			wrote(w, bob, "m2", "Do you have a dog?")
			w.clock.goTo(utc.At(w.clock.Now().Add(8 * 24 * time.Hour))) // past the fold window
			if c.before != nil {
				c.before(w)
			}
			if fills {
				w.reader.script = func(_ int, s reader.Source) (reader.Record, error) {
					r := plainRecord(s)
					r.ContactName = reader.Field{Value: "Ada Lovelace", Confidence: 99, Evidence: "Ada Lovelace", Where: reader.InVisible}
					return r, nil
				}
			}
			k := w.record("hello@demo.example", "m3", rawMail("m3", ada, "Huts", "And in June? Ada Lovelace"))
			w.settle(w.service(&meanwhile{Store: w.store, do: func() { w.reader.script = nil; c.during(w) }}, w.reader), k)
			e := w.event(k)
			if c.want == "" && (e.Outcome != inbound.FollowUp || e.Intent == "") || c.want != "" && (e.Outcome != inbound.Suppressed || !slices.Contains(e.Reasons, c.want)) {
				t.Errorf("%s, %s: %s %v", name, path, e.Outcome, e.Reasons)
			}
		}
	}
}

// TestAfterASplitMailIsOfItsOwnContactAgain: a decision that had read the two as
// one is made again.
func TestAfterASplitMailIsOfItsOwnContactAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	s := w.service(w.store, w.reader)
	a, b := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body)), w.record("hello@demo.example", "m2", rawMail("m2", bob, "Huts", "Do you have a dog?"))
	w.settle(s, a, b)
	own := w.event(b).Contact
	w.act(contacts.Act{Kind: contacts.Merge, Contact: bob, Into: adas})
	k := w.record("hello@demo.example", "m3", rawMail("m3", bob, "Huts", "And in June?"))
	w.settle(w.service(&meanwhile{Store: w.store, do: func() { w.act(contacts.Act{Kind: contacts.Split, Contact: bob}) }}, w.reader), k)
	if got := w.event(k).Contact; got != own {
		t.Errorf("the event is of contact %s, want %s", got, own)
	}
	c, err := people.Get(t.Context(), w.store, "demo", own)
	if err != nil || c.Status != contact.Active {
		t.Errorf("%+v, %v", c, err)
	}
	if it := w.item(ledger.Intent.At("demo", w.event(k).Intent)); it.Text("contact_ref") != schema.Ref("demo", own) {
		t.Errorf("%v", it)
	}
}
