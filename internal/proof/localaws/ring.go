package localaws

import (
	"strings"
	"sync"
)

// ringSize is how much output is kept: enough for a Python traceback.
const ringSize = 16 << 10

// ring keeps the newest bytes written to it.
type ring struct {
	mu   sync.Mutex
	size int
	buf  []byte
	lost bool
}

func newRing(size int) *ring { return &ring{size: size} }

// Write never fails, so that it never blocks the child.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf = append(r.buf, p...)
	if over := len(r.buf) - r.size; over > 0 {
		r.buf = append(r.buf[:0], r.buf[over:]...)
		r.lost = true
	}
	return len(p), nil
}

// String is the kept output; "…" in front says that older output is gone.
func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := strings.TrimRight(string(r.buf), "\n")
	if r.lost {
		return "…" + text
	}
	return text
}
