package evidence_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/record/audit"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
	"onefold/internal/send/evidence"
	"onefold/internal/utc"
)

var (
	intentKey  = ledger.Intent.At("demo", "i1")
	attemptKey = ledger.AttemptKey("demo", "i1", 1)
	taskKey    = ledger.ReviewTask.At("demo", "t1")
	indexKey   = ledger.ProviderMessage.At(ledger.NoTenant, "fake:m1")
)

// hooked lets a test act just before a commit.
type hooked struct {
	*mem.Store
	before func(n int) error
	n      int
}

func (h *hooked) Commit(ctx context.Context, c ledger.Commit) error {
	h.n++
	if h.before != nil {
		if err := h.before(h.n); err != nil {
			return err
		}
	}
	return h.Store.Commit(ctx, c)
}

// ledgerWith has an intent and its first attempt in the given states, and the
// task that asks about it.
func ledgerWith(t *testing.T, intent, attempt string) *hooked {
	t.Helper()
	h := &hooked{Store: mem.New()}
	var c ledger.Commit
	for k, noun := range map[ledger.Key]any{
		intentKey:  followup.Intent{Tenant: "demo", ID: "i1", State: intent, Transition: 3, Attempt: 1, Review: "t1"},
		attemptKey: followup.Attempt{Tenant: "demo", Intent: "i1", Number: 1, State: attempt, Transition: 1},
		taskKey:    review.Task{Tenant: "demo", ID: "t1", Kind: review.UnknownSend, State: review.Open, Transition: 1, OpenFor: "demo"},
	} {
		if err := c.Create("row", k, noun); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *hooked) get(t *testing.T, k ledger.Key) ledger.Item {
	t.Helper()
	it, err := h.Store.Get(context.Background(), k)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func sent() evidence.Evidence {
	at := utc.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return evidence.Evidence{Tenant: "demo", Intent: "i1", Attempt: 1, Provider: "fake", MessageID: "m1", Kind: evidence.Sent, At: at, Now: at, By: "feedback"}
}

func quietLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// Every pair of states: what evidence makes of it (DESIGN section 4, Send).
func TestEvidenceIsWrittenWhateverTheIntentsState(t *testing.T) {
	t.Parallel()
	moved := map[string]bool{followup.Sending: true, followup.Unknown: true, followup.Ready: true, followup.InReview: true}
	taken := map[string]bool{followup.AttemptBegun: true, followup.AttemptUnknown: true, followup.AttemptAccepted: true}
	for _, intent := range followup.IntentMachine().Names() {
		for _, attempt := range followup.AttemptMachine().Names() {
			h := ledgerWith(t, intent, attempt)
			if err := evidence.Record(t.Context(), h, quietLog(), sent(), nil); err != nil {
				t.Fatalf("%s, %s: %v", intent, attempt, err)
			}
			i, a := h.get(t, intentKey), h.get(t, attemptKey)
			wantIntent, wantAttempt := intent, attempt
			if moved[intent] {
				wantIntent = followup.Accepted
			}
			if taken[attempt] {
				wantAttempt = followup.AttemptAccepted
			} else if a.Text("reason") != "contradicted" {
				t.Errorf("%s: evidence against the stored outcome is not marked", attempt)
			}
			if i.Text("state") != wantIntent || a.Text("state") != wantAttempt || a.Text("sent_at") == "" || a.Text("message_id") != "m1" {
				t.Errorf("%s, %s: intent %v, attempt %v", intent, attempt, i, a)
			}
			if h.get(t, indexKey).Text("intent") != "i1" {
				t.Errorf("%s, %s: not indexed", intent, attempt)
			}
			if closed := h.get(t, taskKey).Text("state") == review.Closed; closed != (intent == followup.InReview) {
				t.Errorf("%s: task %v", intent, h.get(t, taskKey))
			}
			// Promise 7: both moves have their record, with states only where
			// there was a transition.
			var r audit.Record
			if err := h.get(t, ledger.AuditKey(attemptKey, 2)).Decode(&r); err != nil || (r.To == "") != (attempt == followup.AttemptAccepted || !taken[attempt]) || (r.From == "") != (r.To == "") {
				t.Errorf("%s: record %+v", attempt, r)
			}
			if moved[intent] && h.get(t, ledger.AuditKey(intentKey, 4)).Text("to") != followup.Accepted {
				t.Errorf("%s: no record of the intent's move", intent)
			}
		}
	}
}

func TestARowMovedByAnotherIsReadAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := ledgerWith(t, followup.Sending, followup.AttemptBegun)
		h.before = func(n int) error {
			if n != 1 {
				return nil
			}
			var c ledger.Commit // the lease lapses
			_ = c.Update("intent", intentKey, ledger.Cond{}, ledger.Item{"state": followup.Unknown, "transition": 4})
			_ = c.Update("attempt", attemptKey, ledger.Cond{}, ledger.Item{"state": followup.AttemptUnknown, "transition": 2})
			return h.Store.Commit(context.Background(), c)
		}
		if err := evidence.Record(t.Context(), h, quietLog(), sent(), nil); err != nil {
			t.Fatal(err)
		}
		if h.get(t, intentKey).Text("state") != followup.Accepted || h.get(t, attemptKey).Text("state") != followup.AttemptAccepted {
			t.Errorf("intent %v", h.get(t, intentKey))
		}
	})
}

func TestAMessageIDOfAnotherRaisesAnAlarmAndLosesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := ledgerWith(t, followup.Unknown, followup.AttemptUnknown)
		var c ledger.Commit
		if err := errors.Join(evidence.IndexMessage(&c, "fake", "m1", "demo", "i2", 1, sent().At), h.Store.Commit(t.Context(), c)); err != nil {
			t.Fatal(err)
		}
		var logs bytes.Buffer
		if err := evidence.Record(t.Context(), h, slog.New(slog.NewTextHandler(&logs, nil)), sent(), nil); err != nil {
			t.Fatal(err)
		}
		if h.get(t, intentKey).Text("state") != followup.Accepted || h.get(t, indexKey).Text("intent") != "i2" {
			t.Errorf("intent %v", h.get(t, intentKey))
		}
		if strings.Count(logs.String(), "alarm=duplicate_message_id") != 1 {
			t.Errorf("log: %s", &logs)
		}
	})
}

func TestTheFirstMessageIDStands(t *testing.T) {
	t.Parallel()
	h := ledgerWith(t, followup.Unknown, followup.AttemptUnknown)
	for _, id := range []string{"m1", "m2", ""} {
		ev := sent()
		ev.MessageID, ev.Kind = id, evidence.Delivered
		if err := evidence.Record(t.Context(), h, quietLog(), ev, nil); err != nil {
			t.Fatal(err)
		}
	}
	if a := h.get(t, attemptKey); a.Text("message_id") != "m1" || h.get(t, intentKey).Text("message_id") != "m1" {
		t.Errorf("attempt %v", a)
	}
}

func TestWhatTheCallerAddsDecidesWithTheRest(t *testing.T) {
	t.Parallel()
	done := ledger.Feedback.At(ledger.NoTenant, "event")
	h := ledgerWith(t, followup.Unknown, followup.AttemptUnknown)
	also := func(c *ledger.Commit) error { return c.Create("feedback", done, ledger.Item{"status": "completed"}) }
	if err := evidence.Record(t.Context(), h, quietLog(), sent(), also); err != nil {
		t.Fatal(err)
	}
	before := h.get(t, attemptKey).Version()
	r, refused := ledger.AsRefused(evidence.Record(t.Context(), h, quietLog(), sent(), also))
	if !refused {
		t.Fatal("the event was worked off twice")
	}
	if _, named := r.By("feedback"); !named || h.get(t, attemptKey).Version() != before {
		t.Errorf("refused by %v, attempt %v", r, h.get(t, attemptKey))
	}
}

func TestFaultsAreReportedAndNothingIsClaimedToBeWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := ledgerWith(t, followup.Unknown, followup.AttemptUnknown)
		for _, change := range []func(*evidence.Evidence){
			func(e *evidence.Evidence) { e.Attempt = 2 }, func(e *evidence.Evidence) { e.Intent = "i2" }, func(e *evidence.Evidence) { e.Tenant = "other" },
		} {
			ev := sent()
			change(&ev)
			if err := evidence.Record(t.Context(), h, quietLog(), ev, nil); !errors.Is(err, evidence.ErrNoAttempt) {
				t.Errorf("%v", err)
			}
		}
		for _, fault := range []error{ledger.ErrUnavailable, ledger.ErrUnknown, ledger.ErrContention} {
			h.n = 0
			h.before = func(int) error { return fault }
			if err := evidence.Record(t.Context(), h, quietLog(), sent(), nil); !errors.Is(err, fault) {
				t.Errorf("%v: %v", fault, err)
			}
			if errors.Is(fault, ledger.ErrContention) != (h.n == evidence.Tries) {
				t.Errorf("%v: %d tries", fault, h.n)
			}
		}
		h.before = nil
		if err := evidence.Record(t.Context(), h, quietLog(), sent(), nil); err != nil || h.get(t, intentKey).Text("state") != followup.Accepted {
			t.Errorf("when it is over: %v", err)
		}
	})
}
