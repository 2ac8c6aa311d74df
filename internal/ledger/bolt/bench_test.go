package bolt_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"onefold/internal/ledger/bolt"
)

// BenchmarkCommit commits an event with its index and feed entries and a
// contact, from one and from 16 goroutines.
func BenchmarkCommit(b *testing.B) {
	for _, committers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint("committers=", committers), func(b *testing.B) {
			s, err := bolt.Open(filepath.Join(b.TempDir(), "ledger"), bolt.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			for range committers {
				wg.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						id := fmt.Sprintf("%09d", n*7919%1_000_000_007)
						if err := s.Commit(context.Background(), create(event(id), contact(id))); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}
