package dynamo

import (
	"sync"

	"onefold/internal/schema"
)

// Checkpoints is how far the consumers of feeds have come, for as long as the
// process lives. The zero value is empty.
type Checkpoints struct {
	mu   sync.Mutex
	done map[checkpoint]string // sequence number of the last change Done
}

type checkpoint struct{ consumer, shard string }

// name tells consumers of different tables apart.
func name(t schema.Table, consumer string) string { return string(t) + "/" + consumer }

func (c *Checkpoints) of(consumer, shard string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done[checkpoint{consumer, shard}]
}

// raise never goes back: of two calls of Done the older may come last.
func (c *Checkpoints) raise(consumer, shard, sequence string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := checkpoint{consumer, shard}
	if !before(c.done[at], sequence) {
		return
	}
	if c.done == nil {
		c.done = map[checkpoint]string{}
	}
	c.done[at] = sequence
}

// before compares sequence numbers, which are whole numbers too long for any
// integer type, without leading zeros.
func before(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}
