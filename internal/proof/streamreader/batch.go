package streamreader

import "time"

// maxPayload is the limit of a synchronous call (Lambda quotas, read 2026-11).
const maxPayload = 6 << 20

// next is the lane's next batch, now under way; nil when none is due.
func (r *Reader) next(s *shard, l *lane, now time.Time) *batch {
	if l.flying || now.Before(l.rest) {
		return nil
	}
	for {
		if len(l.work) == 0 && !s.gather(r.m, l, now) {
			return nil
		}
		b := l.work[0]
		r.dropOld(s, b, now)
		if len(b.at) == 0 {
			l.work = l.work[1:]
			continue
		}
		b.calls++
		l.flying = true
		return b
	}
}

// gather makes a batch of what waits, if it is time.
func (s *shard) gather(m Mapping, l *lane, now time.Time) bool {
	if len(l.waiting) == 0 || (!s.full(m, l) && now.Before(l.since.Add(m.MaximumBatchingWindow))) {
		return false
	}
	n := s.fill(m, l)
	l.work = append(l.work, &batch{at: l.waiting[:n:n]})
	l.waiting, l.since = l.waiting[n:], now
	return true
}

// fill is how many of those that wait go into one batch.
func (s *shard) fill(m Mapping, l *lane) int {
	n, size := 0, 0
	for _, i := range l.waiting {
		size += s.log[i].size()
		if n == m.BatchSize || (n > 0 && size > maxPayload) {
			break
		}
		n++
	}
	return n
}

func (s *shard) full(m Mapping, l *lane) bool {
	n := s.fill(m, l)
	return n == m.BatchSize || n < len(l.waiting)
}

// dropOld gives up what may no longer be sent.
func (r *Reader) dropOld(s *shard, b *batch, now time.Time) {
	n := 0
	for n < len(b.at) && r.m.tooOld(s.log[b.at[n]].At, now) {
		n++
	}
	if n > 0 {
		r.giveUp(s, &batch{at: b.at[:n], calls: b.calls}, AgeExceeded, now)
		b.at = b.at[n:]
	}
}

func (r *Reader) giveUp(s *shard, b *batch, condition string, now time.Time) {
	recs := s.records(b.at)
	first, last := recs[0], recs[len(recs)-1]
	r.notices = append(r.notices, Notice{
		Condition: condition, Calls: b.calls, At: now, Shard: s.id,
		First: first.Sequence, Last: last.Sequence, FirstAt: first.At, LastAt: last.At, Records: len(recs),
	})
	s.mark(b.at, GivenUp)
}

// settle is what an answer does to the batch that was under way.
func (r *Reader) settle(s *shard, l *lane, now time.Time, a Result) {
	l.flying = false
	b := l.work[0]
	if a.Throttled {
		b.calls--
		b.throttles++
		l.rest = now.Add(r.a.wait(b.calls + b.throttles))
		return
	}
	l.work = l.work[1:]
	from, failed := r.m.read(a, s.records(b.at))
	s.mark(b.at[:from], Done)
	left := &batch{at: b.at[from:], calls: b.calls, retries: b.retries, throttles: b.throttles}
	if len(left.at) == 0 {
		l.rest = time.Time{}
		return
	}
	counts := from == 0 || r.a.PartialCounts
	if counts && r.m.exhausted(b.retries) {
		r.giveUp(s, left, RetriesExhausted, now)
		l.rest = time.Time{}
		return
	}
	l.rest = now.Add(r.a.wait(b.calls + b.throttles))
	split := r.m.BisectBatchOnFunctionError && len(left.at) > 1 && from == 0 && (failed || r.a.FirstNamedSplits)
	if split {
		// A split is not counted. Both parts are before everything else of the
		// lane, the earlier one first.
		half := len(left.at) / 2
		later := *left
		later.at, left.at = left.at[half:], left.at[:half]
		l.work = append([]*batch{left, &later}, l.work...)
		return
	}
	if counts {
		left.retries++
	}
	l.work = append([]*batch{left}, l.work...)
}
