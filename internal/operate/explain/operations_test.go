package explain_test

import (
	"strings"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/operate/explain"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
)

// A timer of a follow-up is never claimed itself: its tries are the
// submissions of the follow-up. What ends waiting follow-ups calls nobody.
func TestTriesOfAnOperationAreThoseThatWereMade(t *testing.T) {
	t.Parallel()
	h := twice(t)
	operation := func(op outbox.Operation) {
		op.Tenant, op.State, op.Transition, op.Event, op.CreatedAt = "demo", outbox.Open, 1, "form/website/f-1", at("09:00:03")
		h.born(key(ledger.Operation, op.ID), op, outbox.Machine(), outbox.Open, "create", of(by("09:00:03", "extract", op.Kind), op.Event, "c-ada", op.Intent))
	}
	operation(outbox.Operation{ID: "op-a-send", Kind: outbox.SendIntent, Intent: "i-1"})
	operation(outbox.Operation{ID: "op-b-cancel", Kind: outbox.CancelIntents})
	operation(outbox.Operation{ID: "op-c-task", Kind: outbox.CRMTask})
	h.move(key(ledger.Operation, "op-a-send"), outbox.Machine(), "finish", nil, of(by("15:00:33", "send"), "form/website/f-1", "c-ada", "i-1"))
	tl, err := h.explain(explain.Query{Tenant: "demo", Email: "ada@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	out := text(t, tl)
	for _, want := range []string{
		"\ncrm_note       done       1 try, record 77, op-note\n",
		"\nsend_intent    done       2 tries of I1, op-a-send\n",
		"\ncancel_intents open       op-b-cancel\n",
		"\ncrm_task       open       0 tries, op-c-task\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	if op := tl.Operations[1]; op.ID != "op-a-send" || op.Attempts != 2 {
		t.Errorf("in JSON: %+v", op)
	}
}

func TestASubmissionWithoutAnOutcomeIsNotCountedAsMail(t *testing.T) {
	t.Parallel()
	h := newHand(t)
	h.born(key(ledger.Event, "form/website/f-1"), inbound.Event{
		Tenant: "demo", ID: "form/website/f-1", ReceivedAt: at("09:00:00"), State: inbound.Recorded, Transition: 1,
	}, inbound.Machine(), inbound.Recorded, "record", of(by("09:00:00", "ingest"), "form/website/f-1", "", ""))
	h.born(key(ledger.Intent, "i-1"), followup.Intent{
		Tenant: "demo", ID: "i-1", Rule: "welcome", RuleVersion: 1, Mode: "auto", Contact: "c-ada", Event: "form/website/f-1", Guard: h.guardID("ada@example.org"),
		State: followup.Ready, Transition: 1, CreatedAt: at("09:00:02"),
	}, followup.IntentMachine(), followup.Ready, "create", of(by("09:00:02", "extract"), "form/website/f-1", "c-ada", "i-1"))
	h.submit(1, "09:00:10", "")
	tl, err := h.explain(explain.Query{Tenant: "demo", Intent: "i-1"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "For what was asked about, the person got no mail that is known of, and 1 submission whose outcome is not known."; tl.Summary[0] != want {
		t.Errorf("says %q, want %q", tl.Summary[0], want)
	}
}
