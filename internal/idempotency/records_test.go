package idempotency_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/record/claim"
	"onefold/internal/utc"
)

// bench is a set of records with a clock that the test moves.
type bench struct {
	*testing.T
	store   ledger.Store
	records idempotency.Records
	mu      sync.Mutex
	now     time.Time
}

func newBench(t *testing.T, store ledger.Store) *bench {
	t.Helper()
	b := &bench{T: t, store: store, now: at(0).Std()}
	b.records = idempotency.Records{Store: store, Now: b.clock}
	return b
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

func order() idempotency.Work {
	return idempotency.Work{Tenant: "demo", For: "import", Key: "order-7", Fingerprint: "f", Timeout: 30 * time.Second}
}

func (b *bench) begin(w idempotency.Work, want claim.Verdict) idempotency.Begun {
	b.Helper()
	got, err := b.records.Begin(b.Context(), w)
	if err != nil || got.Verdict != want {
		b.Fatalf("begin: %s, %v, want %s", got.Verdict, err, want)
	}
	return got
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) stored() ledger.Item {
	b.Helper()
	it, err := b.store.Get(b.Context(), ledger.Idempotency.Under("demo", "order-7", "import"))
	b.must(err)
	return it
}

func TestCompletedWorkGivesItsSavedResult(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	held := b.begin(order(), claim.Fresh).Held
	b.must(b.records.Complete(b.Context(), held, "result", time.Hour))
	for range 3 {
		if got := b.begin(order(), claim.Done); got.Result != "result" || got.Failed {
			t.Errorf("%+v", got)
		}
	}
	if it := b.stored(); it.Text("status") != "completed" || it.Text("completed_at") == "" || it.Int("workflow_version") != idempotency.WorkflowVersion {
		t.Errorf("%v", it)
	}
}

func TestRunningWorkSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	held := b.begin(order(), claim.Fresh).Held
	// DESIGN section 4: the worker's time and 60 s for clocks that differ.
	lapse := at(90 * time.Second)
	if got := b.begin(order(), claim.Running); got.Until != lapse || held.Until() != lapse {
		t.Errorf("come back at %s, the claim lapses at %s, want %s", got.Until, held.Until(), lapse)
	}
	b.pass(90*time.Second - time.Millisecond)
	b.begin(order(), claim.Running)
	b.pass(time.Millisecond)
	b.begin(order(), claim.Takeover)
}

// TestALapsedClaimIsNoExpiredRecord: the record outlives the lapse by any time,
// and who comes then knows that he takes over.
func TestALapsedClaimIsNoExpiredRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	b.begin(order(), claim.Fresh)
	if b.stored()["expires_at"] != nil {
		t.Error("work in progress expires")
	}
	b.pass(365 * 24 * time.Hour)
	other := order()
	other.Fingerprint = "g"
	b.begin(other, claim.Mismatch)
	got := b.begin(order(), claim.Takeover)
	if got.Held.Attempt() != 2 || got.Held.After != claim.InProgress {
		t.Errorf("%+v", got)
	}
	if it := b.stored(); it.Text("fingerprint") != "f" {
		t.Error("a takeover changed the fingerprint")
	}
}

func TestAnotherPayloadIsRefusedBeforeAnythingSavedIsGivenOut(t *testing.T) {
	t.Parallel()
	other := order()
	other.Fingerprint = "g"
	for name, finish := range map[string]func(*bench, idempotency.Held) error{
		"completed": func(b *bench, h idempotency.Held) error {
			return b.records.Complete(b.Context(), h, "secret", time.Hour)
		},
		"failed for good": func(b *bench, h idempotency.Held) error { return b.records.Fail(b.Context(), h, "secret", time.Hour) },
		"released":        func(b *bench, h idempotency.Held) error { return b.records.Release(b.Context(), h, utc.Time{}) },
		"unknown":         func(b *bench, h idempotency.Held) error { return b.records.Lose(b.Context(), h) },
		"running":         func(*bench, idempotency.Held) error { return nil },
	} {
		b := newBench(t, mem.New())
		b.must(finish(b, b.begin(order(), claim.Fresh).Held))
		before := b.stored()
		if got := b.begin(other, claim.Mismatch); got.Result != "" || !got.Until.IsZero() || got.Held != (idempotency.Held{}) {
			t.Errorf("%s: a stranger to the payload is told %+v", name, got)
		}
		if b.stored().Version() != before.Version() {
			t.Errorf("%s: a refused payload wrote something", name)
		}
	}
}

// TestExpiryIsComparedAndNotLeftToTheStore: the row is still there.
func TestExpiryIsComparedAndNotLeftToTheStore(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	b.must(b.records.Complete(b.Context(), b.begin(order(), claim.Fresh).Held, "old", time.Minute))
	if got, want := b.stored().Int("expires_at"), at(time.Minute).Std().Unix(); got != want {
		t.Errorf("expires_at %d, want epoch seconds %d", got, want)
	}
	b.pass(time.Minute - time.Millisecond)
	b.begin(order(), claim.Done)
	b.pass(time.Millisecond)
	other := order()
	other.Fingerprint = "g"
	got := b.begin(other, claim.Fresh)
	it := b.stored()
	if got.Held.Attempt() != 2 || it.Text("fingerprint") != "g" || it["expires_at"] != nil || it["result"] != nil || it["completed_at"] != nil {
		t.Errorf("attempt %d of %v", got.Held.Attempt(), it)
	}
	b.must(b.records.Complete(b.Context(), got.Held, "new", time.Minute))
	if got := b.begin(other, claim.Done); got.Result != "new" {
		t.Errorf("%+v", got)
	}
}

func TestNoTimeLeftIsNoTimeAtAll(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	for _, left := range []time.Duration{0, -time.Second} {
		w := order()
		w.Timeout = left
		if _, err := b.records.Begin(t.Context(), w); !errors.Is(err, idempotency.ErrNoTime) || b.stored() != nil {
			t.Errorf("%s left: %v", left, err)
		}
	}
}

func TestWorkWithoutAFingerprintOrAPurposeIsAMistake(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	for name, change := range map[string]func(*idempotency.Work){
		"fingerprint": func(w *idempotency.Work) { w.Fingerprint = "" }, "purpose": func(w *idempotency.Work) { w.For = "" },
		"key": func(w *idempotency.Work) { w.Key = "" }, "tenant": func(w *idempotency.Work) { w.Tenant = "" },
	} {
		w := order()
		change(&w)
		if _, err := b.records.Begin(t.Context(), w); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("no %s: %v", name, err)
		}
	}
	held := b.begin(order(), claim.Fresh).Held
	for _, keep := range []time.Duration{0, -time.Hour, time.Second - 1} {
		if err := b.records.Complete(t.Context(), held, "", keep); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("kept for %s: %v", keep, err)
		}
	}
}

func TestKeysOfOtherPurposesAndTenantsAreOtherWork(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	b.begin(order(), claim.Fresh)
	for _, change := range []func(*idempotency.Work){
		func(w *idempotency.Work) { w.For = "export" }, func(w *idempotency.Work) { w.Key = "order-8" }, func(w *idempotency.Work) { w.Tenant = "other" },
	} {
		w := order()
		w.Fingerprint = "another"
		change(&w)
		b.begin(w, claim.Fresh)
	}
}

func TestWhatEachEndLeaves(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	b.must(b.records.Release(b.Context(), b.begin(order(), claim.Fresh).Held, at(time.Hour)))
	if got := b.begin(order(), claim.Running); got.Until != at(time.Hour) {
		t.Errorf("released work is due at %s", got.Until)
	}
	b.pass(time.Hour)
	got := b.begin(order(), claim.Takeover)
	if got.Held.After != claim.Failed || got.Held.Attempt() != 2 || b.stored()["not_before"] != nil {
		t.Errorf("after a release: %+v", got)
	}
	b.must(b.records.Lose(b.Context(), got.Held))
	if it := b.stored(); it.Text("status") != "unknown" || it["expires_at"] != nil {
		t.Errorf("lost work: %v", it)
	}
	// Unknown for effects outside: at once, by one who knows.
	got = b.begin(order(), claim.Takeover)
	if got.Held.After != claim.Unknown || got.Held.Attempt() != 3 {
		t.Errorf("after unknown: %+v", got)
	}
	b.must(b.records.Fail(b.Context(), got.Held, "refused by the other side", time.Hour))
	if got := b.begin(order(), claim.Done); !got.Failed || got.Result != "refused by the other side" {
		t.Errorf("failed for good: %+v", got)
	}
	b.pass(time.Hour)
	b.begin(order(), claim.Fresh)
}

func TestAClaimIsFencedOnceItIsTakenOver(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	early := b.begin(order(), claim.Fresh).Held
	b.pass(time.Hour)
	later := b.begin(order(), claim.Takeover).Held
	for name, finish := range ends(b) {
		if err := finish(t.Context(), early); !errors.Is(err, idempotency.ErrLost) {
			t.Errorf("the first worker could %s: %v", name, err)
		}
	}
	b.must(b.records.Complete(b.Context(), later, "later", time.Hour))
	for name, finish := range ends(b) {
		if err := finish(t.Context(), early); !errors.Is(err, idempotency.ErrLost) {
			t.Errorf("the first worker could %s what is completed: %v", name, err)
		}
	}
	if got := b.begin(order(), claim.Done); got.Result != "later" {
		t.Errorf("%+v", got)
	}
}

// TestALapseAloneTakesNothingAway: while nobody has taken over, the outcome of
// a slow worker is the outcome.
func TestALapseAloneTakesNothingAway(t *testing.T) {
	t.Parallel()
	b := newBench(t, mem.New())
	held := b.begin(order(), claim.Fresh).Held
	b.pass(time.Hour)
	b.must(b.records.Complete(b.Context(), held, "slow", time.Hour))
	if got := b.begin(order(), claim.Done); got.Result != "slow" {
		t.Errorf("%+v", got)
	}
}

func ends(b *bench) map[string]func(context.Context, idempotency.Held) error {
	return map[string]func(context.Context, idempotency.Held) error{
		"complete": func(ctx context.Context, h idempotency.Held) error { return b.records.Complete(ctx, h, "x", time.Hour) },
		"fail":     func(ctx context.Context, h idempotency.Held) error { return b.records.Fail(ctx, h, "x", time.Hour) },
		"release":  func(ctx context.Context, h idempotency.Held) error { return b.records.Release(ctx, h, utc.Time{}) },
		"lose":     b.records.Lose,
	}
}
