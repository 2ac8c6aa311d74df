package streamreader

import (
	"hash/fnv"
	"time"
)

// shard is a shard's records and what became of them. Positions are indexes
// of log.
type shard struct {
	id, parent string
	closed     bool
	log        []Record
	fates      []Fate
	shared     int // records below it are in a lane or settled
	lanes      []*lane
}

// lane is one of the batches that a shard has at once. An item's records are
// always in the same lane, which is what keeps their order.
type lane struct {
	work    []*batch // the first is next, or under way
	flying  bool
	rest    time.Time // no call before it
	waiting []int     // for a batch
	since   time.Time // when the first of waiting was read
}

// batch is records that are called together.
type batch struct {
	at        []int
	calls     int // that reached the function
	retries   int // of the quota
	throttles int
}

// settled is the position before which every record is settled: the
// checkpoint.
func (s *shard) settled() int {
	for i, f := range s.fates {
		if f == Pending {
			return i
		}
	}
	return len(s.log)
}

// rewind puts the shard back to its checkpoint: what was settled behind it is
// read again.
func (s *shard) rewind(lanes int) {
	s.shared = s.settled()
	for i := s.shared; i < len(s.fates); i++ {
		if s.fates[i] == Done || s.fates[i] == Passed {
			s.fates[i] = Pending
		}
	}
	s.lanes = nil
	for range lanes {
		s.lanes = append(s.lanes, &lane{})
	}
}

// trim takes away what the stream no longer keeps. Of a batch under way only
// the answer decides.
func (s *shard) trim(horizon time.Time) {
	for _, l := range s.lanes {
		for i, b := range l.work {
			if i > 0 || !l.flying {
				b.at = s.keep(b.at, horizon)
			}
		}
		l.waiting = s.keep(l.waiting, horizon)
	}
	for ; s.shared < len(s.log) && !s.log[s.shared].At.After(horizon); s.shared++ {
		s.expire(s.shared)
	}
}

func (s *shard) keep(at []int, horizon time.Time) []int {
	var kept []int
	for _, i := range at {
		if s.log[i].At.After(horizon) {
			kept = append(kept, i)
		} else {
			s.expire(i)
		}
	}
	return kept
}

func (s *shard) expire(i int) {
	if s.fates[i] == Pending {
		s.fates[i] = Expired
	}
}

// share puts what is new into the lanes; what no filter lets through is
// settled.
func (s *shard) share(filters []filter, now time.Time) {
	for ; s.shared < len(s.log); s.shared++ {
		i := s.shared
		switch {
		case s.fates[i] != Pending:
		case !fits(filters, s.log[i].Body):
			s.fates[i] = Passed
		default:
			l := s.lanes[laneOf(s.log[i].Item, len(s.lanes))]
			if len(l.waiting) == 0 {
				l.since = now
			}
			l.waiting = append(l.waiting, i)
		}
	}
}

func laneOf(item string, lanes int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(item))
	return int(h.Sum32() % uint32(lanes)) //nolint:gosec // ten at most
}

func (s *shard) records(at []int) []Record {
	recs := make([]Record, len(at))
	for k, i := range at {
		recs[k] = s.log[i]
	}
	return recs
}

func (s *shard) mark(at []int, f Fate) {
	for _, i := range at {
		s.fates[i] = f
	}
}

// wake is when the shard next has something to do.
func (s *shard) wake(m Mapping, now time.Time) (time.Time, bool) {
	var first time.Time
	found := false
	for _, l := range s.lanes {
		if l.flying || (len(l.work) == 0 && len(l.waiting) == 0) {
			continue
		}
		at := now
		if len(l.work) == 0 && !s.full(m, l) {
			at = l.since.Add(m.MaximumBatchingWindow)
		}
		if at.Before(l.rest) {
			at = l.rest
		}
		if !found || at.Before(first) {
			first, found = at, true
		}
	}
	if s.shared < len(s.log) {
		return now, true
	}
	return first, found
}
