package bolt

import (
	"fmt"
	"sync"

	"onefold/internal/ledger"
)

var errClosed = fmt.Errorf("%w: the store is closed", ledger.ErrUnavailable)

// lifetime lets calls in until the end and lets the end wait for them.
type lifetime struct {
	mu     sync.Mutex
	ended  bool
	inside sync.WaitGroup
	ending chan struct{} // closed when the end begins
}

func (l *lifetime) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.inside.Add(1)
	return true
}

func (l *lifetime) leave() { l.inside.Done() }

// end returns when everybody has left; false if another call ended it.
func (l *lifetime) end() bool {
	l.mu.Lock()
	first := !l.ended
	l.ended = true
	l.mu.Unlock()
	if first {
		close(l.ending)
	}
	l.inside.Wait()
	return first
}

// progress knows which transaction of the file is durable, and whether the
// store has failed.
type progress struct {
	mu      sync.Mutex
	durable int           // transaction ID
	failure error         // the first; final
	changed chan struct{} // closed and replaced at each change
}

func (p *progress) advance(id int) { p.change(func() { p.durable = max(p.durable, id) }) }

func (p *progress) fail(cause error) {
	p.change(func() {
		if p.failure == nil {
			p.failure = cause
		}
	})
}

func (p *progress) change(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
	close(p.changed)
	p.changed = make(chan struct{})
}

// watch is closed at the next change.
func (p *progress) watch() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

func (p *progress) cause() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}

// err is the answer to a call that comes after a failure: nothing was done.
func (p *progress) err() error {
	if cause := p.cause(); cause != nil {
		return fmt.Errorf("%w: the store has stopped: %w", ledger.ErrUnavailable, cause)
	}
	return nil
}

// await returns when the transaction is durable. It takes no context: it waits
// for an fsync that is under way.
func (p *progress) await(id int) error {
	for {
		changed := p.watch()
		if err := p.err(); err != nil {
			return err
		}
		p.mu.Lock()
		reached := p.durable >= id
		p.mu.Unlock()
		if reached {
			return nil
		}
		<-changed
	}
}
