package contacts_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/operate/contacts"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

func TestAnAliasAddsAKeyAndFreesNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("a", "ann@example.com")
	w.do(alias("ann@example.com", "Ann.Lee@example.org"))
	a := w.contact("a")
	if a.Email != "ann@example.com" || a.Revision != 1 || a.ConsentVersion != 1 || !slices.Equal(a.Keys, []string{"email:ann@example.com", "email:ann.lee@example.org"}) {
		t.Errorf("%+v", a)
	}
	k, err := w.store.Get(t.Context(), ledger.ContactKey.At("demo", "email:ann.lee@example.org"))
	if err != nil || k.Text("contact") != "a" {
		t.Errorf("%v, %v", k, err)
	}
	for _, act := range []contacts.Act{alias("a", "ann.lee@EXAMPLE.org"), alias("a", "ann@example.com"), change("a", "ann@example.com")} {
		if p := w.do(act); p.Already == "" {
			t.Errorf("%s %s: %+v", act.Kind, act.Address, p)
		}
	}
}

func TestAnAddressThatIsNobodysOrSomebodyElsesIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("a", "ann@example.com")
	w.person("b", "bob@example.com")
	for _, to := range []string{"bob@example.com", "office@example.org", "no-reply@example.org", "postmaster@example.org", "hello@demo.example", "", "ann"} {
		w.refused(alias("a", to))
		w.refused(change("a", to))
	}
	if no := w.refused(alias("a", "bob@example.com")); !says([]string{no.Hint}, "onefold contact merge b a") {
		t.Errorf("hint %q", no.Hint)
	}
	w.set(people.Key("demo", "b"), ledger.Item{"status": contact.Erased})
	w.refused(alias("b", "new@example.com"))
}

// What a person said at an address before anybody knew whose it is counts from
// when that is known.
func TestAnAliasOfAStoppedAddressIsAnOptOut(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]int64{guard.ReasonOptOut: 2, guard.ReasonComplaint: 2, guard.ReasonBounce: 1} {
		for _, act := range []contacts.Act{alias("a", "ann@example.org"), change("a", "ann@example.org")} {
			w := newWorld(t)
			w.person("a", "ann@example.com")
			w.guard("ann@example.org", "stop", reason)
			w.do(act)
			if got := w.contact("a").ConsentVersion; got != want {
				t.Errorf("%s, %s: consent version %d, want %d", act.Kind, reason, got, want)
			}
			if got := w.operations(outbox.CancelIntents, "a"); got != int(want)-1 {
				t.Errorf("%s, %s: %d operations end what waits", act.Kind, reason, got)
			}
		}
	}
}

func TestAChangedAddressIsToldToTheCRMAndApprovedMailKeepsItsRecipient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("a", "ann@example.com")
	w.waits("i1", "a", "ann@example.com")
	p := w.do(change("a", "ann@example.org"))
	a := w.contact("a")
	if a.Email != "ann@example.org" || a.Revision != 2 || len(a.Keys) != 2 || w.operations(outbox.CRMContact, "a") != 1 {
		t.Errorf("%+v", a)
	}
	if !says(p.Keeps, "follow-up i1, which waits, still goes to ann@example.com") {
		t.Errorf("keeps %q", p.Keeps)
	}
	// Back again: its key never went away, so only the main address changes.
	w.do(change("a", "ann@example.com"))
	if back := w.contact("a"); back.Email != "ann@example.com" || back.Revision != 3 || len(back.Keys) != 2 || back.Reach != a.Reach || w.operations(outbox.CRMContact, "a") != 2 {
		t.Errorf("%+v", back)
	}
}

func TestASplitTakesAMergeBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"a", "b", "c", "d"} {
		w.person(id, id+"x@example.com")
	}
	w.do(merge("a", "b"))
	w.do(merge("b", "c"))
	w.do(merge("c", "d"))
	if p := w.do(split("d")); p.Already == "" {
		t.Errorf("%+v", p)
	}
	w.do(split("b"))
	for id, want := range map[string][]string{"a": nil, "b": {"a"}, "c": nil, "d": {"c"}} {
		if got := w.contact(id).Absorbed; !slices.Equal(got, want) {
			t.Errorf("%s: absorbed %v, want %v", id, got, want)
		}
	}
	b := w.contact("b")
	if b.Status != contact.Active || b.MergedInto != "" || !b.MergedAt.IsZero() || b.ConsentVersion != 1 {
		t.Errorf("%+v", b)
	}
	if p := w.do(split("b")); p.Already == "" {
		t.Errorf("%+v", p)
	}
	// By an address it is the contact whose key that is.
	w.do(split("ax@example.com"))
	if got := w.contact("a"); got.Status != contact.Active {
		t.Errorf("%+v", got)
	}
}

func TestASplitLeavesBothWithTheOptOutsOfTheirTimeTogether(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"ann@example.com", "bob@example.com"} {
		w := newWorld(t)
		w.person("a", "ann@example.com")
		w.person("b", "bob@example.com")
		w.do(merge("a", "b"))
		w.guard(where, "stop", guard.ReasonOptOut)
		p := w.do(split("a"))
		for _, id := range []string{"a", "b"} {
			if got := w.contact(id).ConsentVersion; got != 2 || w.operations(outbox.CancelIntents, id) != 1 {
				t.Errorf("opt-out of %s: consent version of %s is %d", where, id, got)
			}
		}
		if !says(p.Keeps, "a stop holds for the address that it was said at") {
			t.Errorf("keeps %q", p.Keeps)
		}
	}
}

func TestASplitSaysWhichEnquiriesStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("a", "ann@example.com")
	w.person("b", "bob@example.com")
	w.do(merge("a", "b"))
	for event, at := range map[string]time.Time{"before": noon.Add(-time.Hour), "after": noon.Add(time.Hour)} {
		var c ledger.Commit
		w.ok(c.Create("enquiry", ledger.Enquiry.Under("demo", "b", event),
			contact.Enquiry{Tenant: "demo", Contact: "b", Event: event, At: utc.At(at)}))
		w.ok(w.store.Store.Commit(t.Context(), c))
	}
	if p := w.plan(split("a")); !says(p.Keeps, "1 enquiry stays that came since the merge with b: after") {
		t.Errorf("keeps %q", p.Keeps)
	}
}

func TestNobodyIsLeftWithTheMainAddressOfWhoIsSplitOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"a", "b", "c"} {
		w.person(id, id+"x@example.com")
	}
	w.do(merge("a", "b"))
	w.do(change("b", "ax@example.com"))
	w.refused(split("a"))
	w.do(merge("b", "c"))
	w.refused(split("a"))
	w.do(split("b"))
	w.do(change("b", "bx@example.com"))
	w.do(split("a"))
}

func TestShowTellsOfThePersonAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("a", "ann@example.com")
	w.person("b", "bob@example.com")
	w.record("b", "12")
	w.waits("i1", "b", "bob@example.com")
	w.do(merge("a", "b"))
	w.guard("ann@example.com", "stop", guard.ReasonOptOut)
	by, err := w.s.Show(t.Context(), "demo", "ann@example.com")
	w.ok(err)
	if by.ID != "b" || by.Mail != "no follow-up goes to any address: the person wants none" || len(by.Addresses) != 2 || len(by.Absorbed) != 1 ||
		len(by.Waiting) != 1 || len(by.Records) != 1 || by.Addresses[0].Guard != "clear" || by.Addresses[1].Guard != "stopped since 2 Mar 2026 by an opt-out" {
		t.Errorf("%+v", by)
	}
	own, err := w.s.Show(t.Context(), "demo", "a")
	w.ok(err)
	if own.ID != "a" || own.MergedInto != "b" || own.LeadsTo != "b" || own.Mail != by.Mail {
		t.Errorf("%+v", own)
	}
	if _, err := w.s.Show(t.Context(), "demo", "nobody"); err == nil {
		t.Error("nobody is shown")
	}
}

// A key that is marked as shared leads to whoever had it first, and names
// nobody: no act is done on a contact that was named by it.
func TestASharedAddressNamesNoContact(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person("a", "ada@example.org")
	w.person("b", "bob@example.org")
	w.set(ledger.ContactKey.At("demo", "email:ada@example.org"), ledger.Item{"shared": true})
	for _, act := range []contacts.Act{
		{Kind: contacts.Merge, Contact: "ada@example.org", Into: "b"}, {Kind: contacts.Merge, Contact: "b", Into: "ada@example.org"},
		{Kind: contacts.Alias, Contact: "ada@example.org", Address: "ada@example.net"}, {Kind: contacts.Split, Contact: "ada@example.org"},
	} {
		act.Tenant = "demo"
		_, err := w.s.Plan(t.Context(), act)
		var no *contacts.Refusal
		if !errors.As(err, &no) || !strings.Contains(no.Why, "names nobody") {
			t.Errorf("%+v: %v", act, err)
		}
	}
	if _, err := w.s.Plan(t.Context(), contacts.Act{Kind: contacts.Merge, Tenant: "demo", Contact: "a", Into: "b"}); err != nil {
		t.Error(err)
	}
}
