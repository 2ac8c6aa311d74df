package rekey_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/operate/rekey"
	"onefold/internal/policy/versions"
	"onefold/internal/record/contact"
	"onefold/internal/record/review"
)

// broken is a ledger of which one call goes wrong and, if the run dies there,
// none after it succeeds.
type broken struct {
	ledger.Store
	calls, at int
	applied   bool
	dies      bool
	err       error
}

func (b *broken) wrong() bool {
	b.calls++
	return b.calls == b.at || b.dies && b.at > 0 && b.calls > b.at
}

func (b *broken) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if b.wrong() {
		return nil, b.err
	}
	return b.Store.Get(ctx, k)
}

func (b *broken) Scan(ctx context.Context, s ledger.Scan) (ledger.Page, error) {
	if b.wrong() {
		return ledger.Page{}, b.err
	}
	return b.Store.Scan(ctx, s)
}

func (b *broken) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	if b.wrong() {
		return ledger.Page{}, b.err
	}
	return b.Store.Query(ctx, q)
}

func (b *broken) Commit(ctx context.Context, c ledger.Commit) error {
	if !b.wrong() {
		return b.Store.Commit(ctx, c)
	}
	if b.applied && b.calls == b.at {
		_ = b.Store.Commit(ctx, c)
	}
	return b.err
}

// mixed is a tenant with each case there is: plain, tagged, merged, an alias,
// and two people under one form.
func mixed(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, ruleOne)
	ada := w.form("ada@example.org").Text("contact")
	kim := w.form("kim+shop@example.com").Text("contact")
	w.merge(kim, ada)
	w.alias(w.form("lee@example.net").Text("contact"), "lee+x@example.net")
	w.form("joe@example.com")
	w.form("joe+a@example.com")
	w.apply(toFold)
	w.now = w.now.Add(settle)
	return w
}

var errDead = errors.New("the process is dead")

// TestAMigrationThatEndsAnywhereGoesOn: at each call of the ledger, in each
// flavour, the run ends, and the next one comes to the same keys, the same
// question and no more.
func TestAMigrationThatEndsAnywhereGoesOn(t *testing.T) {
	t.Parallel()
	clean := mixed(t)
	counting := &broken{Store: clean.store}
	rep, err := clean.service(counting).Run(t.Context(), "demo")
	if err != nil || rep.Added != 4 || len(rep.Collisions) != 1 {
		t.Fatalf("%+v, %v", rep, err)
	}
	want, calls := slices.Sorted(maps.Keys(clean.keys())), counting.calls
	if calls < 60 || len(want) != 10 {
		t.Fatalf("%d calls, keys %v", calls, want)
	}
	step := 1
	if testing.Short() {
		step = 13
	}
	for at := 1; at <= calls; at += step {
		for name, b := range map[string]broken{
			"unavailable": {err: ledger.ErrUnavailable}, "contention": {err: ledger.ErrContention}, "lost before": {err: ledger.ErrUnknown},
			"lost after": {err: ledger.ErrUnknown, applied: true}, "dies before": {err: errDead, dies: true}, "dies after": {err: errDead, dies: true, applied: true},
		} {
			w := mixed(t)
			b.Store, b.at = w.store, at
			rep, err := w.service(&b).Run(t.Context(), "demo")
			for range 3 {
				if err != nil {
					rep, err = w.service(w.store).Run(t.Context(), "demo")
				}
			}
			got := slices.Sorted(maps.Keys(w.keys()))
			if err != nil || !slices.Equal(got, want) || len(rep.Collisions) != 1 || len(w.tasks(review.IdentityCollision)) != 1 || rep.Ready {
				t.Fatalf("%s at call %d: %v, %+v, keys %v", name, at, err, rep, got)
			}
			if b.dies && b.applied || at%7 == 0 { // the whole check is slow
				w.sound(name)
			}
			// Nobody's question is answered by a crash.
			if err := w.tryApply(folded); !errors.Is(err, versions.ErrNotReady) {
				t.Fatalf("%s at call %d: applied: %v", name, at, err)
			}
		}
	}
}

// Two operators at once: one of them is told, and what they leave is what one
// would have left.
func TestTwoRunsAtOnceHarmNothing(t *testing.T) {
	t.Parallel()
	for range 8 {
		w := mixed(t)
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() { _, errs[i] = w.service(w.store).Run(context.Background(), "demo") })
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil && !errors.Is(err, rekey.ErrElsewhere) && !errors.Is(err, ledger.ErrContention) {
				t.Fatal(err)
			}
		}
		if rep := w.migrate(); len(rep.Collisions) != 1 || len(w.tasks(review.IdentityCollision)) != 1 || len(w.keys()) != 10 {
			t.Fatalf("%+v, keys %v", rep, w.keys())
		}
		w.sound("at once")
	}
}

// A policy that is applied while a pass is under way ends it: nothing is added
// for a rule that does not come.
func TestAPassEndsWithItsMigration(t *testing.T) {
	t.Parallel()
	w := mixed(t)
	stop := &stopping{Store: w.store, do: func() { w.apply(ruleOne) }}
	if _, err := w.service(stop).Run(t.Context(), "demo"); !errors.Is(err, rekey.ErrElsewhere) {
		t.Errorf("%v, want ErrElsewhere", err)
	}
	for _, it := range w.rows(ledger.Migration) {
		if it.Text("state") != contact.MigrationAborted {
			t.Errorf("the migration is %s", it.Text("state"))
		}
	}
	if n := len(w.keys()); n != 6 {
		t.Errorf("%d keys, want the six that there were", n)
	}
	w.sound("ended")
}

// stopping runs something just before the first key is added.
type stopping struct {
	ledger.Store
	do func()
}

func (s *stopping) Commit(ctx context.Context, c ledger.Commit) error {
	if do := s.do; do != nil && c.Writes[0].Key.Entity == ledger.ContactKey {
		s.do = nil
		do()
	}
	return s.Store.Commit(ctx, c)
}
