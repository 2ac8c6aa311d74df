package streamreader_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/proof/streamreader"
)

// history is what the function was handed.
type history struct {
	t      *rapid.T
	items  map[int]string // number to item
	shards map[int]string // number to shard
	rec    map[string]int // sequence to number
}

// handed judges a call before it is answered.
func (h *history) handed(r *streamreader.Reader, c streamreader.Call) {
	inBatch := map[int]bool{}
	for _, rec := range c.Records {
		n := h.rec[rec.Sequence]
		item := h.items[n]
		// None before an earlier one of its item is settled, unless that is in
		// the same batch, before it: so first calls and settled records of an
		// item are in its order.
		for m := 1; m < n; m++ {
			if h.items[m] == item && !inBatch[m] && r.FateOf(h.shards[m], fmt.Sprint(m)) == streamreader.Pending {
				h.t.Fatalf("%d of %s was handed out while %d was not settled", n, item, m)
			}
		}
		inBatch[n] = true
	}
}

// However the function answers and whenever the reader dies, nothing is lost
// that no notice names, and no record is handed out before an earlier one of
// its item is settled.
func TestNothingIsLostAndItemsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := streamreader.Mapping{
			BatchSize: rapid.IntRange(1, 6).Draw(t, "batch"), StartingPosition: streamreader.TrimHorizon,
			MaximumBatchingWindow:      time.Duration(rapid.IntRange(0, 5).Draw(t, "window")) * time.Second,
			ReportBatchItemFailures:    rapid.Bool().Draw(t, "report"),
			BisectBatchOnFunctionError: rapid.Bool().Draw(t, "bisect"),
			MaximumRetryAttempts:       rapid.IntRange(0, 4).Draw(t, "retries"),
			MaximumRecordAge:           rapid.SampledFrom([]time.Duration{streamreader.Forever, time.Minute, time.Hour}).Draw(t, "age"),
			ParallelizationFactor:      rapid.IntRange(1, 4).Draw(t, "lanes"),
		}
		a := streamreader.Assume{
			PartialCounts: rapid.Bool().Draw(t, "partial counts"), FirstNamedSplits: rapid.Bool().Draw(t, "first named splits"),
			Backoff: func(n int) time.Duration { return min(time.Duration(n)*time.Second, 10*time.Second) },
		}
		r, err := streamreader.New(m, a)
		if err != nil {
			t.Fatal(err)
		}
		h := &history{t: t, items: map[int]string{}, shards: map[int]string{}, rec: map[string]int{}}
		now, n, shard := start, 0, 0
		if err := r.Shard("0", ""); err != nil {
			t.Fatal(err)
		}
		r.Begin()
		var flying []streamreader.Call
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(t, "records") {
					n++
					h.items[n] = fmt.Sprint("item", rapid.IntRange(1, 4).Draw(t, "item"))
					h.shards[n], h.rec[fmt.Sprint(n)] = fmt.Sprint(shard), n
					if err := r.Append(h.shards[n], streamreader.Record{Sequence: fmt.Sprint(n), Item: h.items[n], At: now, Body: []byte(`{}`)}); err != nil {
						t.Fatal(err)
					}
				}
			},
			"split": func(t *rapid.T) {
				r.Close(fmt.Sprint(shard))
				shard++
				if err := r.Shard(fmt.Sprint(shard), fmt.Sprint(shard-1)); err != nil {
					t.Fatal(err)
				}
			},
			"read": func(t *rapid.T) {
				for _, c := range r.Due(now) {
					h.handed(r, c)
					flying = append(flying, c)
				}
			},
			"answer": func(t *rapid.T) {
				if len(flying) == 0 {
					t.Skip("nothing under way")
				}
				i := rapid.IntRange(0, len(flying)-1).Draw(t, "which")
				c := flying[i]
				flying = append(flying[:i:i], flying[i+1:]...)
				r.Answer(c.ID, now, drawAnswer(t, c))
			},
			"time": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "seconds")) * time.Second)
			},
			"die": func(t *rapid.T) {
				r.Die()
				flying = nil
			},
			"": func(t *rapid.T) { notices(t, r, h, n) },
		})
		// The function is well again.
		for _, c := range flying {
			r.Answer(c.ID, now, streamreader.Result{})
		}
		for range 10_000 {
			calls := r.Due(now)
			for _, c := range calls {
				h.handed(r, c)
				r.Answer(c.ID, now, streamreader.Result{})
			}
			next, ok := r.Wake(now)
			if len(calls) == 0 && !ok {
				break
			}
			if len(calls) == 0 {
				now = next
			}
		}
		if done, up := r.Count(streamreader.Done), r.Count(streamreader.GivenUp); done+up != n {
			t.Fatalf("of %d records %d are done and %d given up", n, done, up)
		}
		notices(t, r, h, n)
	})
}

func drawAnswer(t *rapid.T, c streamreader.Call) streamreader.Result {
	switch rapid.SampledFrom([]string{"done", "error", "throttle", "named", "empty"}).Draw(t, "answer") {
	case "error":
		return streamreader.Result{Failed: true}
	case "throttle":
		return streamreader.Result{Throttled: true}
	case "named":
		return naming(c.Records[rapid.IntRange(0, len(c.Records)-1).Draw(t, "named")].Sequence)
	case "empty":
		return naming("")
	}
	return streamreader.Result{}
}

// notices checks that they name exactly what was given up: as many records,
// each within the range of one.
func notices(t *rapid.T, r *streamreader.Reader, h *history, n int) {
	named := 0
	for _, is := range r.Notices() {
		named += is.Records
	}
	up := 0
	for k := 1; k <= n; k++ {
		if r.FateOf(h.shards[k], fmt.Sprint(k)) != streamreader.GivenUp {
			continue
		}
		up++
		covered := false
		for _, is := range r.Notices() {
			covered = covered || (is.Shard == h.shards[k] && h.rec[is.First] <= k && k <= h.rec[is.Last])
		}
		if !covered {
			t.Fatalf("%d was given up and no notice names it", k)
		}
	}
	if named != up {
		t.Fatalf("%d records were given up, notices speak of %d", up, named)
	}
}
