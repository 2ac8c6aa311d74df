package verify_test

import (
	"context"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/operate/verify"
)

// busy is a ledger that has been through most of what may happen: answered at
// once, drafted, opted out, held for a person, throttled and then taken,
// unknown and then referred, redelivered, and an ID used twice.
func busy(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.post.outcomes["dora@example.org"] = []mailer.Outcome{mailer.Unknown}
	w.post.outcomes["eric@example.org"] = []mailer.Outcome{mailer.Throttled}
	const question = "Hello, do you offer a guided walk in May? I would like to come."
	w.form("f-ada", "ada@example.org", question)
	w.form("f-ada", "ada@example.org", question)
	w.form("f-ada", "ada@example.org", "Something else under the same ID.")
	w.form("f-bob", "bob@example.org", "What is the price of a guided walk?")
	w.form("f-carol", "carol@example.net", "unsubscribe")
	w.form("f-dora", "dora@example.org", question)
	w.form("f-eric", "eric@example.org", question)
	w.form("f-info", "info@example.org", question)
	w.run(3, time.Minute)
	w.form("f-ada-2", "ada@example.org", "Please unsubscribe me.")
	w.run(3, time.Minute)
	w.ok(w.feedback.Handle(t.Context(), mailer.Event{
		Type: mailer.EventDelivered, MessageID: w.one(ledger.Intent, "recipient", "ada@example.org").Text("message_id"), At: w.now, DedupeKey: "d1",
		Tags: map[string]string{
			mailer.TagTenant: "demo", mailer.TagAttempt: "1",
			mailer.TagIntent: w.one(ledger.Intent, "recipient", "ada@example.org").Text("id"),
		},
	}))
	w.now = w.now.Add(7 * time.Hour)
	// The probe: silence about dora's mail counts only while the feed works.
	w.ok(w.feedback.Handle(t.Context(), mailer.Event{Type: mailer.EventDelivered, MessageID: "probe", At: w.now, DedupeKey: "probe"}))
	w.run(3, time.Minute)
	return w
}

func TestASoundLedgerHasNoFindings(t *testing.T) {
	t.Parallel()
	w := busy(t)
	rep := w.check(verify.Options{Quiet: true, Segments: 3})
	for _, f := range rep.Findings {
		t.Errorf("%s %s: %s %v", f.Severity, f.Check, f.What, f.Keys)
	}
	if rep.Unsettled != 0 || rep.Passes != 1 || !rep.Holds() {
		t.Errorf("unsettled %d after %d passes", rep.Unsettled, rep.Passes)
	}
	// Eight forms of seven IDs; five people besides the shared inbox, of whom
	// carol never asked for anything.
	for name, want := range map[string]int{
		"event": 7, "event.decided": 6, "event.in_review": 1, "event.decided.follow_up": 4, "event.decided.opted_out": 2,
		"delivery": 9, "delivery.recorded": 7, "delivery.duplicate": 1, "delivery.conflict": 1,
		"contact": 4, "contact.active": 4, "contact_key": 4,
		"intent": 4, "intent.accepted": 2, "intent.proposed": 1, "intent.in_review": 1,
		"attempt": 4, "attempt.accepted": 2, "attempt.throttled": 1, "attempt.unknown": 1,
		"review_task": 4, "review_task.id_conflict.open": 1, "review_task.approve_intent.open": 1,
		"review_task.decide_event.open": 1, "review_task.unknown_send.open": 1,
		"operation.crm_contact.done": 4, "operation.crm_note.done": 4, "operation.send_intent.done": 3,
	} {
		if rep.Counts[name] != want {
			t.Errorf("%s is %d, want %d", name, rep.Counts[name], want)
		}
	}
}

func TestAnEmptyLedgerIsSound(t *testing.T) {
	t.Parallel()
	rep := newWorld(t).check(verify.Options{Quiet: true})
	if len(rep.Findings) != 0 || rep.Counts["event"] != 0 {
		t.Errorf("findings %v, counts %v", rep.Findings, rep.Counts)
	}
}

func TestALedgerAtWorkIsNotQuiet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.form("f-1", "ada@example.org", "Hello, do you offer a guided walk in May?")
	if rep := w.check(verify.Options{}); len(rep.Findings) != 0 {
		t.Errorf("a recorded event is sound, got %v", rep.Findings)
	}
	rep := w.check(verify.Options{Quiet: true})
	if len(rep.Findings) != 1 || rep.Findings[0].Check != "quiet" {
		t.Errorf("got %v, want one finding of quiet", rep.Findings)
	}
}

// moving changes a row between the scan and the second reading, as often as
// there are changes left.
type moving struct {
	ledger.Store
	left   int
	change func()
}

func (m *moving) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	if m.left > 0 {
		m.left--
		m.change()
	}
	return m.Store.GetMany(ctx, keys)
}

func TestWhatMovedWhileItWasScannedIsNoFinding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.form("f-1", "ada@example.org", "Hello, do you offer a guided walk in May?")
	k := ledger.KeyOf(w.one(ledger.Event, "delivery_id", "f-1"))
	due := w.one(ledger.Event, "delivery_id", "f-1").Text("due_at")
	w.set(k, ledger.Item{"due_at": ""})
	s := &moving{Store: w.store, left: 1, change: func() { w.set(k, ledger.Item{"due_at": due}) }}
	rep, err := verify.Check(t.Context(), s, verify.Options{})
	w.ok(err)
	if len(rep.Findings) != 0 || rep.Passes != 2 || rep.Unsettled != 0 {
		t.Errorf("got %+v, want a second pass without findings", rep)
	}
}

func TestWhatNeverStandsStillIsCountedAsUnsettled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.form("f-1", "ada@example.org", "Hello, do you offer a guided walk in May?")
	k := ledger.KeyOf(w.one(ledger.Event, "delivery_id", "f-1"))
	w.set(k, ledger.Item{"due_at": ""})
	s := &moving{Store: w.store, left: 100, change: func() { w.set(k, ledger.Item{"nudges": 1}) }}
	rep, err := verify.Check(t.Context(), s, verify.Options{Passes: 2})
	w.ok(err)
	if len(rep.Findings) != 0 || rep.Passes != 2 || rep.Unsettled != 1 || !rep.Holds() {
		t.Errorf("got %+v, want one unsettled finding after two passes", rep)
	}
}
