package send_test

import (
	"context"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

func TestAfterTheDeadlineThePolicySaysWhatBecomesOfAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		policy string
		state  string
		calls  int
	}{{tenant.UnknownReview, followup.InReview, 1}, {tenant.UnknownResend, followup.Accepted, 2}} {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = test.policy })
			w.post.verdict, w.post.events = first(lostTaken, taken), eventsLost
			start := time.Now()
			w.untilQuiet()
			w.keep()
			if w.state() != test.state || w.post.calls != test.calls || time.Since(start) < within {
				t.Errorf("%s: intent %s, %d calls after %s", test.policy, w.state(), w.post.calls, time.Since(start))
			}
		})
	}
}

func TestSilenceDoesNotCountWhileTheFeedIsNotProvenAlive(t *testing.T) {
	t.Parallel()
	for _, proof := range []string{"none", "from before the outcome was lost", "from before the deadline"} {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = tenant.UnknownResend })
			w.feedSilent = true
			w.post.verdict, w.post.events = first(lostTaken, taken), eventsLost
			if proof == "from before the outcome was lost" {
				w.prove()
			}
			w.must(w.run())
			if proof == "from before the deadline" { // a backlog comes in no order
				time.Sleep(within - time.Second)
				w.prove()
			}
			for range 100 {
				time.Sleep(15 * time.Minute)
				w.sweepOnce()
				w.pump()
			}
			op := w.get(w.op)
			if w.state() != followup.Unknown || op.Text("state") != outbox.Open || op.Text("reason") != "feed_not_proven" {
				t.Fatalf("%s: intent %s, operation %v", proof, w.state(), op)
			}
			w.feedSilent = false
			w.untilQuiet()
			w.keep()
			if w.state() != followup.Accepted || w.post.calls != 2 {
				t.Errorf("%s: intent %s", proof, w.state())
			}
		})
	}
}

// A worker reads the operation, and before it reads the intent another claims,
// calls and loses the answer. The operation in hand is due, the deadline is not.
func TestAnOperationReadBeforeTheClaimDoesNotShortenTheDeadline(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{tenant.UnknownReview, tenant.UnknownResend} {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = policy })
			w.post.verdict, w.post.events = first(lostTaken, taken), eventsLost
			w.between(1, func() {
				w.must(w.run())
				time.Sleep(time.Second)
				w.prove()
			})
			w.must(w.run())
			if w.state() != followup.Unknown || w.post.calls != 1 {
				t.Errorf("%s: intent %s after %d calls", policy, w.state(), w.post.calls)
			}
		})
	}
}

func TestAnOperationReadBeforeAThrottleDoesNotShortenTheWait(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.post.verdict = first(halted, taken)
		w.between(1, func() { w.must(w.run()) })
		w.must(w.run())
		if w.post.calls != 1 {
			t.Errorf("%d calls although the account is halted", w.post.calls)
		}
		w.untilQuiet()
		w.keep()
	})
}

// between does something after the n-th read from now, once.
func (w *world) between(n int, do func()) {
	seen := w.store.reads
	w.store.readHook = func(at int) error {
		if at == seen+n+1 {
			w.store.readHook = nil
			do()
		}
		return nil
	}
}

func TestAResendAsksEveryConditionAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = tenant.UnknownResend })
		w.post.verdict, w.post.events = first(lostTaken, taken), eventsLost
		w.must(w.run())
		w.stop(t.Context())
		w.untilQuiet()
		w.keep()
		if w.state() != followup.Suppressed || w.post.calls != 1 {
			t.Errorf("intent %s, %d calls", w.state(), w.post.calls)
		}
	})
}

func TestALapseWhoseAttemptIsSettledStillGivesTheIntentAnOwner(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.post.verdict = first(rejected, rejected)
		w.post.after = func(int) { // an operator parks and reopens the timer under the worker
			w.set(w.op, ledger.Item{"state": outbox.Parked, "transition": 2})
		}
		w.must(w.run())
		w.set(w.op, ledger.Item{"state": outbox.Open, "transition": 3})
		if w.state() != followup.Sending || w.attempt(1).Text("state") != followup.AttemptRejected {
			t.Fatalf("intent %s, attempt %v", w.state(), w.attempt(1))
		}
		w.untilQuiet()
		if i := w.get(w.key("i1")); i.Text("state") != followup.InReview || w.get(taskKey(i.Text("review"))).Text("state") != review.Open {
			t.Errorf("intent %v", i)
		}
	})
}

// queued puts further intents of the contact: one ready, one proposed, one
// ready to another address.
func queued(w *world) {
	var c ledger.Commit
	ready, proposed, elsewhere := w.intentOf("ready"), w.intentOf("proposed"), w.intentOf("elsewhere")
	proposed.State, proposed.Review = followup.Proposed, "t1"
	elsewhere.Guard = "g2"
	w.born(&c, ready)
	w.born(&c, proposed)
	w.born(&c, elsewhere)
	w.commit(c)
}

func (w *world) cancellation() ledger.Change {
	return w.change(ledger.Operation.At("demo", "cancel0"))
}

func TestAnOptOutEndsWhatIsQueuedAndItsQuestions(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		queued(w)
		w.stop(t.Context())
		w.must(w.send.Handle(t.Context(), w.cancellation()))
		for id, reason := range map[string]string{"i1": "suppressed_all", "ready": "suppressed_all", "proposed": "suppressed_all", "elsewhere": "consent_withdrawn"} {
			if i := w.get(w.key(id)); i.Text("state") != followup.Suppressed || i.Text("reason") != reason {
				t.Errorf("intent %s is %s by %s", id, i.Text("state"), i.Text("reason"))
			}
		}
		if task := w.get(taskKey("t1")); task.Text("state") != review.Closed || task.Text("open_for") != "" {
			t.Errorf("task %v", task)
		}
		if op := w.cancellation().Item; op.Text("state") != outbox.Done || op.Text("result") != "ended_4" {
			t.Errorf("operation %v", op)
		}
		// Again, as a repeated change and as an operation of its own.
		w.set(ledger.Operation.At("demo", "cancel0"), ledger.Item{"state": outbox.Open, "not_before": utc.At(time.Now())})
		seen := w.get(w.key("proposed")).Version()
		w.must(w.send.Handle(t.Context(), w.cancellation()))
		if w.get(w.key("proposed")).Version() != seen {
			t.Error("the repetition changed something")
		}
		w.untilQuiet()
		if w.post.calls != 0 {
			t.Error("a mail went out")
		}
	})
}

// TestAnOptOutEndsAHeldMailAndLeavesAnUnknownOne: a held mail cannot have been
// sent, so the question about it goes too; whether an unknown one was sent is
// still to be answered.
func TestAnOptOutEndsAHeldMailAndLeavesAnUnknownOne(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string][2]string{
		review.HeldSend:    {followup.Suppressed, review.Closed},
		review.UnknownSend: {followup.InReview, review.Open},
	} {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, nil)
			queued(w)
			w.set(w.key("proposed"), ledger.Item{"state": followup.InReview})
			w.set(taskKey("t1"), ledger.Item{"kind": kind})
			w.stop(t.Context())
			w.must(w.send.Handle(t.Context(), w.cancellation()))
			intent, task := w.get(w.key("proposed")).Text("state"), w.get(taskKey("t1")).Text("state")
			if intent != want[0] || task != want[1] {
				t.Errorf("%s: intent %s, task %s; want %s, %s", kind, intent, task, want[0], want[1])
			}
		})
	}
}

func TestAStoppedAddressDoesNotEndMailToAnotherOfTheContact(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		queued(w)
		w.stop(t.Context())
		w.set(contactKey, ledger.Item{"consent_version": 1}) // a bounce withdraws no consent
		w.must(w.send.Handle(t.Context(), w.cancellation()))
		if got := w.get(w.key("elsewhere")).Text("state"); got != followup.Ready {
			t.Errorf("the intent to the other address is %s", got)
		}
		if got := w.get(w.key("ready")).Text("state"); got != followup.Suppressed {
			t.Errorf("the intent to the stopped address is %s", got)
		}
	})
}

// lagging is a store whose index by contact has not seen the intents yet.
type lagging struct{ *faulty }

func (l lagging) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	if q.Index == schema.ByContact {
		return ledger.Page{}, nil
	}
	return l.faulty.Query(ctx, q)
}

func TestACancellationThatTheIndexHidesIsMadeByTheClaim(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.send.Store = role.Store(lagging{w.store})
		w.stop(t.Context())
		w.must(w.send.Handle(t.Context(), w.cancellation()))
		if w.state() != followup.Ready {
			t.Fatalf("intent %s", w.state())
		}
		w.untilQuiet()
		w.keep()
		if w.state() != followup.Suppressed || w.post.calls != 0 {
			t.Errorf("intent %s", w.state())
		}
	})
}
