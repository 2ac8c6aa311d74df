package local

import (
	"sync"
	"time"
)

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
