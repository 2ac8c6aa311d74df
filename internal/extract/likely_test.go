package extract_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/operate/explain"
	"onefold/internal/operate/verify"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/record/inbound"
)

// The rules read these mails as they come.

// TestReading11TheSamePersonFromAnotherAddressIsSuggested to the person who looks at
// the new contact, and is merged only by them.
func TestReading11TheSamePersonFromAnotherAddressIsSuggested(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	s := w.service(w.store, rules.New())
	sent := func(id, from, signature string) inbound.Event {
		k := w.record("hello@demo.example", id, rawMail(id, from, "Huts", body+"\r\n\r\nBest regards\r\n"+signature))
		w.settle(s, k)
		return w.event(k)
	}
	first := sent("m1", "Ada Lovelace <ada@example.org>", "Ada Lovelace\r\nPhone: +44 20 7946 0000")
	again := sent("m2", "Ada Lovelace <ada@home.example>", "Ada Lovelace\r\nPhone: 020 7946 0000")
	colleague := sent("m3", "Bea King <bea@example.org>", "Bea King\r\nPhone: +44 20 7946 0000")
	w.wants(map[ledger.Entity]int{ledger.Contact: 3, ledger.Intent: 3})
	for _, c := range []struct {
		e    inbound.Event
		same string
	}{{first, ""}, {again, first.Contact}, {colleague, ""}} {
		desk := contacts.Service{Store: w.store, Policies: w.book, IDs: w.ids, Now: w.clock.Now}
		shown, err := desk.Show(t.Context(), "demo", c.e.Contact)
		if err != nil || shown.LikelySame != c.same || strings.Contains(shown.Text(), "perhaps the same person as contact "+first.Contact) != (c.same != "") {
			t.Errorf("%s: %v, shown %s", c.e.ID, err, shown.Text())
		}
		if c.e.Outcome != inbound.FollowUp || slices.Contains(c.e.Reasons, match.ReasonPhoneShared) != (c.same != "") {
			t.Errorf("%s: %s %v", c.e.ID, c.e.Outcome, c.e.Reasons)
		}
		told, err := explain.Explain(t.Context(), w.store, w.ids, explain.Query{Tenant: "demo", Event: c.e.ID})
		var text bytes.Buffer
		if err != nil || told.WriteText(&text) != nil || strings.Contains(text.String(), "perhaps the same person as contact "+first.Contact) != (c.same != "") {
			t.Errorf("explain: %v\n%s", err, text.String())
		}
	}

	// Once they are one it is suggested no more, and all that is stored agrees.
	desk := contacts.Service{Store: w.store, Policies: w.book, IDs: w.ids, Now: w.clock.Now}
	plan, err := desk.Plan(t.Context(), contacts.Act{Kind: contacts.Merge, Tenant: "demo", Contact: first.Contact, Into: again.Contact})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Do(t.Context(), contacts.Act{Kind: contacts.Merge, Tenant: "demo", Contact: first.Contact, Into: again.Contact}, "person:grace", plan.Token); err != nil {
		t.Fatal(err)
	}
	if shown, err := desk.Show(t.Context(), "demo", again.Contact); err != nil || shown.LikelySame != "" {
		t.Errorf("a contact is suggested to itself: %+v, %v", shown.LikelySame, err)
	}
	v, err := verify.Check(t.Context(), w.store, verify.Options{IDs: &w.ids})
	if err != nil || slices.ContainsFunc(v.Findings, func(f verify.Finding) bool { return f.Promise == 2 }) {
		t.Errorf("of who is who: %+v, %v", v.Findings, err)
	}
}

// TestReading11TwoNamesOnOneAddress: from the second on, a mail that does not say
// which of them it is from waits for a person, whose word ends it.
func TestReading11TwoNamesOnOneAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	s := w.service(w.store, rules.New())
	sent := func(id, from, text string) ledger.Key {
		k := w.record("hello@demo.example", id, rawMail(id, from, "Huts", text))
		w.settle(s, k)
		return k
	}
	sent("m1", "Ada Lovelace <family@example.org>", body)
	nameless := sent("m2", "family@example.org", body+" again")
	if e := w.event(nameless); e.State != inbound.Decided {
		t.Errorf("before there is a dispute: %s %v", e.State, e.Reasons)
	}
	sent("m3", "Bea King <family@example.org>", body+" for me")
	asked := sent("m4", "family@example.org", body+" for whom?")
	if e := w.event(asked); e.State != inbound.InReview || !slices.Contains(e.Reasons, match.ReasonDisputed) {
		t.Fatalf("it joined: %s %v", e.State, e.Reasons)
	}
	named := sent("m5", "Ada Lovelace <family@example.org>", body+" for Ada")
	if e := w.event(named); e.State != inbound.Decided {
		t.Errorf("who says the name is asked: %v", e.Reasons)
	}
	if err := w.answer(s, asked, yes); err != nil {
		t.Fatal(err)
	}
	if e := w.event(sent("m6", "family@example.org", body+" once more")); e.State != inbound.Decided {
		t.Errorf("it is asked again: %v", e.Reasons)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 1})
}

// TestReading07ANameAtOnePerCentGreetsNobody, is written nowhere, and explain says
// why.
func TestReading07ANameAtOnePerCentGreetsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = func(_ int, s reader.Source) (reader.Record, error) {
		r := plainRecord(s)
		r.ContactName = reader.Field{Value: "Ada Lovelace", Confidence: 1, Evidence: "Ada Lovelace", Where: reader.InVisible}
		return r, nil
	}
	k := w.record("hello@demo.example", "m1", rawMail("m1", "ada@example.org", "Huts", body+"\r\n\r\nAda Lovelace"))
	w.settle(w.service(w.store, w.reader), k)
	e := w.event(k)
	if name := w.all(ledger.Contact)[0].Text("name"); name != "" || strings.Contains(w.intent(e.Intent).Text, "Ada") {
		t.Errorf("the contact is %q, the mail %q", name, w.intent(e.Intent).Text)
	}
	var text bytes.Buffer
	told, err := explain.Explain(t.Context(), w.store, w.ids, explain.Query{Tenant: "demo", Event: e.ID})
	if err != nil || told.WriteText(&text) != nil || !strings.Contains(text.String(), "kept as a candidate") {
		t.Errorf("explain: %v\n%s", err, text.String())
	}
	if x := w.all(ledger.Extraction); !strings.Contains(fmt.Sprint(x), "Ada Lovelace") {
		t.Error("the candidate is not kept")
	}
}
