package idempotency_test

import (
	"testing"
	"time"

	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/record/claim"
	"onefold/internal/utc"
)

var key = ledger.Operation.At("demo", "op")

// row is one guarded row in a real store.
type row struct {
	t     *testing.T
	store *mem.Store
}

func newRow(t *testing.T) row {
	t.Helper()
	r := row{t, mem.New()}
	var c ledger.Commit
	if err := c.Create("row", key, ledger.Item{"fingerprint": "f"}); err != nil {
		t.Fatal(err)
	}
	if err := r.store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r row) read() (claim.Record, ledger.Item) {
	r.t.Helper()
	it, err := r.store.Get(r.t.Context(), key)
	var rec claim.Record
	if err != nil || it.Decode(&rec) != nil {
		r.t.Fatal(err)
	}
	return rec, it
}

func (r row) update(cond ledger.Cond, set ledger.Item) error {
	r.t.Helper()
	var c ledger.Commit
	if err := c.Update("row", key, cond, set); err != nil {
		r.t.Fatal(err)
	}
	return r.store.Commit(r.t.Context(), c)
}

func at(d time.Duration) utc.Time {
	return utc.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(d))
}

func TestOfTwoThatJudgedTheSameRowOneWins(t *testing.T) {
	t.Parallel()
	r := newRow(t)
	rec, it := r.read()
	a, first := idempotency.Claim(rec, idempotency.NewOwner(), at(time.Minute))
	b, second := idempotency.Claim(rec, idempotency.NewOwner(), at(time.Minute))
	if err := r.update(ledger.AtVersion(it.Version()), a); err != nil {
		t.Fatal(err)
	}
	err := r.update(ledger.AtVersion(it.Version()), b)
	refused, ok := ledger.AsRefused(err)
	if !ok {
		t.Fatalf("the second claim: %v", err)
	}
	f, _ := refused.By("row")
	if idempotency.Mine(f.Current, second.Owner, second.Attempt) {
		t.Error("the loser takes the winner's claim for his own")
	}
	if !idempotency.Mine(f.Current, first.Owner, first.Attempt) {
		t.Error("whoever lost the answer to his own claim must know it again")
	}
}

func TestAWorkerThatWasTakenOverFinishesNothing(t *testing.T) {
	t.Parallel()
	r := newRow(t)
	rec, _ := r.read()
	set, early := idempotency.Claim(rec, idempotency.NewOwner(), at(time.Minute))
	if err := r.update(ledger.Cond{}, set); err != nil {
		t.Fatal(err)
	}
	rec, _ = r.read()
	if rec.Judge("f", at(2*time.Minute)) != claim.Takeover {
		t.Fatal("not lapsed")
	}
	set, later := idempotency.Claim(rec, idempotency.NewOwner(), at(3*time.Minute))
	if err := r.update(ledger.Cond{}, set); err != nil || later.Attempt != early.Attempt+1 || later.Fingerprint != "f" {
		t.Fatalf("takeover %v: %v", later, err)
	}
	for name, attrs := range map[string]ledger.Item{
		"complete": idempotency.Complete("x", at(0)), "release": idempotency.Release(), "lose": idempotency.Lost(),
	} {
		if _, refused := ledger.AsRefused(r.update(idempotency.Fence(early), attrs)); !refused {
			t.Errorf("the first worker could %s", name)
		}
	}
	// A nudge raises the version; finishing does not ask for it.
	if err := r.update(ledger.Cond{}, ledger.Item{"nudges": 1}); err != nil {
		t.Fatal(err)
	}
	if err := r.update(idempotency.Fence(later), idempotency.Complete("done", at(0))); err != nil {
		t.Fatal(err)
	}
	rec, it := r.read()
	if rec.Status != claim.Completed || rec.Result != "done" || rec.WorkflowVersion != idempotency.WorkflowVersion || it.Text("in_progress_until") != "" {
		t.Errorf("record %+v", rec)
	}
	if rec.Judge("f", at(time.Hour)) != claim.Done || rec.Judge("g", at(time.Hour)) != claim.Mismatch {
		t.Error("a completed record gives its result to its own payload only")
	}
	if _, refused := ledger.AsRefused(r.update(idempotency.Fence(later), idempotency.Release())); !refused {
		t.Error("a completed record was released")
	}
}

func TestReleasedAndLostWorkIsTakenOverAndNothingExpires(t *testing.T) {
	t.Parallel()
	for _, attrs := range []ledger.Item{idempotency.Release(), idempotency.Lost()} {
		r := newRow(t)
		rec, _ := r.read()
		set, mine := idempotency.Claim(rec, idempotency.NewOwner(), at(time.Minute))
		if err := r.update(ledger.Cond{}, set); err != nil {
			t.Fatal(err)
		}
		if err := r.update(idempotency.Fence(mine), idempotency.Join(attrs, ledger.Item{"not_before": at(time.Hour)})); err != nil {
			t.Fatal(err)
		}
		rec, it := r.read()
		if rec.Judge("", at(0)) != claim.Takeover || rec.ExpiresAt != 0 || it.Text("not_before") == "" {
			t.Errorf("record %+v", rec)
		}
	}
}

func TestALeaseOutlivesItsWorkerByTheSkewOfClocks(t *testing.T) {
	t.Parallel()
	// DESIGN section 4: claim + function timeout + 60 s for skew.
	if got := idempotency.Lease(30 * time.Second); got != 90*time.Second {
		t.Errorf("lease %s", got)
	}
}

func TestOwnersAreFresh(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		owner := idempotency.NewOwner()
		if len(owner) != 32 || seen[owner] {
			t.Fatalf("owner %q", owner)
		}
		seen[owner] = true
	}
}
