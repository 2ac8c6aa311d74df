package decide_test

import (
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

// TestTheIntentIsNamedByItsCause: another event of the same mail, another
// mailbox and another contact lead to the same primary key, another mail to
// another.
func TestTheIntentIsNamedByItsCause(t *testing.T) {
	t.Parallel()
	g := ground(t, mail(ada, question), tenant.ModeAuto)
	want := followup.IntentID(key(t), "demo", g.Facts.Cause, g.Policy.Rules[0].ID, g.Policy.Rules[0].Version)
	again := ground(t, mail(ada, question), tenant.ModeAuto)
	again.Event.ID, again.Event.Mailbox = "mail/sales/m1", "sales"
	for name, g := range map[string]decide.Ground{"first": g, "another mailbox": again, "a known contact": known(again)} {
		if res := decideOn(t, g); res.Intent != want || intents(t, res)[0].ID != want {
			t.Errorf("%s: intent %s, want %s", name, res.Intent, want)
		}
	}
	m := mail(ada, question)
	m.MessageID = "m2@example.org"
	if res := decideOn(t, ground(t, m, tenant.ModeAuto)); res.Intent == want {
		t.Error("another mail has the same intent")
	}
}

// TestTheKeyOfANewContactIsItsAddress: the uniqueness of a contact is that its
// key is created, under the address alone, in the commit that makes it.
func TestTheKeyOfANewContactIsItsAddress(t *testing.T) {
	t.Parallel()
	first := decideOn(t, ground(t, mail(ada, question), tenant.ModeAuto))
	m := mail("ADA@Example.org", "Another question about something else.")
	m.MessageID, m.ContentHash = "m2@example.org", "c2"
	g := ground(t, m, tenant.ModeAuto)
	g.Event.ID = "mail/inbox/m2"
	second := decideOn(t, g)
	a, b := on(first, ledger.ContactKey), on(second, ledger.ContactKey)
	if len(a) != 1 || len(b) != 1 || a[0].Key != b[0].Key || a[0].Op != ledger.OpCreate || b[0].Op != ledger.OpCreate {
		t.Fatalf("keys %v and %v: both commits could be made", a, b)
	}
	if first.Contact == second.Contact {
		t.Error("the test proves nothing: the contacts have one name")
	}
}

// TestADecisionStandsOnTheContactAsItWasRead: merged, erased or with another
// consent meanwhile, it is made again.
func TestADecisionStandsOnTheContactAsItWasRead(t *testing.T) {
	t.Parallel()
	plain := known(ground(t, mail(ada, question), tenant.ModeAuto))
	fills := known(ground(t, mail(ada, question), tenant.ModeAuto))
	fills.Seen.Contact.Name = ""
	for name, g := range map[string]decide.Ground{"nothing to fill": plain, "a name to fill": fills} {
		res := decideOn(t, g)
		rows := on(res, ledger.Contact)
		if len(rows) != 1 {
			t.Fatalf("%s: %d writes of the contact", name, len(rows))
		}
		as := func(change ledger.Item) ledger.Item {
			it := ledger.Item{"status": contact.Active, "consent_version": int64(3), "transition": int64(7), "version": int64(1)}
			for attr, v := range change {
				it[attr] = v
			}
			return it
		}
		if !rows[0].Allowed(as(nil)) {
			t.Errorf("%s: the contact as it was read refuses", name)
		}
		// A withdrawal is a transition, and raises the consent version with it.
		for what, change := range map[string]ledger.Item{
			"merged": {"status": contact.Merged}, "erased": {"status": contact.Erased},
			"consent withdrawn": {"consent_version": int64(4), "transition": int64(8)},
		} {
			if rows[0].Allowed(as(change)) {
				t.Errorf("%s: decided on a contact that is %s", name, what)
			}
		}
	}
}

// TestASlotIsTakenAsItWasRead: of two causes at once one has it, whether the
// slot is new or its window is over.
func TestASlotIsTakenAsItWasRead(t *testing.T) {
	t.Parallel()
	g := known(ground(t, mail(ada, question), tenant.ModeAuto))
	if w := on(decideOn(t, g), ledger.Cadence); len(w) != 1 || w[0].Op != ledger.OpCreate {
		t.Errorf("a first slot: %v", w)
	}
	g.Seen.Cadence = &followup.Cadence{Contact: "contact-1", Rule: "welcome", Intent: "intent-0", FoldUntil: start, Version: 9}
	w := updated(t, decideOn(t, g), ledger.Cadence)
	if !w.Allowed(ledger.Item{"version": int64(9)}) || w.Allowed(ledger.Item{"version": int64(10)}) {
		t.Error("a slot is taken that another has taken since it was read")
	}
}

// TestAnAnswerEndsItsTaskInTheSameCommit: as approved or rejected, and out of
// the list of open ones.
func TestAnAnswerEndsItsTaskInTheSameCommit(t *testing.T) {
	t.Parallel()
	for approves, state := range map[bool]string{true: review.Approved, false: review.Rejected} {
		g := answered(t, ground(t, mail(info, question), tenant.ModeAuto), decide.Answer{Approve: approves})
		res := decideOn(t, g)
		w := updated(t, res, ledger.ReviewTask)
		after := w.Apply(ledger.Item{"state": review.Open, "transition": int64(1), "open_for": "demo", "version": int64(1)})
		if after.Text("state") != state || after.Text("open_for") != "" || after.Text("answered_by") != "person:grace" {
			t.Errorf("approves %t: the task is %v", approves, after)
		}
		if w.Allowed(ledger.Item{"state": state, "transition": int64(2), "version": int64(2)}) {
			t.Error("a task that is answered is answered again")
		}
		if e := updated(t, res, ledger.Event); e.Set["state"] != inbound.Decided {
			t.Errorf("approves %t: the event is %v", approves, e.Set["state"])
		}
	}
}
