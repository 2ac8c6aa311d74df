package feedback_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"onefold/internal/feedback"
	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

func TestEveryEventOfATakenMailIsEvidence(t *testing.T) {
	t.Parallel()
	for kind, attr := range map[mailer.EventType]string{
		mailer.EventSent: "sent_at", mailer.EventDelivered: "delivered_at", mailer.EventBounced: "bounced_at", mailer.EventComplained: "complained_at",
		mailer.EventDelayed: "state", mailer.EventRejected: "reason",
	} {
		w := newWorld(t)
		w.must(w.handle(w.event(kind, "k")))
		i, a := w.get(intentKey), w.get(attemptKey)
		if i.Text("state") != followup.Accepted || a.Text("state") != followup.AttemptAccepted || a.Text("message_id") != "m1" || a.Text(attr) == "" {
			t.Errorf("%s: intent %v, attempt %v", kind, i, a)
		}
		if op := w.get(ledger.Operation.At("demo", "op1")); op.Text("state") != outbox.Done {
			t.Errorf("%s: operation %v", kind, op)
		}
		w.audited(intentKey)
		w.audited(attemptKey)
		if dropped := strings.Contains(w.logs.String(), "alarm=dropped_by_provider"); dropped != (kind == mailer.EventRejected) {
			t.Errorf("%s: log %s", kind, w.logs)
		}
	}
}

func TestAnEventThatProvesNothingChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	foreign, probe, odd := w.event(mailer.EventSent, "a"), w.event(mailer.EventSent, "b"), w.event(mailer.EventSent, "c")
	foreign.Tags, probe.Tags = nil, map[string]string{mailer.TagProbe: "1"}
	odd.Tags[mailer.TagAttempt] = "first"
	for _, e := range []mailer.Event{foreign, probe, odd, w.event(mailer.EventOther, "d")} {
		e.Permanent = true
		w.must(w.handle(e))
	}
	if w.get(intentKey).Text("state") != followup.Sending || w.get(attemptKey).Text("state") != followup.AttemptBegun || w.get(w.guard) != nil {
		t.Errorf("intent %v", w.get(intentKey))
	}
}

func TestAnEventOfAnAttemptThatCannotBeReadComesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, change := range map[string]func(*mailer.Event){
		"attempt": func(e *mailer.Event) { e.Tags[mailer.TagAttempt] = "2" },
		"intent":  func(e *mailer.Event) { e.Tags[mailer.TagIntent] = "i2" },
		"tenant":  func(e *mailer.Event) { e.Tags[mailer.TagTenant] = "other" },
	} {
		e := w.bounce()
		change(&e)
		if err := w.handle(e); !errors.Is(err, feedback.ErrNotYet) {
			t.Errorf("%s: %v", name, err)
		}
		if w.get(feedKey) != nil {
			t.Errorf("%s: an event that was not worked off proves that the feed is alive", name)
		}
		if w.get(w.guard) != nil {
			t.Errorf("%s: stopped an address by a mail that nobody knows", name)
		}
	}
}

func TestARepeatedEventHasItsEffectsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		w.must(w.handle(w.bounce()))
	}
	if g := w.get(w.guard); g.Int("bounces") != 1 || g.Int("transition") != 1 || w.cancellations() != 1 {
		t.Errorf("guard %v, %d cancellations", g, w.cancellations())
	}
	if a := w.get(attemptKey); a.Int("transition") != 2 {
		t.Errorf("attempt %v", a)
	}
	w.audited(w.guard)
}

func TestWhatStopsMailToAnAddress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		kind   mailer.EventType
		change func(*mailer.Event)
		reason string
	}{
		{"permanent bounce", mailer.EventBounced, func(e *mailer.Event) { e.Permanent = true }, "bounce"},
		{"transient bounce", mailer.EventBounced, func(*mailer.Event) {}, ""},
		{"complaint", mailer.EventComplained, func(e *mailer.Event) { e.Subtype = "abuse" }, "complaint"},
		{"complaint without a kind", mailer.EventComplained, func(*mailer.Event) {}, "complaint"},
		{"not-spam, the opposite of a complaint (RFC 6430)", mailer.EventComplained, func(e *mailer.Event) { e.Subtype = "not-spam" }, ""},
		{"delivery", mailer.EventDelivered, func(e *mailer.Event) { e.Permanent = true }, ""},
	}
	for _, test := range tests {
		w := newWorld(t)
		e := w.event(test.kind, "k")
		test.change(&e)
		e.Recipients = []string{"somebody@example.net"} // it is the address mailed that counts
		w.must(w.handle(e))
		g := w.get(w.guard)
		stopped := g.Text("stop_all") != ""
		if stopped != (test.reason != "") || g.Text("reason") != test.reason {
			t.Errorf("%s: guard %v", test.name, g)
		}
		if stopped && (g.Text("address") != "kim@example.com" || w.cancellations() != 1) {
			t.Errorf("%s: guard %v, %d cancellations", test.name, g, w.cancellations())
		}
	}
}

// A crash or fault at each write, in each way: repetition completes the stop.
func TestAStopIsCompletedByRepetitionWhereverItBroke(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 3; n++ { // evidence, stop, feed probe
		for _, apply := range []bool{false, true} {
			for _, fault := range []error{ledger.ErrUnavailable, ledger.ErrUnknown, errLost} {
				if apply && errors.Is(fault, ledger.ErrUnavailable) {
					continue // would be a lie
				}
				w := newWorld(t)
				w.store.hook = func(at int) (bool, error) {
					if at == n {
						return apply, fault
					}
					return true, nil
				}
				if err := w.handle(w.bounce()); err == nil {
					t.Errorf("write %d: the fault was hidden from the queue", n)
				}
				w.must(w.handle(w.bounce()))
				w.must(w.handle(w.bounce()))
				g := w.get(w.guard)
				if g.Text("stop_all") == "" || g.Int("bounces") != 1 || w.cancellations() != 1 || w.get(intentKey).Text("state") != followup.Accepted {
					t.Errorf("write %d, applied %v: guard %v, %d cancellations", n, apply, g, w.cancellations())
				}
				w.audited(w.guard)
				w.audited(attemptKey)
			}
		}
	}
}

func TestARepeatedBounceDoesNotStopAgainWhatAPersonLifted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(w.handle(w.bounce()))
	var c ledger.Commit
	w.must(c.Update("guard", w.guard, ledger.Cond{}, ledger.Item{"stop_all": ""}))
	w.must(w.store.Store.Commit(t.Context(), c))
	w.must(w.handle(w.bounce()))
	if w.get(w.guard).Text("stop_all") != "" {
		t.Error("an old event stopped the address again")
	}
	e := w.bounce()
	e.DedupeKey = "another bounce"
	w.must(w.handle(e))
	if w.get(w.guard).Text("stop_all") == "" {
		t.Error("a new bounce did not stop the address")
	}
}

func TestTheFirstStopKeepsItsTimeAndReasonAndLaterOnesCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := utc.At(w.now.Add(-time.Hour))
	var c ledger.Commit
	w.must(c.Create("guard", w.guard, ledger.Item{"stop_all": first, "reason": "opt_out", "transition": 1}))
	w.must(w.store.Store.Commit(t.Context(), c))
	w.must(w.handle(w.event(mailer.EventComplained, "k")))
	if g := w.get(w.guard); g.Text("stop_all") != first.String() || g.Text("reason") != "opt_out" || g.Int("complaints") != 1 || g.Int("transition") != 2 {
		t.Errorf("guard %v", g)
	}
}

func TestAnErasedAddressIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	for _, recipient := range []string{"kim@example.com", ""} { // the intent was erased, or not yet
		w := newWorld(t)
		var c ledger.Commit
		w.must(c.Create("guard", w.guard, ledger.Item{"erased_at": utc.At(w.now), "transition": 1}))
		w.must(c.Update("intent", intentKey, ledger.Cond{}, ledger.Item{"recipient": recipient}))
		w.must(w.store.Store.Commit(t.Context(), c))
		w.must(w.handle(w.bounce()))
		if g := w.get(w.guard); g.Text("stop_all") == "" || g.Text("address") != "" {
			t.Errorf("guard %v", g)
		}
	}
}

func TestTheFeedIsAliveAsOfTheLatestEventAndNeverOfTheFuture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	probe := func(at time.Time) string {
		t.Helper()
		w.must(w.handle(mailer.Event{Type: mailer.EventDelivered, MessageID: "p", At: at, DedupeKey: at.String()}))
		return w.get(feedKey).Text("alive_at")
	}
	text := func(at time.Time) string { return utc.At(at).String() }
	start := w.now
	if got := probe(start); got != text(start) {
		t.Errorf("alive at %s", got)
	}
	if got := probe(start.Add(-time.Hour)); got != text(start) {
		t.Errorf("an old event moved it back to %s", got)
	}
	w.now = start.Add(time.Minute)
	if got := probe(start.Add(10 * time.Second)); got != text(start) {
		t.Errorf("written too often: %s", got)
	}
	if got := probe(start.Add(time.Minute)); got != text(start.Add(time.Minute)) {
		t.Errorf("alive at %s", got)
	}
	w.now = start.Add(2 * time.Minute)
	if got := probe(start.Add(1000 * time.Hour)); got != text(w.now) {
		t.Errorf("a clock ahead proves the future: %s", got)
	}
	if w.must(w.handle(mailer.Event{Type: mailer.EventDelivered, DedupeKey: "no time"})); w.get(feedKey).Text("alive_at") != text(w.now) {
		t.Error("an event without a time proves nothing")
	}
}

func TestNoAddressStandsInTheLogOrTheAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.bounce()
	e.Recipients = []string{"kim@example.com"}
	w.must(w.handle(e))
	if strings.Contains(w.logs.String(), "@") {
		t.Errorf("log: %s", w.logs)
	}
	if r := w.get(ledger.AuditKey(w.guard, 1)); r == nil || strings.Contains(r.Text("reasons"), "@") || r.Text("by") != "feedback" {
		t.Errorf("record %v", r)
	}
}
