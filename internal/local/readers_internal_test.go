package local

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/schema"
)

// watched is a reader of the events table whose worker a test holds up.
type watched struct {
	t     *testing.T
	store *mem.Store
	stop  context.CancelFunc
	ended chan struct{}

	mu      sync.Mutex
	gate    map[string]chan struct{} // by ID: the worker waits for it
	begun   map[string]chan struct{}
	handled map[string][]int64 // versions, in the order they were handled
	changed chan struct{}
}

func eventKey(id string) ledger.Key { return ledger.Event.At("demo", id) }

func watch(t *testing.T, held ...string) *watched {
	t.Helper()
	w := &watched{t: t, store: mem.New(), gate: map[string]chan struct{}{}, begun: map[string]chan struct{}{},
		handled: map[string][]int64{}, changed: make(chan struct{}, 1)}
	for _, id := range held {
		w.gate[id], w.begun[id] = make(chan struct{}), make(chan struct{})
	}
	w.start()
	return w
}

func (w *watched) start() {
	reading, stop := context.WithCancel(w.t.Context())
	w.stop, w.ended = stop, make(chan struct{})
	r := reader{
		feed: w.store, table: schema.Events, consumer: "extract", handle: w.handle, timeout: time.Minute, lanes: 4,
		log: slog.New(slog.DiscardHandler), busy: &activity{clock: time.Now},
	}
	go func() {
		defer close(w.ended)
		r.run(context.WithoutCancel(reading), reading)
	}()
}

func (w *watched) handle(_ context.Context, ch ledger.Change) error {
	w.mu.Lock()
	gate, begun := w.gate[ch.Key.ID], w.begun[ch.Key.ID]
	w.mu.Unlock()
	if gate != nil {
		select {
		case <-begun:
		default:
			close(begun)
		}
		<-gate
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handled[ch.Key.ID] = append(w.handled[ch.Key.ID], ch.Item.Version())
	select {
	case w.changed <- struct{}{}:
	default:
	}
	return nil
}

func (w *watched) create(id string) {
	w.t.Helper()
	var c ledger.Commit
	if err := c.Create("event", eventKey(id), ledger.Item{"n": int64(0)}); err != nil {
		w.t.Fatal(err)
	}
	if err := w.store.Commit(w.t.Context(), c); err != nil {
		w.t.Fatal(err)
	}
}

// until waits until what is asked of the handled changes holds.
func (w *watched) until(what string, holds func(map[string][]int64) bool) {
	w.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		w.mu.Lock()
		ok := holds(w.handled)
		w.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-w.changed:
		case <-deadline:
			w.t.Fatalf("not in time: %s", what)
		}
	}
}

// again is what a new process would be handed first.
func (w *watched) again() string {
	w.t.Helper()
	w.store.Rewind()
	w.create("end of the feed")
	batch, err := w.store.Next(w.t.Context(), schema.Events, "extract", 1)
	if err != nil {
		w.t.Fatal(err)
	}
	return batch[0].Key.ID
}

// otherLane finds names that share no lane with one.
func otherLane(of string, n int) []string {
	var ids []string
	for i := 0; len(ids) < n; i++ {
		if id := fmt.Sprintf("e-%d", i); laneOf(eventKey(id), 4) != laneOf(eventKey(of), 4) {
			ids = append(ids, id)
		}
	}
	return ids
}

func TestASlowItemDelaysNoOtherAndHoldsTheCheckpoint(t *testing.T) {
	t.Parallel()
	w := watch(t, "slow")
	w.create("slow")
	others := otherLane("slow", 350) // some batches
	for _, id := range others {
		w.create(id)
	}
	<-w.begun["slow"]
	w.until("the others pass the slow one", func(h map[string][]int64) bool { return len(h) == len(others) })

	// As if the process died here: the slow one comes again.
	w.store.Rewind()
	if batch, err := w.store.Next(t.Context(), schema.Events, "extract", 1); err != nil || batch[0].Key.ID != "slow" {
		t.Fatalf("the checkpoint has passed a change that is not handled: %v, %v", batch, err)
	}
	close(w.gate["slow"])
	w.until("the slow one too", func(h map[string][]int64) bool { return len(h["slow"]) > 0 })
	w.stop()
	<-w.ended
	if id := w.again(); id != "end of the feed" {
		t.Errorf("%s comes again, though all was handled", id)
	}
}

func TestChangesOfOneItemAreHandledInOrder(t *testing.T) {
	t.Parallel()
	w := watch(t)
	for n := range 3 {
		w.create(fmt.Sprint("e-", n))
	}
	const updates = 120
	for v := range updates {
		for n := range 3 {
			var c ledger.Commit
			if err := c.Update("event", eventKey(fmt.Sprint("e-", n)), ledger.Cond{}, ledger.Item{"n": int64(v)}); err != nil {
				t.Fatal(err)
			}
			if err := w.store.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.until("all versions", func(h map[string][]int64) bool {
		return len(h["e-0"])+len(h["e-1"])+len(h["e-2"]) == 3*(updates+1)
	})
	w.stop()
	<-w.ended
	for id, versions := range w.handled {
		for i, v := range versions {
			if v != int64(i+1) {
				t.Fatalf("%s: version %d in place %d", id, v, i+1)
			}
		}
	}
}

// An orderly stop finishes what a lane holds and begins nothing more; what was
// not begun comes again.
func TestAStopFinishesWhatIsHeldAndNoMore(t *testing.T) {
	t.Parallel()
	w := watch(t, "held")
	behind := ""
	for i := 0; behind == ""; i++ {
		if id := fmt.Sprintf("b-%d", i); laneOf(eventKey(id), 4) == laneOf(eventKey("held"), 4) {
			behind = id
		}
	}
	w.create("held")
	w.create(behind)
	<-w.begun["held"]
	w.stop()
	select {
	case <-w.ended:
		t.Fatal("the reader ended with a change in hand")
	default:
	}
	close(w.gate["held"])
	<-w.ended
	if len(w.handled["held"]) != 1 || len(w.handled[behind]) != 0 {
		t.Errorf("handled %v", w.handled)
	}
	if id := w.again(); id != behind {
		t.Errorf("%q comes again first, want the one that was not begun", id)
	}
}

// A full lane holds up the reading, and a stop ends that too.
func TestAFullLaneDoesNotHoldUpAStop(t *testing.T) {
	t.Parallel()
	w := watch(t, "held")
	w.create("held")
	<-w.begun["held"]
	for range laneQueue + 20 {
		var c ledger.Commit
		if err := c.Update("event", eventKey("held"), ledger.Cond{}, ledger.Item{"n": int64(1)}); err != nil {
			t.Fatal(err)
		}
		if err := w.store.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	w.stop()
	close(w.gate["held"])
	select {
	case <-w.ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the reader does not end")
	}
}
