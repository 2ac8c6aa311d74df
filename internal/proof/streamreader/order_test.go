package streamreader_test

import (
	"fmt"
	"testing"
	"time"

	"onefold/internal/proof/streamreader"
)

func TestBatchesAreCutAtTheirSize(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usual(), streamreader.Assume{})
	w.put("s", 1, 9)
	w.run()
	w.wantHanded("1 2 3 4", "5 6 7 8", "9")
}

// 6 MB is what a synchronous call takes: two records of 3 MiB fit, a third does
// not, and one that alone is too large is still handed out.
func TestBatchesAreCutAtSixMegabytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usual(), streamreader.Assume{})
	for n, size := range []int{3 << 20, 3 << 20, 1, 7 << 20, 1} {
		if err := w.r.Append("s", streamreader.Record{Sequence: fmt.Sprint(n + 1), Item: fmt.Sprint(n), At: start, Size: size, Body: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	w.run()
	w.wantHanded("1 2", "3", "4", "5")
}

func TestAWindowGathersUntilItEndsOrTheBatchIsFull(t *testing.T) {
	t.Parallel()
	m := usual()
	m.MaximumBatchingWindow = 10 * time.Second
	w := newWorld(t, m, streamreader.Assume{})
	w.r.Begin()
	w.put("s", 1, 1)
	w.until(start.Add(9 * time.Second))
	w.wantHanded()
	w.now = start.Add(9 * time.Second)
	w.put("s", 2, 2)
	w.until(start.Add(10 * time.Second))
	w.wantHanded("1 2")
	w.put("s", 3, 6)
	w.until(w.now)
	w.wantHanded("1 2", "3 4 5 6")
}

func TestLatestSkipsWhatWasThereAndTrimHorizonDoesNot(t *testing.T) {
	t.Parallel()
	for position, want := range map[streamreader.Position]string{streamreader.Latest: "3 4", streamreader.TrimHorizon: "1 2 3 4"} {
		m := usual()
		m.StartingPosition = position
		w := newWorld(t, m, streamreader.Assume{})
		w.put("s", 1, 2)
		w.r.Begin()
		w.put("s", 3, 4)
		w.until(start.Add(time.Hour))
		w.wantHanded(want)
	}
}

// "To ensure that no events are missed, specify TRIM_HORIZON": a mapping that
// is changed stops for minutes.
func TestLatestSkipsWhatCameWhileAMappingWasChanged(t *testing.T) {
	t.Parallel()
	for position, want := range map[streamreader.Position]streamreader.Fate{streamreader.Latest: streamreader.Skipped, streamreader.TrimHorizon: streamreader.Done} {
		m := usual()
		m.StartingPosition = position
		w := newWorld(t, m, streamreader.Assume{})
		w.r.Begin()
		w.put("s", 1, 1)
		w.until(start)
		w.r.Halt()
		w.now = start.Add(3 * time.Minute)
		w.put("s", 2, 2)
		w.until(w.now)
		w.r.Begin()
		w.put("s", 3, 3)
		w.until(w.now)
		if w.r.FateOf("s", "1") != streamreader.Done || w.r.FateOf("s", "2") != want || w.r.FateOf("s", "3") != streamreader.Done {
			t.Errorf("%s: 1 %s, 2 %s, 3 %s", position, w.r.FateOf("s", "1"), w.r.FateOf("s", "2"), w.r.FateOf("s", "3"))
		}
	}
}

// A child has what came after the split: it waits until all of its parent is
// settled, given up included.
func TestAChildShardWaitsForItsParent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usual(), streamreader.Assume{})
	for id, parent := range map[string]string{"left": "s", "right": "s", "grandchild": "left", "orphan": "forgotten"} {
		if err := w.r.Shard(id, parent); err != nil {
			t.Fatal(err)
		}
	}
	w.put("s", 1, 2)
	w.put("left", 3, 3)
	w.put("right", 4, 4)
	w.put("grandchild", 5, 5)
	w.put("orphan", 6, 6)
	w.r.Begin()
	w.do = poison("1")
	w.until(start.Add(30 * time.Minute))
	w.wantCount(streamreader.Pending, 3) // the parent is not closed
	w.r.Close("s")
	if err := w.r.Append("s", streamreader.Record{Sequence: "7"}); err == nil {
		t.Error("a closed shard took a record")
	}
	w.until(start.Add(time.Hour))
	w.wantCount(streamreader.Pending, 1)
	w.r.Close("left")
	w.until(start.Add(time.Hour))
	w.wantCount(streamreader.Pending, 0)
	at := map[string]int{}
	for i, words := range w.handed {
		at[words] = i
	}
	if at["1 2"] > at["3"] || at["1 2"] > at["4"] || at["3"] > at["5"] {
		t.Errorf("handed %v", w.handed)
	}
}

// Two lanes: a poison record holds up the records of its lane and no others,
// and no item is in two batches at once.
func TestBatchesAtOnceNeverShareAnItem(t *testing.T) {
	t.Parallel()
	m := usual()
	m.ParallelizationFactor, m.BatchSize = 10, 2
	w := newWorld(t, m, streamreader.Assume{})
	for n := range 60 {
		w.putItem("s", n+1, fmt.Sprint("item", n%20))
	}
	w.r.Begin()
	for range 100 {
		calls := w.r.Due(w.now)
		owner := map[string]int{}
		for _, c := range calls {
			for _, r := range c.Records {
				if other, ok := owner[r.Item]; ok && other != c.ID {
					t.Errorf("%s is in two batches", r.Item)
				}
				owner[r.Item] = c.ID
			}
		}
		if len(calls) > 10 {
			t.Errorf("%d batches of one shard at once", len(calls))
		}
		if again := w.r.Due(w.now); len(again) != 0 {
			t.Error("a lane with a batch under way was handed another")
		}
		for _, c := range calls {
			w.r.Answer(c.ID, w.now, streamreader.Result{})
		}
	}
	w.wantCount(streamreader.Done, 60)
}

// At least once: what was settled behind the checkpoint comes again after the
// reader died, and an answer to what it had under way is not known.
func TestADeadReaderGoesOnBehindItsCheckpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usual(), streamreader.Assume{})
	w.put("s", 1, 8)
	w.r.Begin()
	first := w.r.Due(w.now)
	w.r.Answer(first[0].ID, w.now, streamreader.Result{})
	second := w.r.Due(w.now)
	w.r.Die()
	if w.r.Answer(second[0].ID, w.now, streamreader.Result{}) {
		t.Error("the dead reader's call was known")
	}
	w.until(start.Add(time.Hour))
	w.wantHanded("5 6 7 8")

	// With two lanes, what is settled behind one that is not.
	m := usual()
	m.ParallelizationFactor = 10
	w = newWorld(t, m, streamreader.Assume{})
	w.put("s", 1, 40)
	w.r.Begin()
	calls := w.r.Due(w.now)
	done := 0
	for _, c := range calls {
		if c.Records[0].Sequence != "1" {
			w.r.Answer(c.ID, w.now, streamreader.Result{})
			done += len(c.Records)
		}
	}
	w.wantCount(streamreader.Done, done)
	w.r.Die()
	w.wantCount(streamreader.Pending, 40)
	w.until(start.Add(time.Hour))
	w.wantCount(streamreader.Done, 40)
}
