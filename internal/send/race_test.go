package send_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/mailer"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
)

// worker is an actor that handles the timer's change with a function's life.
func (w *world) worker() func(context.Context) {
	ch := w.change(w.op)
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		_ = w.send.Handle(ctx, ch) // what failed comes again with untilQuiet
	}
}

// TestTwoWorkersInEveryOrderSubmitOnce walks all interleavings of two workers
// on one operation, store call by store call, but for those that differ in the
// order of two reads alone. A choice is a bit: which of the
// two moves on.
func TestTwoWorkersInEveryOrderSubmitOnce(t *testing.T) {
	t.Parallel()
	seen := 0
	// Depth first: the path taken, then the last bit that can still be raised.
	for path := []int{}; path != nil; seen++ {
		var taken []int
		synctest.Test(t, func(t *testing.T) { taken = interleave(t, path) })
		if t.Failed() {
			t.Fatalf("order %v", taken)
		}
		path = nextPath(taken)
		if testing.Short() && seen == 300 {
			return
		}
	}
	// The loser makes four calls or more, the winner four that write or send: the
	// calls fall among these in C(8, 4) = 70 ways at the least.
	if seen < 70 {
		t.Errorf("only %d orders", seen)
	}
	t.Logf("%d orders", seen)
}

func interleave(t *testing.T, path []int) (taken []int) {
	w := newWorld(t, nil)
	taken = w.inOrder(t, []func(context.Context){w.worker(), w.worker()}, path)
	if len(w.post.got) != 1 || w.state() != followup.Accepted {
		t.Errorf("%d submissions, intent %s", len(w.post.got), w.state())
	}
	for _, b := range w.trails() {
		t.Error(b)
	}
	return taken
}

// nextPath is the next path in the order of a depth-first walk; nil at the end.
func nextPath(path []int) []int {
	for n := len(path) - 1; n >= 0; n-- {
		if path[n] == 0 {
			return append(append([]int{}, path[:n]...), 1)
		}
	}
	return nil
}

// TestNoRandomScheduleBreaksAPromise lets workers, the feed, an opt-out and
// the sweeper run in random orders, with time passing and workers dying
// between any two store calls.
func TestNoRandomScheduleBreaksAPromise(t *testing.T) {
	t.Parallel()
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 200
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) { randomSchedule(t, rand.New(rand.NewPCG(seed, 1))) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomSchedule(t *testing.T, r *rand.Rand) {
	policy := []string{tenant.UnknownReview, tenant.UnknownResend}[r.IntN(2)]
	w := newWorld(t, func(i *followup.Intent) { i.OnUnknown = policy })
	w.post.events = []int{eventsInTime, eventsTwice, eventsLost}[r.IntN(3)]
	w.lossy = r.IntN(2) == 0
	verdicts := []verdict{taken, taken, lostTaken, lostUntake, throttled, notBegun, rejected, {dieBefore: true}, {takes: true, dieAfter: true}}
	script := []verdict{verdicts[r.IntN(len(verdicts))], verdicts[r.IntN(len(verdicts))], taken}
	w.post.verdict = func(n int) verdict { return script[min(n, 3)-1] }

	jobs := []func(context.Context){w.worker(), w.worker()}
	if r.IntN(2) == 0 {
		jobs = append(jobs, w.stop)
	}
	var live []*actor
	for _, job := range jobs {
		if a, alive := start(t.Context(), job); alive {
			live = append(live, a)
		}
	}
	for step := 0; len(live) > 0 && step < 400; step++ {
		switch r.IntN(12) {
		case 0:
			time.Sleep([]time.Duration{time.Second, 20 * time.Second, lease + 2*time.Second, within}[r.IntN(4)])
		case 1: // an event that is due comes now, or the feed shows that it lives
			if a, alive := start(t.Context(), w.feeding(r)); alive {
				live = append(live, a)
			}
		case 2:
			w.sweepOnce()
			if ch, ok := w.store.next(); ok {
				if a, alive := start(t.Context(), func(ctx context.Context) {
					ctx, cancel := context.WithTimeout(ctx, timeout)
					defer cancel()
					_ = w.send.Handle(ctx, ch)
				}); alive {
					live = append(live, a)
				}
			}
		}
		n := r.IntN(len(live))
		if !live[n].go1(r.IntN(60) == 0) {
			live = append(live[:n], live[n+1:]...)
		}
	}
	for _, a := range live {
		a.go1(true)
	}
	w.untilQuiet()
	w.keep()
}

// feeding is an actor that brings one event, or a probe.
func (w *world) feeding(r *rand.Rand) func(context.Context) {
	e := mailer.Event{Type: mailer.EventDelivered, MessageID: "probe", At: time.Now(), DedupeKey: fmt.Sprint("live", r.Uint64())}
	if len(w.post.pending) > 0 && w.post.events != eventsLost {
		e = w.post.pending[r.IntN(len(w.post.pending))] // and once more at the end
	}
	return func(ctx context.Context) { _ = w.feed.Handle(ctx, e) }
}

func TestTwoSweepersAndARepeatedChangeDoNotSendTwice(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		w := newWorld(t, nil)
		stale := w.change(w.op) // the first image, handed out again and again
		for range 20 {
			w.must(w.send.Handle(t.Context(), stale))
			w.sweepOnce()
			w.sweepOnce()
			time.Sleep(time.Minute)
			w.must(w.send.Handle(t.Context(), ledger.Change{Key: stale.Key, Item: stale.Item}))
		}
		w.untilQuiet()
		w.keep()
		if len(w.post.got) != 1 {
			t.Errorf("%d submissions", len(w.post.got))
		}
	})
}
