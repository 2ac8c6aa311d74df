package lambdaio_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/proof/streamreader"
	"onefold/internal/reading/reader"
	"onefold/internal/schema"
)

// The settings matter: with any of them otherwise, something is lost or held
// up that is not with ours. The sweeper is off, so that only the stream counts.

// withAndWithout runs a test with our settings and with others.
func withAndWithout(t *testing.T, other func(*streamreader.Mapping), test func(t *testing.T, c *cloud, ours bool)) {
	t.Helper()
	for name, change := range map[string]func(*streamreader.Mapping){"ours": nil, "other": other} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newCloud(t, cloudPlan{shards: 1, change: change, assume: cloudAssumptions()["partial answers count"]})
				c.sweeps = false
				test(t, c, change == nil)
			})
		})
	}
}

func (c *cloud) wantDecided(events []ledger.Key, ours bool, withOurs, withOthers int) {
	c.t.Helper()
	want := withOthers
	if ours {
		want = withOurs
	}
	if n := c.decided(events...); n != want {
		c.t.Errorf("%d of %d are decided, want %d", n, len(events), want)
	}
}

func TestLatestWouldLoseWhatCameBeforeTheMapping(t *testing.T) {
	t.Parallel()
	withAndWithout(t, func(m *streamreader.Mapping) { m.StartingPosition = streamreader.Latest }, func(_ *testing.T, c *cloud, ours bool) {
		events := c.forms(0, 4)
		c.begin()
		events = append(events, c.forms(4, 2)...)
		c.pass(time.Hour)
		c.wantDecided(events, ours, 6, 2)
	})
}

func TestWithoutBisectAPoisonRecordWouldTakeItsBatchWithIt(t *testing.T) {
	t.Parallel()
	withAndWithout(t, func(m *streamreader.Mapping) { m.BisectBatchOnFunctionError = false }, func(_ *testing.T, c *cloud, ours bool) {
		events := c.forms(0, 8)
		// The first: nothing of its batch is done before it.
		c.poison(events[0], 0, cloudPoisons()["its process dies"])
		c.begin()
		c.pass(2 * time.Hour)
		c.wantDecided(events, ours, 7, 4)
	})
}

func TestInfiniteRetriesWouldHoldTheShard(t *testing.T) {
	t.Parallel()
	other := func(m *streamreader.Mapping) {
		m.MaximumRetryAttempts, m.MaximumRecordAge = streamreader.Forever, streamreader.Forever
	}
	withAndWithout(t, other, func(_ *testing.T, c *cloud, ours bool) {
		events := c.forms(0, 8)
		c.poison(events[0], 0, cloudPoisons()["its process dies"])
		c.begin()
		c.pass(20 * time.Hour)
		c.wantDecided(events, ours, 7, 0)
	})
}

func TestWithoutReportedFailuresARecordWouldBeLostUnseen(t *testing.T) {
	t.Parallel()
	withAndWithout(t, func(m *streamreader.Mapping) { m.ReportBatchItemFailures = false }, func(t *testing.T, c *cloud, ours bool) {
		events := c.forms(0, 4)
		heal := c.poison(events[1], 1, cloudPoisons()["its row is unreadable"])
		c.begin()
		c.tick()
		synctest.Wait()
		heal()
		c.pass(time.Hour)
		c.wantDecided(events, ours, 4, 3)
		if n := c.worker(schema.Extract).reader.Notices(); len(n) != 0 {
			t.Errorf("%d notices", len(n))
		}
	})
}

func TestABatchThatDoesNotFitTheRetriesWouldNotBeWorkedOff(t *testing.T) {
	t.Parallel()
	withAndWithout(t, func(m *streamreader.Mapping) { m.BatchSize = 100 }, func(_ *testing.T, c *cloud, ours bool) {
		c.read = func(ctx context.Context, _ reader.Source) { cloudSpend(ctx, 50*time.Second) }
		events := c.forms(0, 12)
		c.begin()
		c.pass(2 * time.Hour)
		c.wantDecided(events, ours, 12, 4)
	})
}

// Each kind is worked on by the function whose mapping names it, and by no
// other: only that one looks at the row.
func TestAKindGoesToTheFunctionThatWorksOnIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCloud(t, cloudPlan{})
		handlers := map[schema.Function]func(context.Context, ledger.Change) error{schema.CRMSync: c.sys.CRMSync.Handle, schema.Send: c.sys.Send.Handle}
		looked := map[schema.Function]int{}
		c.get = func(f schema.Function, _ ledger.Key) error { looked[f]++; return nil }
		for _, m := range schema.StreamMappings() {
			for _, w := range m.Where {
				if w.Attribute != schema.Kind {
					continue
				}
				for _, kind := range w.Texts {
					clear(looked)
					for f, handle := range handlers {
						ctx := context.WithValue(t.Context(), cloudCallKey{}, &cloudCall{f: f})
						k := ledger.Operation.At("demo", "o-"+kind)
						c.must(handle(ctx, ledger.Change{Key: k, Item: ledger.Item{schema.Kind: kind, "state": "open"}}))
					}
					if looked[m.Function] != 1 || len(looked) != 1 {
						t.Errorf("%s is in the mapping of %s; looked at by %v", kind, m.Function, looked)
					}
				}
			}
		}
	})
}
