package send_test

import (
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
)

// late runs a worker that is paused after its call, lets the lease lapse and
// does meanwhile what between says; then the worker goes on and settles.
func late(t *testing.T, policy string, v verdict, between func(*world)) *world {
	t.Helper()
	w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = policy })
	w.post.events = eventsLost // nobody but the worker knows
	w.post.verdict = first(v, taken)
	w.post.after = func(n int) {
		if n != 1 {
			return
		}
		time.Sleep(lease + 2*time.Second)
		w.sweepOnce()
		w.pump()
		if w.state() != followup.Unknown || w.attempt(1).Text("state") != followup.AttemptUnknown {
			t.Fatalf("after the lapse the intent is %s", w.state())
		}
		if between != nil {
			between(w)
		}
	}
	died, _ := w.handle(t.Context(), w.change(w.op)) // its life is not ended by the runner: the worst case
	if died {
		t.Fatal("died")
	}
	return w
}

func toDeadline(w *world) {
	time.Sleep(within)
	w.prove()
	w.sweepOnce()
	w.pump()
}

func TestALateAcceptanceIsEvidence(t *testing.T) {
	t.Parallel()
	t.Run("while unknown", func(t *testing.T) {
		t.Parallel()
		bubble(t, func(t *testing.T) {
			w := late(t, tenant.UnknownReview, taken, nil)
			wantAccepted(t, w, 1)
		})
	})
	t.Run("while in review, and the question closes", func(t *testing.T) {
		t.Parallel()
		bubble(t, func(t *testing.T) {
			task := ""
			w := late(t, tenant.UnknownReview, taken, func(w *world) {
				toDeadline(w)
				task = w.get(w.key("i1")).Text("review")
				if it := w.get(taskKey(task)); w.state() != followup.InReview || it.Text("kind") != review.UnknownSend || it.Text("state") != review.Open {
					t.Fatalf("intent %s, task %v", w.state(), it)
				}
			})
			wantAccepted(t, w, 1)
			if it := w.get(taskKey(task)); it.Text("state") != review.Closed || it.Text("open_for") != "" {
				t.Errorf("task %v", it)
			}
		})
	})
	t.Run("ready again by policy, before the second claim", func(t *testing.T) {
		t.Parallel()
		bubble(t, func(t *testing.T) {
			w := late(t, tenant.UnknownResend, taken, func(w *world) {
				time.Sleep(within)
				w.prove()
				w.must(w.run()) // the deadline alone
				if w.state() != followup.Ready {
					t.Fatalf("intent %s", w.state())
				}
			})
			wantAccepted(t, w, 1)
		})
	})
	t.Run("although the first write of it fails", func(t *testing.T) {
		t.Parallel()
		for _, f := range faults()[:3] {
			bubble(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.post.events = eventsLost
				w.post.after = func(int) {
					time.Sleep(lease + 2*time.Second)
					w.sweepOnce()
					w.pump()
					failed := false
					w.store.hook = func(_ int, c ledger.Commit) (bool, error) {
						for _, x := range c.Writes { // the evidence, not the settle that is refused
							if x.Key.Entity == ledger.Attempt && x.Set["state"] == followup.AttemptAccepted && w.state() == followup.Unknown && !failed && x.Set["settled_at"] == nil {
								failed = true
								return f.apply, f.err
							}
						}
						return true, nil
					}
				}
				if _, err := w.handle(t.Context(), w.change(w.op)); err != nil {
					t.Errorf("%s: %v", f.name, err)
				}
				wantAccepted(t, w, 1)
			})
		}
	})
}

func wantAccepted(t *testing.T, w *world, calls int) {
	t.Helper()
	w.untilQuiet()
	w.keep()
	if w.state() != followup.Accepted || w.attempt(1).Text("state") != followup.AttemptAccepted || len(w.post.got) != calls {
		t.Errorf("intent %s, attempt %v, %d submissions", w.state(), w.attempt(1), len(w.post.got))
	}
}

func TestALateRefusalIsWrittenToItsAttemptAndAPersonDecides(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		v     verdict
		state string
	}{{rejected, followup.AttemptRejected}, {throttled, followup.AttemptThrottled}, {notBegun, followup.AttemptNotBegun}, {lostUntake, followup.AttemptUnknown}} {
		bubble(t, func(t *testing.T) {
			w := late(t, tenant.UnknownReview, test.v, nil)
			if w.state() != followup.Unknown || w.attempt(1).Text("state") != test.state {
				t.Errorf("%s: intent %s, attempt %v", test.state, w.state(), w.attempt(1))
			}
			w.untilQuiet()
			w.keep()
			if w.state() != followup.InReview || len(w.post.got) != 1 {
				t.Errorf("%s: intent %s", test.state, w.state())
			}
		})
	}
}

func TestAWorkerThatWakesAfterItsLeaseDoesNotSubmit(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = tenant.UnknownResend })
		w.post.before = func(n int) {
			if n == 1 { // paused between claim and call, past lease and deadline
				time.Sleep(lease + time.Second)
				w.sweepOnce()
				w.pump()
				toDeadline(w)
				w.pump()
			}
		}
		_, _ = w.handle(t.Context(), w.change(w.op))
		w.untilQuiet()
		w.keep()
		if w.post.taken("i1") != 1 || w.attempt(1).Text("state") != followup.AttemptNotBegun || w.attempt(2).Text("state") != followup.AttemptAccepted {
			t.Errorf("%d taken, attempts %v, %v", w.post.taken("i1"), w.attempt(1), w.attempt(2))
		}
	})
}

func TestEvidenceWhileSendingIsKeptByTheSettleAfterIt(t *testing.T) {
	t.Parallel()
	for _, v := range []verdict{taken, lostTaken} {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, nil)
			w.post.verdict = first(v, v)
			w.post.events = eventsEarly
			w.post.after = func(int) {
				if w.state() != followup.Accepted {
					t.Errorf("evidence left the intent %s", w.state())
				}
			}
			w.must(w.run())
			wantAccepted(t, w, 1)
		})
	}
}

func TestEvidenceAgainChangesNoState(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.must(w.run())
		before := w.attempt(1).Int("transition")
		w.happen(event(mailer.EventSent, 1, "m1", "k1"))
		one := w.attempt(1)
		w.happen(event(mailer.EventSent, 1, "m1", "k1"))
		w.happen(event(mailer.EventSent, 1, "m1", "k1"))
		if got := w.attempt(1); got.Version() != one.Version() || one.Int("transition") != before+1 || one.Text("sent_at") == "" {
			t.Errorf("attempt %v, then %v", one, got)
		}
		wantAccepted(t, w, 1)
	})
}

// resending brings i1 to its second attempt after a lost first one.
func resending(t *testing.T, second verdict, during func(*world)) *world {
	t.Helper()
	w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = tenant.UnknownResend })
	w.post.events = eventsLost
	w.post.verdict = first(lostTaken, second)
	w.post.before = func(n int) {
		if n == 2 {
			during(w)
		}
	}
	w.untilQuiet()
	return w
}

func TestEvidenceOfTheFirstAttemptWhileTheSecondIsUnderWay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		second verdict
		state  string // of attempt 2
	}{
		{"second accepted", taken, followup.AttemptAccepted},
		{"second rejected", rejected, followup.AttemptRejected},
		{"second not begun", notBegun, followup.AttemptNotBegun},
		{"second unknown", lostUntake, followup.AttemptUnknown},
		{"second dies", verdict{dieBefore: true}, followup.AttemptUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				w := resending(t, test.second, func(w *world) {
					if w.state() != followup.Sending {
						t.Errorf("intent %s", w.state())
					}
					w.happen(event(mailer.EventSent, 1, "m1", "k1"))
					if w.state() != followup.Accepted || w.attempt(2).Text("state") != followup.AttemptUnknown {
						t.Errorf("intent %s, attempt 2 %v", w.state(), w.attempt(2))
					}
				})
				w.keep()
				if w.state() != followup.Accepted || w.attempt(1).Text("state") != followup.AttemptAccepted || w.attempt(2).Text("state") != test.state {
					t.Errorf("intent %s, attempts %v, %v", w.state(), w.attempt(1), w.attempt(2))
				}
				if len(w.post.got) > 2 || w.get(w.key("i1")).Int("attempt") != 2 {
					t.Error("a third attempt")
				}
			})
		})
	}
}

func TestEvidenceAgainstARefusalStopsTheNextAttempt(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.post.verdict = first(verdict{takes: true, result: throttled.result}, taken)
		w.post.events = eventsEarly
		w.post.after = nil
		w.must(w.run())
		w.untilQuiet()
		w.keep()
		if w.state() != followup.Accepted || len(w.post.got) != 1 {
			t.Errorf("intent %s, %d submissions", w.state(), len(w.post.got))
		}
	})
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.post.verdict = first(throttled, taken)
		w.must(w.run())
		w.happen(event(mailer.EventSent, 1, "m1", "k1"))
		if w.state() != followup.Accepted || w.attempt(1).Text("reason") != "contradicted" || w.attempt(1).Text("state") != followup.AttemptThrottled {
			t.Errorf("intent %s, attempt %v", w.state(), w.attempt(1))
		}
		w.untilQuiet()
		if len(w.post.got) != 1 {
			t.Error("sent again although it is known to have gone")
		}
	})
}
