package send_test

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"

	"onefold/internal/optout"
	"onefold/internal/record/followup"
)

// click uses the opt-out link of the intent's mail, as mail clients do.
func (w *world) click(ctx context.Context) error {
	s := optout.Service{Store: w.store, Policies: w.send.Policies, IDs: w.ids, Now: w.send.Now, Log: slog.New(slog.NewTextHandler(w.logs, nil))}
	return s.Stop(ctx, "demo", "i1", optout.Token(w.ids, "demo", "i1"))
}

// TestAClickAndAWorkerInEveryOrder walks all interleavings of a submission and
// the use of an opt-out link, store call by store call. Where the stop was
// committed first, nothing is claimed; else the mail goes, once.
func TestAClickAndAWorkerInEveryOrder(t *testing.T) {
	t.Parallel()
	stoppedFirst, claimedFirst := 0, 0
	for path := []int{}; path != nil; {
		var taken []int
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, nil)
			var told error
			jobs := []func(context.Context){w.worker(), func(ctx context.Context) { told = w.click(ctx) }}
			taken = w.inOrder(t, jobs, path)
			w.untilQuiet()
			w.keep()
			switch {
			case told != nil || w.store.stopped == 0:
				t.Errorf("the click was not heard: %v", told)
			case len(w.post.got) == 0 && w.state() == followup.Suppressed:
				stoppedFirst++
			case len(w.post.got) == 1 && w.state() == followup.Accepted && len(w.store.claimed) == 1:
				claimedFirst++
			default:
				t.Errorf("%d submissions, intent %s", len(w.post.got), w.state())
			}
		})
		if t.Failed() {
			t.Fatalf("order %v", taken)
		}
		path = nextPath(taken)
	}
	if stoppedFirst == 0 || claimedFirst == 0 {
		t.Errorf("%d orders in which the stop came first, %d in which the claim did: both must occur", stoppedFirst, claimedFirst)
	}
}

// inOrder lets two jobs run in the order that a path gives, and returns the one
// taken. Of orders that differ in two reads alone, one is taken: where both would
// read and the second goes first, the first waits until the other has written
// (a sleep set: Godefroid, Partial-Order Methods for the Verification of
// Concurrent Systems, 1996, chapter 5).
func (w *world) inOrder(t *testing.T, jobs []func(context.Context), path []int) (taken []int) {
	t.Helper()
	var live []*actor
	for _, job := range jobs {
		if a, alive := start(t.Context(), job); alive {
			live = append(live, a)
		}
	}
	var asleep *actor
	for len(live) > 0 {
		n := 0
		switch {
		case len(live) == 2 && asleep != nil:
			if live[0] == asleep {
				n = 1
			}
		case len(live) == 2:
			if len(taken) < len(path) {
				n = path[len(taken)]
			}
			taken = append(taken, n)
			if n == 1 && live[0].reads && live[1].reads {
				asleep = live[0]
			}
		}
		if !live[n].reads {
			asleep = nil
		}
		if !live[n].go1(false) {
			live = append(live[:n], live[n+1:]...)
			asleep = nil
		}
	}
	return taken
}
