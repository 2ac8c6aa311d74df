package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"onefold/internal/app"
)

// How long a run is silent, and how often it then says how far it is.
const (
	silentFor = 3 * time.Second
	tellEvery = 5 * time.Second
)

// progress reads a file and tells how much of it has been read.
type progress struct {
	e    *env
	from io.Reader
	size int64 // 0: not known
	read atomic.Int64
	next time.Time // used under the audit's lock
}

func (p *progress) start() { p.next = app.Clock().Add(silentFor) }

// Read implements io.Reader.
func (p *progress) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	p.read.Add(int64(n))
	return n, err
}

// tell says how far the audit is, when it is time.
func (p *progress) tell(messages int) {
	now := app.Clock()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(tellEvery)
	line := fmt.Sprintf("%d messages read", messages)
	if p.size > 0 {
		line += fmt.Sprintf(", %d %% of the file", min(100, p.read.Load()*100/p.size))
	}
	p.e.say("note", line)
}
