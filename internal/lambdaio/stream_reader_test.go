package lambdaio_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/proof/streamreader"
	"onefold/internal/reading/reader"
	"onefold/internal/schema"
)

// cloudAssumptions is what AWS leaves open: the extremes.
func cloudAssumptions() map[string]streamreader.Assume {
	slow := func(n int) time.Duration { return min(time.Second<<min(n, 10), time.Minute) }
	return map[string]streamreader.Assume{
		"tried again at once":      {Backoff: func(int) time.Duration { return 0 }},
		"partial answers count":    {Backoff: slow, PartialCounts: true},
		"the first named is split": {Backoff: slow, PartialCounts: true, FirstNamedSplits: true},
	}
}

// inCloud runs a test in a bubble under each assumption; a short run takes one.
func inCloud(t *testing.T, p cloudPlan, test func(t *testing.T, c *cloud)) {
	t.Helper()
	for name, a := range cloudAssumptions() {
		if testing.Short() && (!a.PartialCounts || a.FirstNamedSplits) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := p
				q.assume = a
				test(t, newCloud(t, q))
			})
		})
	}
}

// holds is the longest that one poison record may hold its shard: the calls
// until it is alone and its retries, each to the timeout, and the waits
// between; and a minute for what is behind it.
func (w *cloudWorker) holds(a streamreader.Assume) time.Duration {
	sm, _ := schema.StreamMappingOf(w.f)
	calls := 1 + sm.Retries
	for n := sm.BatchSize; n > 1; n = (n + 1) / 2 {
		calls++
	}
	d := time.Minute
	for n := range calls {
		d += w.runs + a.Backoff(n+1)
	}
	return d
}

// cloudPoison is how a record is bad each time that extract meets it: in the
// reading of its row, or of its text, which is after it was claimed.
type cloudPoison struct {
	row  func() error
	text func()
	told bool // it is given up, with a notice
	slow bool // each of its images holds the shard anew to the timeout
}

func cloudPoisons() map[string]cloudPoison {
	hang := func() { time.Sleep(5 * time.Minute) }
	return map[string]cloudPoison{
		"its process dies":              {row: func() error { runtime.Goexit(); return nil }, told: true},
		"its row is unreadable":         {row: func() error { return ledger.ErrDamaged }, told: true},
		"it panics":                     {row: func() error { panic("nothing of this may be told") }, told: true},
		"its row hangs to the timeout":  {row: func() error { hang(); return ledger.ErrUnavailable }, told: true, slow: true},
		"its text hangs to the timeout": {text: hang},
		"its text ends the process":     {text: runtime.Goexit},
	}
}

// poison makes one event go wrong in extract until it is healed.
func (c *cloud) poison(k ledger.Key, who int, p cloudPoison) (heal func()) {
	var sick atomic.Bool
	sick.Store(true)
	c.get = func(f schema.Function, read ledger.Key) error {
		if f == schema.Extract && read == k && sick.Load() && p.row != nil {
			return p.row()
		}
		return nil
	}
	c.read = func(_ context.Context, s reader.Source) {
		if s.Given.Email == cloudPerson(who) && sick.Load() && p.text != nil {
			p.text()
		}
	}
	return func() { sick.Store(false) }
}

// A record that fails each time holds its shard no longer than the mapping's
// bound; the rest is worked on, before and behind it; and when it is well
// again, its row's due time brings it back. Only where each image of it runs
// to the timeout is there a bound for each of its ten nudges.
func TestAPoisonRecordHoldsItsShardForMinutesAndComesBack(t *testing.T) {
	t.Parallel()
	for name, p := range cloudPoisons() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCloud(t, cloudPlan{}, func(t *testing.T, c *cloud) {
				events := c.forms(0, 8)
				heal := c.poison(events[2], 2, p)
				c.begin()
				w := c.worker(schema.Extract)
				bound := w.holds(c.assume)
				c.pass(bound)
				if n := c.decided(events...); n != 7 {
					t.Errorf("%d of the 7 others are decided after %v", n, bound)
				}
				// While it is nudged on, others come.
				more := c.forms(8, 4)
				if p.slow {
					bound *= 10
				}
				c.pass(bound)
				if n := c.decided(more...); n != 4 {
					t.Errorf("%d of 4 later ones are decided after %v", n, bound)
				}
				if told := len(w.reader.Notices()) > 0; told != p.told {
					t.Errorf("somebody was told that a record was given up: %v", told)
				}
				if c.state(events[2]) != "recorded" {
					t.Fatalf("the poison record is %s", c.state(events[2]))
				}
				heal()
				if !c.until(3*time.Hour, c.quiet) {
					t.Errorf("not quiet three hours after; the poison record is %s", c.state(events[2]))
				}
				c.wantAll(12)
			})
		})
	}
}

// The ledger answers nobody for an hour, with events and then with operations
// in the streams: retries run out, records are given up, nothing is lost.
func TestALedgerAwayForAnHourLosesNothing(t *testing.T) {
	t.Parallel()
	inCloud(t, cloudPlan{}, func(t *testing.T, c *cloud) {
		away := func(d time.Duration) { until := time.Now().Add(d); c.away.Store(&until) }
		c.forms(0, 8)
		c.begin()
		away(time.Hour)
		c.pass(59 * time.Minute)
		if up := c.worker(schema.Extract).reader.Count(streamreader.GivenUp); up == 0 {
			t.Error("no retries ran out in an hour: the test proves little")
		}
		if !c.until(2*time.Hour, c.quiet) {
			t.Fatal("not quiet two hours after")
		}
		c.wantAll(8)
		// Once more, with the events decided and nothing of them done.
		hold := true
		c.throttled = func(f schema.Function) bool { return hold && f != schema.Extract }
		more := c.forms(8, 4)
		for range 100 {
			if c.pass(time.Second); c.decided(more...) == 4 {
				break
			}
		}
		away(time.Hour)
		hold = false
		c.pass(59 * time.Minute)
		for _, f := range []schema.Function{schema.Send, schema.CRMSync} {
			if c.worker(f).reader.Count(streamreader.GivenUp) == 0 {
				t.Errorf("no retries of %s ran out", f)
			}
		}
		if !c.until(2*time.Hour, c.quiet) {
			t.Fatal("not quiet two hours after")
		}
		c.wantAll(12)
	})
}

// A text takes 50 s to read and an outside call 9.9 s: batches are worked off
// in several calls, and no record is given up.
func TestWorkersSlowToTheirTimeoutGetThrough(t *testing.T) {
	t.Parallel()
	inCloud(t, cloudPlan{}, func(t *testing.T, c *cloud) {
		c.callTakes = 9900 * time.Millisecond
		c.read = func(ctx context.Context, _ reader.Source) { cloudSpend(ctx, 50*time.Second) }
		c.forms(0, 12)
		c.begin()
		if !c.until(3*time.Hour, c.quiet) {
			t.Error("not quiet")
		}
		for _, w := range c.workers {
			if n := w.reader.Notices(); len(n) != 0 {
				t.Errorf("%s gave up %d times", w.f, len(n))
			}
		}
		c.wantAll(12)
	})
}

// The streams carry nothing but what the sweeper wrote: the rows' own times
// are enough.
func TestRecordsLostForGoodComeBackByTheirDueTimes(t *testing.T) {
	t.Parallel()
	inCloud(t, cloudPlan{}, func(t *testing.T, c *cloud) {
		c.lost = func(ch ledger.Change) bool { return ch.Item.Int("nudges") == 0 }
		c.forms(0, 8)
		c.begin()
		if !c.until(12*time.Hour, c.quiet) {
			t.Error("not quiet")
		}
		c.wantAll(8)
	})
}

// The second and the fourth of four cannot be read at first. The others are
// worked on in the same call, the two by the next, without the sweeper, and
// nothing happens twice.
func TestThoseThatFailInTheMiddleOfABatch(t *testing.T) {
	t.Parallel()
	inCloud(t, cloudPlan{shards: 1}, func(t *testing.T, c *cloud) {
		texts := map[string]int{}
		c.read = func(_ context.Context, s reader.Source) { c.effect(texts, s.Given.Email) }
		events := c.forms(0, 4)
		var well atomic.Bool
		c.get = func(f schema.Function, k ledger.Key) error {
			if f == schema.Extract && !well.Load() && (k == events[1] || k == events[3]) {
				return ledger.ErrDamaged
			}
			return nil
		}
		c.sweeps = false
		c.begin()
		c.tick()
		synctest.Wait()
		if n := c.decided(events...); n != 2 || c.worker(schema.Extract).calls != 1 {
			t.Errorf("%d are decided after %d calls", n, c.worker(schema.Extract).calls)
		}
		well.Store(true)
		c.pass(5 * time.Minute)
		if n := c.decided(events...); n != 4 {
			t.Errorf("%d are decided", n)
		}
		c.sweeps = true
		if !c.until(10*time.Minute, c.quiet) {
			t.Error("not quiet")
		}
		c.wantAll(4)
		for n := range 4 {
			if texts[cloudPerson(n)] != 1 {
				t.Errorf("the text of person %d was read %d times", n, texts[cloudPerson(n)])
			}
		}
	})
}

func TestTheSameItemTwiceInABatchIsWorkedOnOnce(t *testing.T) {
	t.Parallel()
	inCloud(t, cloudPlan{shards: 1}, func(t *testing.T, c *cloud) {
		c.twice = true
		c.forms(0, 6)
		c.begin()
		if !c.until(time.Hour, c.quiet) {
			t.Error("not quiet")
		}
		c.wantAll(6)
		for ref, n := range c.filed {
			if n != 1 {
				t.Errorf("%s reached the CRM %d times", ref, n)
			}
		}
	})
}

// Batches of one shard at once, and readers that die with batches under way:
// those are handed out again while the first are still at work.
func TestBatchesAtOnceAndReadersThatDie(t *testing.T) {
	t.Parallel()
	change := func(m *streamreader.Mapping) { m.ParallelizationFactor, m.BatchSize = 4, 2 }
	inCloud(t, cloudPlan{shards: 1, change: change}, func(t *testing.T, c *cloud) {
		c.read = func(ctx context.Context, _ reader.Source) { cloudSpend(ctx, 2*time.Second) }
		c.forms(0, 12)
		c.begin()
		for range 20 {
			c.pass(1100 * time.Millisecond)
			for _, w := range c.workers {
				w.reader.Die()
			}
		}
		if !c.until(time.Hour, c.quiet) {
			t.Error("not quiet")
		}
		if w := c.worker(schema.Extract); w.most < 2 {
			t.Errorf("%d batches at once", w.most)
		}
		c.wantAll(12)
	})
}

// A new account runs ten functions at once; here there is room for two, so
// most calls are throttled. No retry is used for it.
func TestThrottledFunctionsLoseNothing(t *testing.T) {
	t.Parallel()
	inCloud(t, cloudPlan{shards: 4}, func(t *testing.T, c *cloud) {
		c.limit = 2
		c.forms(0, 16)
		c.begin()
		if !c.until(3*time.Hour, c.quiet) {
			t.Error("not quiet")
		}
		for _, w := range c.workers {
			if n := w.reader.Notices(); len(n) != 0 {
				t.Errorf("%s gave up %d times", w.f, len(n))
			}
		}
		c.wantAll(16)
	})
}
