package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/record/claim"
	"onefold/internal/utc"
)

// faulty is a store whose next commits fail as told: applied or not, and the
// caller learns only the error. What it never does is apply a refused commit.
type faulty struct {
	*mem.Store

	mu       sync.Mutex
	faults   []fault
	commits  int
	getFails bool
}

type fault struct {
	applied bool
	again   bool // the store repeats it of its own accord, as an SDK does
	err     error
}

func (f *faulty) next() (fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commits++
	if len(f.faults) == 0 {
		return fault{}, false
	}
	first := f.faults[0]
	f.faults = f.faults[1:]
	return first, true
}

func (f *faulty) Commit(ctx context.Context, c ledger.Commit) error {
	next, ok := f.next()
	if !ok {
		return f.Store.Commit(ctx, c)
	}
	if next.applied {
		if err := f.Store.Commit(ctx, c); err != nil {
			return err
		}
	}
	if next.again {
		return f.Store.Commit(ctx, c)
	}
	return next.err
}

func (f *faulty) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if f.getFails {
		return nil, ledger.ErrUnavailable
	}
	return f.Store.Get(ctx, k)
}

// TestOwnClaimIsKnownAgainHoweverItsAnswerWasLost: first claims and takeovers.
func TestOwnClaimIsKnownAgainHoweverItsAnswerWasLost(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]fault{
		"repeated by the store": {applied: true, again: true},
		"no answer":             {applied: true, err: ledger.ErrUnknown},
		"an error of no kind":   {applied: true, err: errors.New("connection reset")},
	} {
		f := &faulty{Store: mem.New(), faults: []fault{next}}
		b := newBench(t, f)
		held := b.begin(order(), claim.Fresh).Held
		b.pass(time.Hour)
		f.faults = []fault{next}
		took := b.begin(order(), claim.Takeover).Held
		if held.Attempt() != 1 || took.Attempt() != 2 {
			t.Errorf("%s: attempts %d, %d", name, held.Attempt(), took.Attempt())
		}
		f.faults = []fault{next}
		err := b.records.Complete(t.Context(), took, "x", time.Hour)
		if next.again != (err == nil) {
			t.Errorf("%s: complete: %v", name, err)
		}
		// Repeated by the caller, it is known again.
		b.must(b.records.Complete(t.Context(), took, "x", time.Hour))
		if err := b.records.Release(t.Context(), took, utc.Time{}); !errors.Is(err, idempotency.ErrLost) {
			t.Errorf("%s: a completed record was released: %v", name, err)
		}
	}
}

func TestAClaimWithoutProofIsNoClaim(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    fault
		getFails bool
		commits  int // how often it may be tried
	}{
		"not applied, no answer":      {fault{err: ledger.ErrUnknown}, false, 1},
		"applied, and cannot be read": {fault{applied: true, err: ledger.ErrUnknown}, true, 1},
		"not reached":                 {fault{err: ledger.ErrUnavailable}, false, 1},
	} {
		f := &faulty{Store: mem.New(), faults: []fault{c.fault}, getFails: c.getFails}
		b := newBench(t, f)
		got, err := b.records.Begin(t.Context(), order())
		if !errors.Is(err, c.fault.err) || got != (idempotency.Begun{}) || f.commits != c.commits {
			t.Errorf("%s: %+v, %v after %d commits", name, got, err, f.commits)
		}
		f.getFails = false
		// Whatever was written, the next caller is told the truth.
		want := claim.Fresh
		if c.fault.applied {
			want = claim.Running
		}
		b.begin(order(), want)
	}
}

func TestContentionIsTriedAgainWithTheSameToken(t *testing.T) {
	t.Parallel()
	f := &faulty{Store: mem.New(), faults: []fault{{err: ledger.ErrContention}, {err: ledger.ErrContention}}}
	b := newBench(t, f)
	b.begin(order(), claim.Fresh)
	if f.commits != 3 {
		t.Errorf("%d commits", f.commits)
	}
	for range idempotency.Tries {
		f.faults = append(f.faults, fault{err: ledger.ErrContention})
	}
	b.pass(time.Hour)
	if _, err := b.records.Begin(t.Context(), order()); !errors.Is(err, ledger.ErrContention) {
		t.Errorf("contention without end: %v", err)
	}
}

// TestOfManyThatBeginAtOnceOneGetsIt, each time that the work is to be had.
func TestOfManyThatBeginAtOnceOneGetsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	owners := map[string]bool{}
	for round := range 30 {
		var mu sync.Mutex
		var won []idempotency.Begun
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				got, err := b.records.Begin(t.Context(), order())
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err != nil && !errors.Is(err, ledger.ErrContention):
					t.Error(err)
				case got.Verdict == claim.Fresh || got.Verdict == claim.Takeover:
					won = append(won, got)
				case err == nil && got.Verdict != claim.Running:
					t.Errorf("verdict %s", got.Verdict)
				}
			})
		}
		wait.Wait()
		if len(won) != 1 || (won[0].Verdict == claim.Fresh) != (round == 0) || won[0].Held.Attempt() != int64(round+1) {
			t.Fatalf("round %d: %+v", round, won)
		}
		owner := b.stored().Text("owner")
		if owners[owner] {
			t.Fatal("two claims have one token")
		}
		owners[owner] = true
		b.pass(time.Hour)
	}
}

// TestNoHistoryGivesOneWorkToTwo: random steps of several workers over a store
// that fails; whatever happens, of the results that were said to be saved the
// one that is given out is one, until it expires, and no two live claims are
// held at once.
func TestNoHistoryGivesOneWorkToTwo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := &faulty{Store: mem.New()}
		b := newBench(t, f)
		var held []idempotency.Held
		saved, expires := "", time.Time{}
		for n := range rapid.IntRange(5, 40).Draw(rt, "steps") {
			if rapid.IntRange(0, 3).Draw(rt, "fault") == 0 {
				f.faults = []fault{{applied: rapid.Bool().Draw(rt, "applied"), err: ledger.ErrUnknown}}
			}
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				b.pass(time.Duration(rapid.IntRange(1, 120).Draw(rt, "seconds")) * time.Second)
			case 1, 2:
				got, err := b.records.Begin(t.Context(), order())
				live := saved != "" && b.clock().Before(expires)
				switch {
				case err != nil:
				case live && (got.Verdict != claim.Done || got.Result != saved):
					rt.Fatalf("saved %q, told %+v", saved, got)
				case got.Verdict == claim.Fresh || got.Verdict == claim.Takeover:
					for _, h := range held {
						if h.Until().After(utc.At(b.clock())) && h.Attempt() == got.Held.Attempt()-1 {
							if b.records.Complete(t.Context(), h, "both", time.Hour) == nil {
								rt.Fatal("a claim that was taken over completed")
							}
						}
					}
					held = append(held, got.Held)
				}
			case 3:
				if len(held) == 0 {
					continue
				}
				h := held[rapid.IntRange(0, len(held)-1).Draw(rt, "who")]
				result := fmt.Sprint("result ", n)
				if b.records.Complete(t.Context(), h, result, 3*time.Minute) == nil {
					it := b.stored()
					if it.Int("attempt") != h.Attempt() || it.Text("status") != "completed" {
						rt.Fatalf("said to be saved by attempt %d: %v", h.Attempt(), it)
					}
					saved, expires = it.Text("result"), time.Unix(it.Int("expires_at"), 0)
				}
			}
			f.faults = nil
		}
	})
}
