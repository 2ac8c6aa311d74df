package ledger_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/ledger/mem"
	"onefold/internal/record/review"
)

func TestACommitIsTriedAgainUntilItIsDoneAndNoFurther(t *testing.T) {
	t.Parallel()
	fault := errors.New("a fault")
	for name, c := range map[string]struct {
		again int   // how many calls want another
		then  error // of the one that does not
		calls int
		want  error
	}{
		"done at once":          {0, nil, 1, nil},
		"done after two others": {2, nil, 3, nil},
		"a fault ends it":       {1, fault, 2, fault},
		"never done":            {99, nil, 4, ledger.ErrContention},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls, began := 0, time.Now()
				err := ledger.Retry(t.Context(), 4, func() (bool, error) {
					calls++
					return calls <= c.again, c.then
				})
				if calls != c.calls || !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
					t.Errorf("%d calls, %v; want %d, %v", calls, err, c.calls, c.want)
				}
				// At most 10, 20, 40 and 80 ms, and one more each.
				if took := time.Since(began); took > 154*time.Millisecond || calls > 1 && took < time.Duration(calls-1)*time.Millisecond {
					t.Errorf("%d calls took %v", calls, took)
				}
			})
		})
	}
}

func TestNothingIsTriedAfterTheEndOfItsTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := ledger.Retry(ctx, 8, func() (bool, error) { calls++; cancel(); return true, nil })
	if calls != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d calls, %v", calls, err)
	}
}

func TestARefusalAndContentionSayThatRowsMoved(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		nil: false, ledger.ErrContention: true, &ledger.Refused{}: true,
		ledger.ErrUnknown: false, ledger.ErrUnavailable: false, ledger.ErrInvalid: false, errors.New("another"): false,
	} {
		if ledger.Moved(err) != want {
			t.Errorf("%v: %t", err, !want)
		}
	}
}

func TestARowIsReadAsItsNoun(t *testing.T) {
	t.Parallel()
	store := mem.New()
	k := ledger.ReviewTask.At("demo", "t1")
	if task, err := ledger.Read[review.Task](t.Context(), store, k); task != nil || err != nil {
		t.Errorf("a row that is not there: %+v, %v", task, err)
	}
	var c ledger.Commit
	if err := errors.Join(c.Create("task", k, review.Task{Tenant: "demo", ID: "t1", State: review.Open}), store.Commit(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(t.Context(), c); err != nil && !ledger.Moved(err) {
		t.Fatal(err)
	}
	task, err := ledger.Read[review.Task](t.Context(), store, k)
	if err != nil || task == nil || task.State != review.Open {
		t.Errorf("%+v, %v", task, err)
	}
	if _, err := ledger.Read[struct{ State int }](t.Context(), store, k); err == nil {
		t.Error("a row was read as what it is not")
	}
}
