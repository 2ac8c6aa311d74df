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

// reader takes the changes of one table to one worker, as an event source
// mapping does: in order per item, several items at once, and a batch counts
// as read only when every change in it was handled.
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

// run reads until reading ends. What has been read is worked off as long as
// ctx lives, so that an orderly stop leaves no claim behind to lapse.
func (r reader) run(ctx, reading context.Context) {
	for reading.Err() == nil {
		batch, err := r.feed.Next(reading, r.table, r.consumer, 100)
		if err != nil {
			if reading.Err() == nil {
				r.log.LogAttrs(ctx, slog.LevelWarn, "the change feed cannot be read", slog.String("consumer", r.consumer), slog.String("error", err.Error()))
				rest(reading, time.Second)
			}
			continue
		}
		if len(batch) == 0 {
			continue
		}
		r.busy.begin()
		r.all(ctx, batch)
		if ctx.Err() == nil {
			// What was handled and not marked is handed out again: once more is
			// harmless.
			if err := r.feed.Done(ctx, r.table, r.consumer, batch[len(batch)-1]); err != nil {
				r.log.LogAttrs(ctx, slog.LevelWarn, "the checkpoint could not be moved", slog.String("consumer", r.consumer), slog.String("error", err.Error()))
			}
		}
		r.busy.end()
	}
}

// all handles a batch in lanes: changes of one item share a lane.
func (r reader) all(ctx context.Context, batch []ledger.Change) {
	lanes := make([][]ledger.Change, r.lanes)
	for _, ch := range batch {
		h := fnv.New32a()
		_, _ = h.Write([]byte(ch.Key.Tenant + "\x00" + ch.Key.ID))
		n := int(h.Sum32()) % r.lanes
		if n < 0 {
			n = -n
		}
		lanes[n] = append(lanes[n], ch)
	}
	var wg sync.WaitGroup
	for _, lane := range lanes {
		if len(lane) == 0 {
			continue
		}
		wg.Go(func() {
			for _, ch := range lane {
				r.one(ctx, ch)
			}
		})
	}
	wg.Wait()
}

// one handles a change; while the ledger cannot be asked it tries again, since
// nothing else could be done either.
func (r reader) one(ctx context.Context, ch ledger.Change) {
	for wait := 100 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, 5*time.Second) {
		err := r.limited(ctx, ch)
		if err == nil || ctx.Err() != nil {
			return
		}
		r.log.LogAttrs(ctx, slog.LevelWarn, "a change waits for the ledger", slog.String("consumer", r.consumer),
			slog.String("entity", string(ch.Key.Entity)), slog.String("error", err.Error()))
		rest(ctx, wait)
		if wait >= 5*time.Second {
			return // the row's own due time brings it back
		}
	}
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

// activity counts work under way, so that one can wait for quiet.
type activity struct {
	mu    sync.Mutex
	n     int
	last  time.Time
	clock func() time.Time
}

func (a *activity) begin() { a.change(1) }
func (a *activity) end()   { a.change(-1) }

func (a *activity) change(d int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n += d
	a.last = a.clock()
}

// quietFor is how long nothing has been under way; 0 while something is.
func (a *activity) quietFor() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n > 0 {
		return 0
	}
	return a.clock().Sub(a.last)
}
