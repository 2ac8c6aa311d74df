package streamreader_test

// Real: the reader. Written by hand: the stream's records, the function and
// the clock. Asserted: what the function was handed, in which order, and what
// became of each record.

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"onefold/internal/proof/streamreader"
)

var start = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// usual is settings under which nothing is special.
func usual() streamreader.Mapping {
	return streamreader.Mapping{
		BatchSize: 4, StartingPosition: streamreader.TrimHorizon, ReportBatchItemFailures: true,
		MaximumRetryAttempts: 2, MaximumRecordAge: streamreader.Forever, ParallelizationFactor: 1,
	}
}

// possible is what AWS leaves open, in every combination.
func possible() map[string]streamreader.Assume {
	all := map[string]streamreader.Assume{}
	for _, counts := range []bool{false, true} {
		for _, splits := range []bool{false, true} {
			for name, wait := range map[string]func(int) time.Duration{
				"at once": func(int) time.Duration { return 0 },
				"growing": func(n int) time.Duration { return min(time.Second<<min(n, 10), 5*time.Minute) },
			} {
				all[fmt.Sprintf("partial counts %v, first named splits %v, waits %s", counts, splits, name)] = streamreader.Assume{Backoff: wait, PartialCounts: counts, FirstNamedSplits: splits}
			}
		}
	}
	return all
}

// eachPossible runs a test under each of them.
func eachPossible(t *testing.T, test func(t *testing.T, a streamreader.Assume)) {
	t.Helper()
	for name, a := range possible() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, a)
		})
	}
}

// world is a reader, a clock and a function.
type world struct {
	t   *testing.T
	r   *streamreader.Reader
	now time.Time
	// handed is the calls as words: "1 2 3".
	handed []string
	// do is the function; nil succeeds at once.
	do func(c streamreader.Call) (streamreader.Result, time.Duration)
}

func newWorld(t *testing.T, m streamreader.Mapping, a streamreader.Assume) *world {
	t.Helper()
	r, err := streamreader.New(m, a)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Shard("s", ""); err != nil {
		t.Fatal(err)
	}
	return &world{t: t, r: r, now: start}
}

// put appends records numbered from to to, each of its own item.
func (w *world) put(shard string, from, to int) {
	w.t.Helper()
	for n := from; n <= to; n++ {
		w.putItem(shard, n, fmt.Sprint("item", n))
	}
}

func (w *world) putItem(shard string, n int, item string) {
	w.t.Helper()
	if err := w.r.Append(shard, streamreader.Record{Sequence: fmt.Sprint(n), Item: item, At: w.now, Body: []byte(`{}`)}); err != nil {
		w.t.Fatal(err)
	}
}

// until runs the function for what is due until nothing is, or the time is up.
func (w *world) until(end time.Time) {
	w.t.Helper()
	for range 10_000 {
		calls := w.r.Due(w.now)
		for _, c := range calls {
			w.handed = append(w.handed, words(c.Records))
			var a streamreader.Result
			var took time.Duration
			if w.do != nil {
				a, took = w.do(c)
			}
			w.now = w.now.Add(took)
			w.r.Answer(c.ID, w.now, a)
		}
		if len(calls) > 0 {
			continue
		}
		next, ok := w.r.Wake(w.now)
		if !ok || next.After(end) {
			return
		}
		w.now = next
	}
	w.t.Fatal("the reader does not come to rest")
}

// run begins and runs until quiet, for two days at most.
func (w *world) run() {
	w.t.Helper()
	w.r.Begin()
	w.until(w.now.Add(48 * time.Hour))
}

func words(recs []streamreader.Record) string {
	var all []string
	for _, r := range recs {
		all = append(all, r.Sequence)
	}
	return strings.Join(all, " ")
}

func (w *world) wantHanded(want ...string) {
	w.t.Helper()
	if got := strings.Join(w.handed, " | "); got != strings.Join(want, " | ") {
		w.t.Errorf("handed %s, want %s", got, strings.Join(want, " | "))
	}
}

func (w *world) wantCount(f streamreader.Fate, want int) {
	w.t.Helper()
	if got := w.r.Count(f); got != want {
		w.t.Errorf("%d records are %s, want %d", got, f, want)
	}
}

// naming is a partial answer that names records.
func naming(ids ...string) streamreader.Result {
	var rows []string
	for _, id := range ids {
		rows = append(rows, fmt.Sprintf(`{"itemIdentifier":%q}`, id))
	}
	return streamreader.Result{Payload: []byte(`{"batchItemFailures":[` + strings.Join(rows, ",") + `]}`)}
}

// poison fails whenever the record is in the batch.
func poison(sequence string) func(streamreader.Call) (streamreader.Result, time.Duration) {
	return func(c streamreader.Call) (streamreader.Result, time.Duration) {
		return streamreader.Result{Failed: strings.Contains(" "+words(c.Records)+" ", " "+sequence+" ")}, time.Second
	}
}
