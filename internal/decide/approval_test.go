package decide_test

import (
	"slices"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

// asked checks that the mail waits for a person, for these reasons.
func asked(t *testing.T, res decide.Result, reasons ...string) {
	t.Helper()
	wants(t, res, inbound.FollowUp)
	is, tasks := intents(t, res), created[review.Task](t, res, ledger.ReviewTask)
	if len(is) != 1 || len(tasks) != 1 {
		t.Fatalf("%d intents, %d tasks", len(is), len(tasks))
	}
	if i := is[0]; i.State != followup.Proposed || i.ApprovedHash != "" || i.ApprovedBy != "" || i.Review != tasks[0].ID ||
		slices.Contains(opKinds(t, res), outbox.SendIntent) {
		t.Errorf("it goes without a person: %+v, %v", i, opKinds(t, res))
	}
	if tk := tasks[0]; tk.Kind != review.ApproveIntent || tk.ContentHash != is[0].ContentHash || !slices.Equal(tk.Reasons, reasons) {
		t.Errorf("task %+v, want reasons %v", tk, reasons)
	}
}

func auto(t tb) decide.Ground { return ground(t, mail(ada, question), tenant.ModeAuto) }

func TestTheFirstMailToAnybodyIsApprovedWhereThePolicySaysSo(t *testing.T) {
	t.Parallel()
	g := auto(t)
	g.Policy.Review.NewContacts = true
	asked(t, decideOn(t, g), decide.ReasonNewProspect)
	for _, state := range []string{followup.Accepted, followup.Ready, followup.Rejected} {
		old := known(g)
		old.Seen.Cadence = &followup.Cadence{Tenant: "demo", Contact: "contact-1", Rule: "welcome", Intent: "intent-0", FoldUntil: start, Version: 1}
		old.Seen.Slot = &followup.Intent{Tenant: "demo", ID: "intent-0", Contact: "contact-1", State: state}
		if i := intents(t, decideOn(t, old))[0]; i.State != followup.Ready {
			t.Errorf("after one that is %s a known contact's is %s", state, i.State)
		}
	}
	if i := intents(t, decideOn(t, known(g)))[0]; i.State != followup.Ready || i.ApprovedBy != "policy" {
		t.Errorf("to a known contact: %+v", i)
	}
}

// A prospect who writes again while his first mail waits, or after it was
// refused, is one still: that he has a contact by now is nobody's approval.
func TestAProspectStaysOneUntilAMailIsApproved(t *testing.T) {
	t.Parallel()
	for _, slot := range []followup.Intent{{State: followup.Proposed}, {State: followup.Cancelled, Reason: followup.ReasonRefused}} {
		g := known(auto(t))
		g.Policy.Review.NewContacts = true
		slot.Tenant, slot.ID, slot.Contact = "demo", "intent-0", "contact-1"
		g.Seen.Cadence = &followup.Cadence{Tenant: "demo", Contact: "contact-1", Rule: "welcome", Intent: "intent-0", FoldUntil: start, Version: 1}
		g.Seen.Slot = &slot
		asked(t, decideOn(t, g), decide.ReasonNewProspect)
	}
}

func TestAHighImpactRuleIsAlwaysApproved(t *testing.T) {
	t.Parallel()
	for _, g := range []decide.Ground{auto(t), known(auto(t))} {
		g.Policy.Rules[0].HighImpact = true
		asked(t, decideOn(t, g), decide.ReasonHighImpact)
	}
	g := ground(t, mail(ada, question), tenant.ModeDraft)
	g.Policy.Rules[0].HighImpact, g.Policy.Review.NewContacts = true, true
	asked(t, decideOn(t, g), decide.ReasonDraftMode, decide.ReasonNewProspect, decide.ReasonHighImpact)
	g.Policy.Rules[0].Mode = tenant.ModeObserve
	res := decideOn(t, g)
	if wants(t, res, inbound.Observed); len(on(res, ledger.ReviewTask)) != 0 {
		t.Error("what nobody sends is put before a person")
	}
}

// A person who let the event pass has not seen the mail.
func TestAnAnsweredEventIsNoApprovalOfItsMail(t *testing.T) {
	t.Parallel()
	g := auto(t)
	g.Policy.Rules[0].HighImpact = true
	g.Extraction.Record.SenderEmail.Confidence = 10
	asked(t, decideOn(t, answered(t, g, approve())), decide.ReasonHighImpact)
}
