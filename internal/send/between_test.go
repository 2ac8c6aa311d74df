package send_test

import (
	"context"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
	"onefold/internal/utc"
)

// TestEachConditionIsOfTheClaimItself: what commits after everything was read
// and just before the claim is seen, each row by itself. An opt-out changes
// guard and contact together, so that either condition would catch it; a bounce
// or a hold changes the guard alone, a merge the contact alone.
func TestEachConditionIsOfTheClaimItself(t *testing.T) {
	t.Parallel()
	now := func() utc.Time { return utc.At(time.Now()) }
	for name, c := range map[string]struct {
		key   ledger.Key
		set   func() ledger.Item
		state string
	}{
		"a bounce":          {guardKey, func() ledger.Item { return ledger.Item{"stop_all": now(), "reason": "bounce"} }, followup.Suppressed},
		"a stop of a scope": {guardKey, func() ledger.Item { return ledger.Item{"stop_follow_up": now()} }, followup.Suppressed},
		"a hold":            {guardKey, func() ledger.Item { return ledger.Item{"hold": now()} }, followup.InReview},
		"an erasure":        {guardKey, func() ledger.Item { return ledger.Item{"erased_at": now()} }, followup.Suppressed},
		"a merge":           {contactKey, func() ledger.Item { return ledger.Item{"status": "merged"} }, followup.InReview},
		"an erased contact": {contactKey, func() ledger.Item { return ledger.Item{"status": "erased"} }, followup.Suppressed},
		"a consent":         {contactKey, func() ledger.Item { return ledger.Item{"consent_version": 2} }, followup.Suppressed},
		"a quiet period": {cadenceKey, func() ledger.Item {
			return ledger.Item{"sending_intent": "i0", "quiet_until": now().Add(time.Hour)}
		}, followup.Ready},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				w := newWorld(t, nil)
				w.store.hook = func(n int, _ ledger.Commit) (bool, error) {
					if n == 1 { // the claim
						w.alter(t.Context(), c.key, c.set())
					}
					return true, nil
				}
				w.must(w.run())
				if w.state() != c.state || w.post.calls != 0 {
					t.Errorf("intent %s, %d calls, want %s and none", w.state(), w.post.calls, c.state)
				}
			})
		})
	}
}

// TestAClaimThatCannotBeProvedSendsNothing: no answer to the claim, and the row
// that could tell cannot be read. Whether the claim stands or not, the mail goes
// once, in a claim that is known to stand.
func TestAClaimThatCannotBeProvedSendsNothing(t *testing.T) {
	t.Parallel()
	for name, applied := range map[string]bool{"the claim stands": true, "the claim does not stand": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T) {
				w := newWorld(t, nil)
				unanswered := false
				w.store.hook = func(n int, _ ledger.Commit) (bool, error) {
					if n == 1 { // the claim
						unanswered = true
						return applied, ledger.ErrUnknown
					}
					return true, nil
				}
				w.store.readHook = func(int) error {
					if unanswered {
						return ledger.ErrUnavailable
					}
					return nil
				}
				if err := w.run(); err == nil || w.post.calls != 0 {
					t.Fatalf("%v, %d calls: the change is to come again, and no mail to go", err, w.post.calls)
				}
				unanswered = false
				w.untilQuiet()
				w.keep()
				want := map[bool]string{true: followup.InReview, false: followup.Accepted}[applied]
				if w.state() != want || w.post.taken("i1") > 1 {
					t.Errorf("intent %s, taken %d times, want %s", w.state(), w.post.taken("i1"), want)
				}
			})
		})
	}
}

// TestAWorkerHeldUpBeforeItsCallDoesNotSubmit: between its claim and its call,
// until its lease is over and a second attempt has gone out. The time of the call
// is what the lease leaves, and not what a call may take.
func TestAWorkerHeldUpBeforeItsCallDoesNotSubmit(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = tenant.UnknownResend })
		w.store.hook = func(n int, _ ledger.Commit) (bool, error) {
			if n == 1 { // the claim; the next read is that of the stops
				w.between(0, func() {
					time.Sleep(lease + time.Second)
					w.sweepOnce()
					w.pump()
					toDeadline(w)
					w.pump()
				})
			}
			return true, nil
		}
		_, _ = w.handle(t.Context(), w.change(w.op))
		w.untilQuiet()
		w.keep()
		if w.post.taken("i1") != 1 || w.attempt(1).Text("state") != followup.AttemptNotBegun || w.attempt(2).Text("state") != followup.AttemptAccepted {
			t.Errorf("%d taken, attempts %v, %v", w.post.taken("i1"), w.attempt(1), w.attempt(2))
		}
	})
}

// alter writes one row, past the faults of the store.
func (w *world) alter(ctx context.Context, k ledger.Key, set ledger.Item) {
	w.t.Helper()
	seen, err := w.store.Store.Get(ctx, k)
	w.must(err)
	var c ledger.Commit
	if seen == nil {
		w.must(c.Create("row", k, set))
	} else {
		w.must(c.Update("row", k, ledger.Cond{}, set))
	}
	w.must(w.store.apply(ctx, c))
}
