package streamreader

import (
	"fmt"
	"time"

	"onefold/internal/schema"
)

// Record is a stream record.
type Record struct {
	Sequence string // digits; grows within a shard
	Item     string // the item's key, partition and sort, in any form that is one to one
	At       time.Time
	Size     int    // bytes of it in a payload; 0 takes the length of Body
	Body     []byte // as the function receives it
}

func (r Record) size() int {
	if r.Size > 0 {
		return r.Size
	}
	return len(r.Body)
}

// Fate is what became of a record.
type Fate string

// The fates. Pending is everything that is not settled.
const (
	Pending Fate = "pending"
	Done    Fate = "done"     // the function settled it
	Passed  Fate = "passed"   // no filter let it through
	GivenUp Fate = "given_up" // retries or age; a Notice names it
	Expired Fate = "expired"  // the stream trimmed it first; nobody is told
	Skipped Fate = "skipped"  // LATEST began behind it; nobody is told
)

// Call is a batch for the function. It is under way until Answer.
type Call struct {
	ID      int
	Shard   string
	Records []Record
	Number  int // which call of these records, from 1; throttles are not counted
}

// Reader reads one stream for one function. It is not safe for concurrent use.
type Reader struct {
	m       Mapping
	a       Assume
	filters []filter
	shards  []*shard
	flights map[int]flight
	calls   int
	reading bool
	notices []Notice
}

type flight struct {
	s *shard
	l *lane
}

// New makes a reader that does not read yet.
func New(m Mapping, a Assume) (*Reader, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	r := &Reader{m: m, a: a, flights: map[int]flight{}}
	for _, p := range m.FilterCriteria {
		f, err := parseFilter(p)
		if err != nil {
			return nil, err
		}
		r.filters = append(r.filters, f)
	}
	return r, nil
}

// Begin starts the reading, some time after the mapping was made or changed.
// With LATEST, what nobody has been given until now is skipped.
func (r *Reader) Begin() {
	r.reading = true
	if r.m.StartingPosition != Latest {
		return
	}
	for _, s := range r.shards {
		for i := s.shared; i < len(s.log); i++ {
			s.fates[i] = Skipped
		}
		s.shared = len(s.log)
	}
}

// Halt stops the reading, as a change of the mapping does for minutes.
// Batches under way go on.
func (r *Reader) Halt() { r.reading = false }

// Die ends the reader and starts another behind its checkpoints. Answers to
// calls under way are no longer known.
func (r *Reader) Die() {
	r.flights = map[int]flight{}
	for _, s := range r.shards {
		s.rewind(r.m.ParallelizationFactor)
	}
}

// Shard adds a shard. Parent may be empty or one that the stream has
// forgotten.
func (r *Reader) Shard(id, parent string) error {
	if r.shard(id) != nil {
		return fmt.Errorf("%w: shard %s twice", ErrInvalid, id)
	}
	s := &shard{id: id, parent: parent}
	s.rewind(r.m.ParallelizationFactor)
	r.shards = append(r.shards, s)
	return nil
}

// Append adds records to a shard, in order.
func (r *Reader) Append(id string, recs ...Record) error {
	s := r.shard(id)
	if s == nil || s.closed {
		return fmt.Errorf("%w: shard %s takes no records", ErrInvalid, id)
	}
	for _, rec := range recs {
		s.log = append(s.log, rec)
		s.fates = append(s.fates, Pending)
	}
	return nil
}

// Close ends a shard, as a split does; its children begin when all of it is
// settled.
func (r *Reader) Close(id string) {
	if s := r.shard(id); s != nil {
		s.closed = true
	}
}

// Due is the batches that are to be handed to the function now.
func (r *Reader) Due(now time.Time) []Call {
	if !r.reading {
		return nil
	}
	var calls []Call
	for _, s := range r.shards {
		s.trim(now.Add(-schema.StreamRetention))
		if !r.mayRead(s) {
			continue
		}
		s.share(r.filters, now)
		for _, l := range s.lanes {
			b := r.next(s, l, now)
			if b == nil {
				continue
			}
			r.calls++
			r.flights[r.calls] = flight{s, l}
			calls = append(calls, Call{ID: r.calls, Shard: s.id, Records: s.records(b.at), Number: b.calls})
		}
	}
	return calls
}

// Wake is the next time at which Due may have something, if nothing is
// appended or answered before; false when there is nothing to wait for.
func (r *Reader) Wake(now time.Time) (time.Time, bool) {
	var first time.Time
	found := false
	for _, s := range r.shards {
		if !r.reading || !r.mayRead(s) {
			continue
		}
		at, ok := s.wake(r.m, now)
		if ok && (!found || at.Before(first)) {
			first, found = at, true
		}
	}
	return first, found
}

// Answer takes what became of a call. False: the call is not known, since the
// reader died meanwhile; the records come again.
func (r *Reader) Answer(id int, now time.Time, a Result) bool {
	f, ok := r.flights[id]
	if !ok {
		return false
	}
	delete(r.flights, id)
	r.settle(f.s, f.l, now, a)
	return true
}

// Notices is what was given up, in order.
func (r *Reader) Notices() []Notice { return r.notices }

// Count is how many records of the stream have a fate.
func (r *Reader) Count(f Fate) int {
	n := 0
	for _, s := range r.shards {
		for _, is := range s.fates {
			if is == f {
				n++
			}
		}
	}
	return n
}

// FateOf is the fate of a record; "" when there is none.
func (r *Reader) FateOf(shardID, sequence string) Fate {
	if s := r.shard(shardID); s != nil {
		for i, rec := range s.log {
			if rec.Sequence == sequence {
				return s.fates[i]
			}
		}
	}
	return ""
}

func (r *Reader) shard(id string) *shard {
	for _, s := range r.shards {
		if s.id == id {
			return s
		}
	}
	return nil
}

// mayRead tells whether a shard's parent is all settled.
func (r *Reader) mayRead(s *shard) bool {
	p := r.shard(s.parent)
	return p == nil || (p.closed && p.settled() == len(p.log) && r.mayRead(p))
}
