package local

import (
	"context"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// reader takes the changes of one table to one worker: in order per item,
// several items at once. Changes of one item share a lane, and a lane that is
// held up holds up no other; only when laneQueue changes wait in it does the
// reading wait too. The checkpoint moves to just below the oldest change that
// is not handled, so what was handed out and not handled comes again.
type reader struct {
	feed     ledger.Feed
	table    schema.Table
	consumer string
	handle   func(context.Context, ledger.Change) error
	timeout  time.Duration
	lanes    int
	log      *slog.Logger
	busy     *activity
}

// laneQueue is how many changes may wait in one lane.
const laneQueue = 128

// queued is a change in a lane, and its number in the track.
type queued struct {
	change ledger.Change
	number int
}

// run reads until reading ends. What a lane holds then is finished as long as
// ctx lives, so that an orderly stop leaves no claim behind to lapse; what
// waits behind it has not been begun, and comes again.
func (r reader) run(ctx, reading context.Context) {
	t := &track{}
	lanes := make([]chan queued, r.lanes)
	var working sync.WaitGroup
	for n := range lanes {
		lanes[n] = make(chan queued, laneQueue)
		working.Go(func() { r.work(ctx, reading, lanes[n], t) })
	}
	for reading.Err() == nil {
		batch, err := r.feed.Next(reading, r.table, r.consumer, 100)
		if err != nil {
			if reading.Err() == nil {
				r.log.LogAttrs(ctx, slog.LevelWarn, "the change feed cannot be read", slog.String("consumer", r.consumer), slog.String("error", err.Error()))
				rest(reading, time.Second)
			}
			continue
		}
		r.busy.begin()
		r.share(reading, batch, lanes, t)
		r.busy.end()
	}
	for _, lane := range lanes {
		close(lane)
	}
	working.Wait()
}

// share puts the changes of a batch into their lanes.
func (r reader) share(reading context.Context, batch []ledger.Change, lanes []chan queued, t *track) {
	for i, ch := range batch {
		number := t.add(ch, i == len(batch)-1)
		r.busy.begin()
		select {
		case lanes[laneOf(ch.Key, len(lanes))] <- queued{ch, number}:
		case <-reading.Done():
			r.busy.end()
			return
		}
	}
}

func laneOf(k ledger.Key, lanes int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(k.Tenant + "\x00" + k.ID))
	return int(h.Sum32() % uint32(lanes)) //nolint:gosec // a handful of lanes
}

// work is one lane.
func (r reader) work(ctx, reading context.Context, lane <-chan queued, t *track) {
	for q := range lane {
		if reading.Err() == nil && r.one(ctx, q.change) {
			r.mark(ctx, t.done(q.number))
		}
		r.busy.end()
	}
}

// mark moves the checkpoint. Two lanes may come here in either order: a feed
// never goes back.
func (r reader) mark(ctx context.Context, passed []ledger.Change) {
	for _, ch := range passed {
		if err := r.feed.Done(ctx, r.table, r.consumer, ch); err != nil {
			// What was handled and not marked is handed out again: once more is
			// harmless.
			r.log.LogAttrs(ctx, slog.LevelWarn, "the checkpoint could not be moved", slog.String("consumer", r.consumer), slog.String("error", err.Error()))
		}
	}
}

// one handles a change; while the ledger cannot be asked it tries again, since
// nothing else could be done either. False: ctx ended first.
func (r reader) one(ctx context.Context, ch ledger.Change) bool {
	for wait := 100 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, 5*time.Second) {
		err := r.limited(ctx, ch)
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		r.log.LogAttrs(ctx, slog.LevelWarn, "a change waits for the ledger", slog.String("consumer", r.consumer),
			slog.String("entity", string(ch.Key.Entity)), slog.String("error", err.Error()))
		rest(ctx, wait)
		if wait >= 5*time.Second {
			return true // the row's own due time brings it back
		}
	}
	return false
}

// limited lets a worker live no longer than its timeout.
func (r reader) limited(ctx context.Context, ch ledger.Change) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	return r.handle(ctx, ch)
}

func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
