package local

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/ledger"
)

// Whatever order changes are handled in: the checkpoint covers no change that
// is not handled, in no shard, and in the end it covers all.
func TestTheCheckpointNeverPassesAnUnhandledChange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tr := &track{}
		type known struct {
			shard, number, track int
			handled              bool
		}
		var all []*known
		byPosition := map[string]*known{}
		var waiting []*known
		next := map[int]int{}   // number within a shard
		marked := map[int]int{} // by shard: up to here
		check := func(passed []ledger.Change) {
			for _, p := range passed {
				k := byPosition[p.Position]
				marked[k.shard] = max(marked[k.shard], k.number)
			}
			for _, k := range all {
				if k.number <= marked[k.shard] && !k.handled {
					t.Fatalf("shard %d is marked up to %d, and %d is not handled", k.shard, marked[k.shard], k.number)
				}
			}
		}
		handle := func() {
			i := rapid.IntRange(0, len(waiting)-1).Draw(t, "which")
			k := waiting[i]
			waiting = append(waiting[:i], waiting[i+1:]...)
			k.handled = true
			check(tr.done(k.track))
		}
		for range rapid.IntRange(1, 8).Draw(t, "batches") {
			shard := rapid.IntRange(0, 2).Draw(t, "shard")
			size := rapid.IntRange(1, 5).Draw(t, "size")
			for i := range size {
				next[shard]++
				k := &known{shard: shard, number: next[shard]}
				position := fmt.Sprintf("%d/%d", shard, k.number)
				byPosition[position] = k
				k.track = tr.add(ledger.Change{Position: position}, i == size-1)
				all, waiting = append(all, k), append(waiting, k)
			}
			for range rapid.IntRange(0, len(waiting)).Draw(t, "handled meanwhile") {
				handle()
			}
		}
		for len(waiting) > 0 {
			handle()
		}
		for shard, n := range next {
			if marked[shard] != n {
				t.Fatalf("all is handled, and shard %d is marked up to %d of %d", shard, marked[shard], n)
			}
		}
	})
}
