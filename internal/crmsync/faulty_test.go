package crmsync_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"onefold/internal/crm"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
)

// fault is what becomes of one store write or one call of the CRM.
type fault int

const (
	fine          fault = iota
	failNotWrite        // it fails and did nothing
	failButWrite        // it fails and did it
	dieBefore           // the process ends before it
	dieAfter            // the process ends after it
	numberOfFault = iota
)

// died is the end of a process, as a panic that only alive recovers.
type died struct{}

func alive(do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(died); !ok {
				panic(r)
			}
			err = errors.New("the process died")
		}
	}()
	return do()
}

// points numbers the writes and calls of a schedule and says which go wrong.
type points struct {
	mu   sync.Mutex
	n    int
	plan func(n int) fault
}

func (p *points) next() fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	if p.plan == nil {
		return fine
	}
	return p.plan(p.n)
}

// faulty is the memory ledger with a stream that tests read, an index that may
// lag, and writes that may go wrong.
type faulty struct {
	*mem.Store
	points points

	mu    sync.Mutex
	queue []ledger.Change
	lag   bool // the indexes show nothing
}

func newFaulty() *faulty { return &faulty{Store: mem.New()} }

func (s *faulty) Commit(ctx context.Context, c ledger.Commit) error {
	switch s.points.next() {
	case failNotWrite:
		return ledger.ErrUnavailable
	case failButWrite:
		_ = s.direct(c)
		return ledger.ErrUnknown
	case dieBefore:
		panic(died{})
	case dieAfter:
		_ = s.direct(c)
		panic(died{})
	case fine:
	}
	return s.direct(c)
}

// direct commits, and puts operations on the stream.
func (s *faulty) direct(c ledger.Commit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.Store.Commit(context.Background(), c); err != nil {
		return err
	}
	for _, w := range c.Writes {
		if w.Op == ledger.OpCheck || w.Key.Entity != ledger.Operation {
			continue
		}
		it, _ := s.Get(context.Background(), w.Key)
		s.queue = append(s.queue, ledger.Change{Key: w.Key, Item: it})
	}
	return nil
}

func (s *faulty) next() (ledger.Change, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return ledger.Change{}, false
	}
	ch := s.queue[0]
	s.queue = s.queue[1:]
	return ch, true
}

func (s *faulty) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = nil
}

func (s *faulty) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	s.mu.Lock()
	lag := s.lag && q.Index != "by_due"
	s.mu.Unlock()
	if lag {
		return ledger.Page{}, nil
	}
	return s.Store.Query(ctx, q)
}

// scripted answers each call as its script says, and does it at the CRM behind
// it unless told otherwise.
type scripted struct {
	crm.CRM
	points *points
	before func() // runs as each call begins
	answer func(n int) *crm.Result

	mu    sync.Mutex
	calls int
}

func (s *scripted) do(call func() crm.Result) crm.Result {
	s.mu.Lock()
	s.calls++
	n := s.calls
	s.mu.Unlock()
	if s.before != nil {
		s.before()
	}
	if s.answer != nil {
		if res := s.answer(n); res != nil {
			return *res
		}
	}
	f := fine
	if s.points != nil {
		f = s.points.next()
	}
	switch f {
	case failNotWrite:
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	case failButWrite:
		call()
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	case dieBefore:
		panic(died{})
	case dieAfter:
		call()
		panic(died{})
	case fine:
	}
	return call()
}

func (s *scripted) UpsertContact(ctx context.Context, c crm.Contact, id string) crm.Result {
	return s.do(func() crm.Result { return s.CRM.UpsertContact(ctx, c, id) })
}

func (s *scripted) UpsertNote(ctx context.Context, n crm.Note) crm.Result {
	return s.do(func() crm.Result { return s.CRM.UpsertNote(ctx, n) })
}

func (s *scripted) UpsertTask(ctx context.Context, n crm.Task) crm.Result {
	return s.do(func() crm.Result { return s.CRM.UpsertTask(ctx, n) })
}

// Look meets the faults of the points, not the script's answers.
func (s *scripted) Look(ctx context.Context) crm.Result {
	if s.points == nil {
		return s.CRM.Look(ctx)
	}
	return (&scripted{points: s.points}).do(func() crm.Result { return s.CRM.Look(ctx) })
}

// vendor is a CRM in memory: one record for each reference, whatever is
// repeated. With late set, a call is given up by its caller at once and takes
// effect only when the vendor gets to it.
type vendor struct {
	mu      sync.Mutex
	records map[string]string // kind/ref → content
	made    map[string]int    // kind → records made
	late    bool
	pending []func()
	down    *crm.Result // what every call answers
	looks   int
	calls   int // besides looks
}

func (v *vendor) Look(context.Context) crm.Result {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.looks++; v.down != nil {
		return *v.down
	}
	return crm.Result{Outcome: crm.Done}
}

func (v *vendor) is(down *crm.Result) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.down = down
}

const inFlight = 2 * time.Minute

func newVendor() *vendor { return &vendor{records: map[string]string{}, made: map[string]int{}} }

func (v *vendor) Capabilities() crm.Capabilities {
	return crm.Capabilities{Name: "vendor", Contacts: crm.ByReference, Notes: crm.ByReference, Tasks: crm.ByReference, InFlight: inFlight}
}

func (v *vendor) put(kind, ref, content string, replace bool) crm.Result {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.calls++; v.down != nil {
		return *v.down
	}
	name := kind + "/" + ref
	land := func() bool {
		_, there := v.records[name]
		if !there {
			v.made[kind]++
		}
		if !there || replace {
			v.records[name] = content
		}
		return !there
	}
	if v.late {
		v.pending = append(v.pending, func() { land() })
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	}
	return crm.Result{Outcome: crm.Done, ID: "r-" + ref, Created: land()}
}

// land lets everything still inside the vendor take effect.
func (v *vendor) land() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, do := range v.pending {
		do()
	}
	v.pending = nil
}

func (v *vendor) content(name string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.records[name]
}

func (v *vendor) UpsertContact(ctx context.Context, c crm.Contact, _ string) crm.Result {
	if ctx.Err() != nil {
		return crm.Result{Outcome: crm.NotBegun, Reason: crm.ReasonNoConnection}
	}
	return v.put("contact", c.Ref, c.Name, true)
}

func (v *vendor) UpsertNote(_ context.Context, n crm.Note) crm.Result {
	return v.put("note", n.Ref, n.Body, false)
}

func (v *vendor) UpsertTask(_ context.Context, n crm.Task) crm.Result {
	return v.put("task", n.Ref, n.Title, false)
}
