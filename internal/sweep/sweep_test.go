package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/record/audit"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/sweep"
	"onefold/internal/utc"
)

// bench is the sweeper on the memory ledger, with a clock that tests move, an
// index that may be stale and rows that cannot be written.
type bench struct {
	testing.TB
	*mem.Store
	now    time.Time
	per    int                          // rows of a shard in one run
	stale  []ledger.Item                // what the index shows instead, if any
	before func(ledger.Commit) error    // each commit
	read   func(ledger.Key, *mem.Store) // each Get, just after it
}

func newBench(t testing.TB) *bench {
	return &bench{TB: t, Store: mem.New(), per: 20, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
}

func (b *bench) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	if b.stale != nil && q.Table == schema.Outbox && q.Partition == "0" {
		return ledger.Page{Items: b.stale}, nil
	}
	return b.Store.Query(ctx, q)
}

func (b *bench) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	it, err := b.Store.Get(ctx, k)
	if b.read != nil {
		b.read(k, b.Store)
	}
	return it, err
}

func (b *bench) Commit(ctx context.Context, c ledger.Commit) error {
	if b.before != nil {
		if err := b.before(c); err != nil {
			return err
		}
	}
	return b.Store.Commit(ctx, c)
}

func (b *bench) sweeper() *sweep.Service {
	return &sweep.Service{Store: role.Store(b), Now: func() time.Time { return b.now }, PerShard: b.per, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

func (b *bench) run() sweep.Report {
	b.Helper()
	rep, err := b.sweeper().Run(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return rep
}

// operation makes a note whose due time is d from now, in shard 0.
func (b *bench) operation(id string, d time.Duration) ledger.Key {
	b.Helper()
	var c ledger.Commit
	op := outbox.Operation{Tenant: "acme", ID: id, Kind: outbox.CRMNote, Event: "e1", Contact: "c1"}
	if err := decide.InsertOperation(&c, op, utc.At(b.now), audit.Record{At: utc.At(b.now), By: "test"}); err != nil {
		b.Fatal(err)
	}
	b.must(b.Store.Commit(context.Background(), c))
	k := ledger.Operation.At("acme", id)
	b.set(k, ledger.Item{schema.DueAt: utc.At(b.now.Add(d)), schema.DueShard: "0"})
	return k
}

func (b *bench) set(k ledger.Key, set ledger.Item) {
	b.Helper()
	var c ledger.Commit
	if err := c.Update("row", k, ledger.Cond{}, set); err != nil {
		b.Fatal(err)
	}
	b.must(b.Store.Commit(context.Background(), c))
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) row(k ledger.Key) ledger.Item {
	b.Helper()
	it, err := b.Store.Get(context.Background(), k)
	b.must(err)
	return it
}

// stream reads everything that the outbox has put on its stream so far.
func (b *bench) stream() []ledger.Change {
	b.Helper()
	var all []ledger.Change
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		batch, err := b.Next(ctx, schema.Outbox, "test", 1000)
		cancel()
		if err != nil {
			return all
		}
		all = append(all, batch...)
	}
}

func TestADueRowIsPutOnTheStream(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	due, later := b.operation("due", 0), b.operation("later", time.Second)
	b.stream()
	if rep := b.run(); rep.Nudged != 1 || rep.Parked != 0 {
		t.Fatalf("%+v", rep)
	}
	changes := b.stream()
	if len(changes) != 1 || changes[0].Key != due {
		t.Fatalf("the stream has %v", changes)
	}
	if b.row(later).Int("nudges") != 0 {
		t.Error("a row was nudged before its time")
	}
	if b.row(due).Int("transition") != 1 {
		t.Error("a nudge is no transition")
	}
}

func TestEachNudgeWaitsLongerAndTenInVainPark(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	k := b.operation("stuck", 0)
	last := time.Duration(0)
	for n := range int64(sweep.MaxNudges) {
		b.run()
		due, err := utc.Parse(b.row(k).Text(schema.DueAt))
		b.must(err)
		wait := due.Std().Sub(b.now)
		if b.row(k).Int("nudges") != n+1 || wait < last || wait > time.Hour || wait < 30*time.Second {
			t.Fatalf("after nudge %d: nudges %d, waits %v after %v", n+1, b.row(k).Int("nudges"), wait, last)
		}
		last, b.now = wait, due.Std()
	}
	if rep := b.run(); rep.Parked != 1 {
		t.Fatalf("%+v", rep)
	}
	it := b.row(k)
	if it.Text("state") != outbox.Parked || it.Text("reason") != "no_progress" || it.Text(schema.DueAt) != "" || it.Text(schema.DueShard) != "" {
		t.Errorf("parked as %v", it)
	}
	r, err := b.Store.Get(context.Background(), ledger.AuditKey(k, 2))
	b.must(err)
	if r.Text("event") != "park" || r.Text("by") != "sweep" || r.Text("inbound_event") != "e1" {
		t.Errorf("the record of parking is %v", r)
	}
	if version := it.Version(); b.run() != (sweep.Report{}) || b.row(k).Version() != version {
		t.Error("a parked row was touched")
	}
}

func TestAnEventIsParkedToo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	k := ledger.Event.At("acme", "e1")
	var c ledger.Commit
	b.must(c.Insert(ledger.Step{Key: k, Machine: inbound.Machine(), Event: "record", Audit: audit.Record{At: utc.At(b.now), By: "test"}}, inbound.Event{
		Tenant: "acme", ID: "e1", State: inbound.Recorded, Transition: 1, DueAt: utc.At(b.now), DueShard: "3", Nudges: sweep.MaxNudges,
	}, inbound.Recorded))
	b.must(b.Store.Commit(context.Background(), c))
	if rep := b.run(); rep.Parked != 1 || b.row(k).Text("state") != inbound.Parked {
		t.Errorf("%+v, %s", rep, b.row(k).Text("state"))
	}
}

func TestProgressBeginsTheCountAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	k := b.operation("slow", 0)
	for range 3 * sweep.MaxNudges {
		b.run()
		b.now = b.now.Add(2 * time.Hour)
		if b.row(k).Int("nudges") == sweep.MaxNudges-1 {
			b.set(k, ledger.Item{"nudges": 0}) // a worker claimed it
		}
	}
	if b.row(k).Text("state") != outbox.Open {
		t.Error("a row that makes progress was parked")
	}
}

func TestOfTwoSweepersOneNudges(t *testing.T) {
	t.Parallel()
	for range 50 {
		b := newBench(t)
		k := b.operation("due", 0)
		b.stream()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { b.run() })
		}
		wg.Wait()
		if n := len(b.stream()); n != 1 || b.row(k).Int("nudges") != 1 {
			t.Fatalf("%d changes, %d nudges", n, b.row(k).Int("nudges"))
		}
	}
}

func TestARowThatMovedSinceItWasReadIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]ledger.Item{
		"finished":              {"state": outbox.Done, schema.DueAt: "", schema.DueShard: ""},
		"claimed":               {schema.DueAt: "2026-03-02T09:05:00.000Z", "nudges": 0},
		"ended, with its timer": {"state": outbox.Done},
	} {
		for _, nudges := range []int{0, sweep.MaxNudges} {
			t.Run(fmt.Sprint(name, " at ", nudges), func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				k := b.operation("due", 0)
				b.set(k, ledger.Item{"nudges": nudges})
				var version int64
				b.read = func(read ledger.Key, _ *mem.Store) {
					if read == k && version == 0 {
						b.set(k, move)
						version = b.row(k).Version()
					}
				}
				if rep := b.run(); rep != (sweep.Report{}) || b.row(k).Version() != version || version == 0 {
					t.Errorf("%+v, version %d after %d", rep, b.row(k).Version(), version)
				}
			})
		}
	}
}

func TestAStaleIndexDoesNoHarm(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	k := b.operation("done", 0)
	old := b.row(k)
	b.set(k, ledger.Item{"state": outbox.Done, schema.DueAt: "", schema.DueShard: ""})
	gone := old.Clone()
	gone[schema.ID] = "never"
	b.stale = []ledger.Item{old, gone}
	version := b.row(k).Version()
	if rep := b.run(); rep != (sweep.Report{}) || b.row(k).Version() != version {
		t.Errorf("%+v, version %d after %d", rep, b.row(k).Version(), version)
	}
}

func TestOneRowThatCannotBeWrittenKeepsNobodyFromHisTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	bad := b.operation("bad", -time.Hour)
	good := b.operation("good", 0)
	far := b.operation("far", 0)
	b.set(far, ledger.Item{schema.DueShard: "3"})
	b.before = func(c ledger.Commit) error {
		if c.Writes[0].Key == bad {
			return ledger.ErrUnavailable
		}
		return nil
	}
	rep, err := b.sweeper().Run(context.Background())
	if !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("the fault is not told: %v", err)
	}
	if rep.Nudged != 2 || b.row(good).Int("nudges") != 1 || b.row(far).Int("nudges") != 1 {
		t.Errorf("%+v", rep)
	}
}
