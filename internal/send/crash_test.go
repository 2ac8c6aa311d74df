package send_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
)

// story is one way in which a call goes.
type story struct {
	name    string
	verdict func(int) verdict
}

func stories() []story {
	dieBefore, dieAfter := verdict{dieBefore: true}, verdict{takes: true, dieAfter: true}
	return []story{
		{"accepted", first(taken, taken)},
		{"rejected", first(rejected, rejected)},
		{"throttled, then accepted", first(throttled, taken)},
		{"not begun, then accepted", first(notBegun, taken)},
		{"no answer, taken", first(lostTaken, taken)},
		{"no answer, not taken", first(lostUntake, taken)},
		{"dies before the call", first(dieBefore, taken)},
		{"dies after it was taken", first(dieAfter, taken)},
	}
}

// TestACrashAtAnyStoreCallBreaksNoPromise breaks each write and each read that
// anybody makes until all is quiet, in each way, and lets redelivery, the
// sweeper and the provider's events do the rest. In half of the runs a change
// whose worker failed is not even handed out again.
func TestACrashAtAnyStoreCallBreaksNoPromise(t *testing.T) {
	t.Parallel()
	for _, s := range stories() {
		for events := eventsInTime; events <= eventsLost; events++ {
			t.Run(fmt.Sprintf("%s, events %d", s.name, events), func(t *testing.T) {
				t.Parallel()
				for n, f := range faults() {
					if testing.Short() && !f.apply {
						continue // what was applied without an answer is the worse half
					}
					policy := []string{tenant.UnknownReview, tenant.UnknownResend}[(n+events)%2]
					enumerate(t, policy, s, events, f, (n+events/2)%2 == 0)
					if events == eventsLost { // where most hangs on the policy
						enumerate(t, tenant.UnknownReview, s, events, f, false)
						enumerate(t, tenant.UnknownResend, s, events, f, true)
					}
				}
			})
		}
	}
}

// enumerate breaks one call after another until the story ends before the
// next one.
func enumerate(t *testing.T, policy string, s story, events int, f fault, lossy bool) {
	t.Helper()
	for n := 1; ; n++ {
		writes := broken(t, policy, s, events, lossy, func(w *world, reached *bool) {
			w.store.hook = func(at int, c ledger.Commit) (bool, error) {
				if at != n {
					return true, nil
				}
				*reached = true
				if f.twice {
					_ = w.store.apply(context.Background(), c)
				}
				return f.apply, f.err
			}
		})
		reads := !f.apply && !errors.Is(f.err, ledger.ErrUnknown) && broken(t, policy, s, events, lossy, func(w *world, reached *bool) {
			w.store.readHook = func(at int) error {
				if at != n {
					return nil
				}
				*reached = true
				return f.err
			}
		})
		if t.Failed() {
			t.Fatalf("with call %d: %s; changes handed out once: %v", n, f.name, lossy)
		}
		if !writes && !reads {
			return
		}
		if n == 500 {
			t.Fatal("the story does not end")
		}
	}
}

func broken(t *testing.T, policy string, s story, events int, lossy bool, plan func(*world, *bool)) (reached bool) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = policy })
		w.post.verdict, w.post.events, w.lossy = s.verdict, events, lossy
		plan(w, &reached)
		w.untilQuiet()
		w.keep()
	})
	return reached
}

// TestAStopAtAnyMomentIsKept commits an opt-out before each write of the way,
// with each story, and crashes right after it as well.
func TestAStopAtAnyMomentIsKept(t *testing.T) {
	t.Parallel()
	for _, s := range stories() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range []fault{{name: "goes well", apply: true}, {name: "gets no answer", apply: true, err: ledger.ErrUnknown}, {name: "is the last of its worker", apply: true, err: errDeath}} {
				for n, reached := 1, true; reached; n++ {
					reached = broken(t, tenant.UnknownResend, s, eventsInTime, false, func(w *world, reached *bool) {
						w.store.hook = func(at int, _ ledger.Commit) (bool, error) {
							if at != n {
								return true, nil
							}
							*reached = true
							w.stop(t.Context())
							return f.apply, f.err
						}
					})
					if t.Failed() {
						t.Fatalf("stop before write %d, which %s", n, f.name)
					}
				}
			}
		})
	}
}

func TestAnOptOutBetweenReadAndClaimForbidsTheMail(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.store.hook = func(n int, _ ledger.Commit) (bool, error) {
			if n == 1 { // the claim
				w.stop(t.Context())
			}
			return true, nil
		}
		w.must(w.run())
		if w.state() != followup.Suppressed || w.post.calls != 0 {
			t.Errorf("intent %s, %d calls", w.state(), w.post.calls)
		}
		w.untilQuiet()
		w.keep()
	})
}

// The documented window: between claim and call a mail still goes, and both
// times stand in the ledger for explain.
func TestAnOptOutBetweenClaimAndCallIsVisible(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.post.before = func(int) {
			time.Sleep(time.Second)
			w.stop(t.Context())
		}
		w.untilQuiet()
		w.keep()
		if w.state() != followup.Accepted || w.post.taken("i1") != 1 {
			t.Fatalf("intent %s", w.state())
		}
		claimed, stopped := w.attempt(1).Text("claimed_at"), w.get(guardKey).Text("stop_all")
		if claimed == "" || stopped <= claimed || w.attempt(1).Text("settled_at") < stopped {
			t.Errorf("claimed %s, stopped %s", claimed, stopped)
		}
	})
}

func TestAStopOfTheTenantBetweenReadAndClaimForbidsTheMail(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"demo", ledger.NoTenant} {
		bubble(t, func(t *testing.T) {
			w := newWorld(t, nil)
			w.store.hook = func(n int, _ ledger.Commit) (bool, error) {
				if n == 1 {
					w.set(ledger.Stop.At(who, "stop"), ledger.Item{"stopped": true})
				}
				return true, nil
			}
			w.must(w.run())
			if w.state() != followup.Ready || w.post.calls != 0 || w.attempt(1).Text("state") != followup.AttemptNotBegun {
				t.Errorf("intent %s, %d calls, attempt %v", w.state(), w.post.calls, w.attempt(1))
			}
		})
	}
}

func TestWhenTheStopCannotBeReadAfterTheClaimNothingIsSent(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		claimed := false
		w.store.hook = func(n int, _ ledger.Commit) (bool, error) { claimed = n == 1; return true, nil }
		w.store.readHook = func(int) error {
			if claimed {
				claimed = false
				return ledger.ErrUnavailable
			}
			return nil
		}
		w.must(w.run())
		if w.post.calls != 0 || w.attempt(1).Text("reason") != "stop_unreadable" {
			t.Errorf("%d calls, attempt %v", w.post.calls, w.attempt(1))
		}
		w.untilQuiet()
		w.keep()
		if w.state() != followup.Accepted {
			t.Errorf("intent %s", w.state())
		}
	})
}
