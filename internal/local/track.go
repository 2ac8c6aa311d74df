package local

import (
	"sync"

	"onefold/internal/ledger"
)

// track knows which changes were handed out and which of them are handled. It
// holds those from the oldest unhandled one on, a few words each; a worker's
// timeout and its bounded tries bound how far back that one lies.
type track struct {
	mu    sync.Mutex
	first int // number of open[0]
	open  []handedOut
}

type handedOut struct {
	change  ledger.Change // without its item
	ends    bool          // the last of its batch
	handled bool
}

// add takes a change in the order of reading and gives its number. ends marks
// the last of a batch.
func (t *track) add(ch ledger.Change, ends bool) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	ch.Item = nil
	t.open = append(t.open, handedOut{change: ch, ends: ends})
	return t.first + len(t.open) - 1
}

// done gives what the checkpoint has passed by this: the last change below the
// oldest unhandled one, and before it the last of each batch on the way, since
// a position covers its own batch's shard alone.
func (t *track) done(number int) []ledger.Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[number-t.first].handled = true
	var passed []ledger.Change
	for len(t.open) > 0 && t.open[0].handled {
		h := t.open[0]
		t.open = t.open[1:]
		t.first++
		if h.ends || len(t.open) == 0 || !t.open[0].handled {
			passed = append(passed, h.change)
		}
	}
	return passed
}
