package sestest

import (
	"context"
	"sync"
	"time"
)

// FeedMode says what becomes of events.
type FeedMode string

// The modes.
const (
	FeedUp   FeedMode = "up"   // handed to the sink
	FeedHeld FeedMode = "held" // kept until the feed is up again
	FeedLost FeedMode = "lost" // dropped for good, as in an outage
)

// feed hands out events in order from one goroutine.
type feed struct {
	sink   func(context.Context, []byte)
	delay  time.Duration
	done   func(id string)
	cancel context.CancelFunc
	ended  chan struct{} // the goroutine is gone

	mu       sync.Mutex
	queue    []batch
	mode     FeedMode
	closing  bool
	added    int // batches ever queued
	finished int // batches handed out or lost
	changed  chan struct{}
}

// batch is the events of one mail.
type batch struct {
	id     string
	events [][]byte
	due    <-chan time.Time
}

func newFeed(sink func(context.Context, []byte), delay time.Duration, done func(string)) *feed {
	ctx, cancel := context.WithCancel(context.Background())
	f := &feed{sink: sink, delay: delay, done: done, cancel: cancel, mode: FeedUp,
		ended: make(chan struct{}), changed: make(chan struct{})}
	go func() {
		defer close(f.ended)
		f.run(ctx)
	}()
	return f
}

func (f *feed) add(id string, events [][]byte) {
	if len(events) == 0 {
		return
	}
	f.update(func() {
		f.queue = append(f.queue, batch{id, events, time.NewTimer(f.delay).C})
		f.added++
	})
}

func (f *feed) set(mode FeedMode) { f.update(func() { f.mode = mode }) }

// update changes the state and wakes all who wait for a change.
func (f *feed) update(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *feed) run(ctx context.Context) {
	for {
		b, ok := f.next(ctx)
		if !ok {
			return
		}
		for _, e := range b.events {
			if !f.handOut(ctx, e) {
				return
			}
		}
		f.done(b.id)
		f.update(func() { f.finished++ })
	}
}

// next waits for a batch to be due. It is not ok when the feed is at its end.
func (f *feed) next(ctx context.Context) (batch, bool) {
	for {
		f.mu.Lock()
		changed := f.changed
		var b batch
		if len(f.queue) > 0 {
			b, f.queue = f.queue[0], f.queue[1:]
		}
		end := f.closing && (b.due == nil || f.mode == FeedHeld)
		f.mu.Unlock()
		switch {
		case end:
			return batch{}, false
		case b.due != nil:
			select {
			case <-b.due:
				return b, true
			case <-ctx.Done():
				return batch{}, false
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return batch{}, false
		}
	}
}

// handOut is false when the feed ended before this event was handed out.
func (f *feed) handOut(ctx context.Context, event []byte) bool {
	for {
		f.mu.Lock()
		mode, closing, changed := f.mode, f.closing, f.changed
		f.mu.Unlock()
		switch {
		case ctx.Err() != nil || mode == FeedHeld && closing:
			return false
		case mode == FeedLost:
			return true
		case mode == FeedUp:
			f.sink(ctx, event)
			// A sink that was told to stop may not have taken it.
			return ctx.Err() == nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

func (f *feed) flush(ctx context.Context) error {
	f.mu.Lock()
	target := f.added
	f.mu.Unlock()
	for {
		f.mu.Lock()
		finished, changed := f.finished, f.changed
		f.mu.Unlock()
		if finished >= target {
			return nil
		}
		select {
		case <-changed:
		case <-f.ended:
			return context.Canceled
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (f *feed) close(ctx context.Context) error {
	f.update(func() { f.closing = true })
	var err error
	select {
	case <-f.ended:
	case <-ctx.Done():
		err = ctx.Err()
	}
	f.cancel()
	<-f.ended // the sink returns when its context ends
	return err
}
