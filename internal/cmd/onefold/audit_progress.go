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

// pace says when a long run is to say how far it is.
type pace struct{ next time.Time }

func (p *pace) start() { p.next = app.Clock().Add(silentFor) }

func (p *pace) due() bool {
	now := app.Clock()
	if now.Before(p.next) {
		return false
	}
	p.next = now.Add(tellEvery)
	return true
}

// progress reads a file and tells how much of it has been read.
type progress struct {
	pace // used under the audit's lock
	e    *env
	from io.Reader
	size int64 // 0: not known
	read atomic.Int64
}

// Read implements io.Reader.
func (p *progress) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	p.read.Add(int64(n))
	return n, err
}

// tell says how far the audit is, when it is time.
func (p *progress) tell(messages int) {
	if !p.due() {
		return
	}
	line := fmt.Sprintf("%d messages read", messages)
	if p.size > 0 {
		line += fmt.Sprintf(", %d %% of the file", min(100, p.read.Load()*100/p.size))
	}
	p.e.say("note", line)
}
