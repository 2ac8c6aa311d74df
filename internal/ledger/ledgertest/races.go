package ledgertest

import (
	"fmt"
	"sync"

	"onefold/internal/ledger"
)

// race runs f in goroutines that start together.
func (b *bench) race(f func(i int)) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range b.Concurrency {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
	if b.Failed() {
		b.FailNow()
	}
}

// try commits from a racing goroutine and tells whether it was accepted.
func (b *bench) try(writes ...ledger.Write) bool {
	err := b.commit(writes...)
	if _, refused := ledger.AsRefused(err); err != nil && !refused {
		b.Errorf("commit: %v", err)
	}
	return err == nil
}

func oneCreator(b *bench) {
	for round := range 5 {
		k := b.contact(fmt.Sprint(round))
		won := make([]bool, b.Concurrency)
		b.race(func(i int) {
			won[i] = b.try(create(k, item{"owner": int64(i)}), create(b.attempt(k.ID, fmt.Sprint(i)), item{"a": "b"}))
		})
		winner := -1
		for i, w := range won {
			if w && winner >= 0 {
				b.Errorf("round %d: %d and %d both created", round, winner, i)
			}
			if w {
				winner = i
			}
		}
		it := b.get(k)
		if winner < 0 || it.Int("owner") != int64(winner) || it.Version() != 1 {
			b.Fatalf("round %d: %d won, the item says %v", round, winner, it)
		}
		besides, err := ledger.ReadAll(b.ctx, b.Store, b.attempt(k.ID, ""))
		if err != nil || len(besides) != 1 || besides[0].Text("sub") != fmt.Sprint(winner) {
			b.Errorf("round %d: the losers left %v, %v", round, besides, err)
		}
	}
}

func counter(b *bench) {
	const each = 4
	k := b.contact("counter")
	b.must(create(k, item{"n": int64(0)}))
	b.race(func(int) {
		for done := 0; done < each; {
			it, err := b.Store.Get(b.ctx, k)
			if err != nil {
				b.Errorf("get: %v", err)
				return
			}
			if b.try(update(k, ledger.AtVersion(it.Version()), item{"n": it.Int("n") + 1})) {
				done++
			} else if b.Failed() {
				return
			}
		}
	})
	want := int64(each * b.Concurrency)
	b.same("counter", b.get(k), stored(k, want+1, item{"n": want}))
}

func transfer(b *bench) {
	const each, start = 4, 100
	from, to := b.contact("from"), b.event("to") // in two tables
	b.must(create(from, item{"n": int64(start)}), create(to, item{"n": int64(start)}))
	b.race(func(i int) {
		for done := 0; done < each; {
			items, err := b.Store.GetMany(b.ctx, []ledger.Key{from, to})
			if err != nil {
				b.Errorf("get: %v", err)
				return
			}
			amount := int64(i + 1)
			if b.try(
				update(from, ledger.AtVersion(items[0].Version()), item{"n": items[0].Int("n") - amount}),
				update(to, ledger.AtVersion(items[1].Version()), item{"n": items[1].Int("n") + amount}),
			) {
				done++
			} else if b.Failed() {
				return
			}
		}
	})
	moved := int64(each * b.Concurrency * (b.Concurrency + 1) / 2)
	version := int64(each*b.Concurrency) + 1
	b.same("from", b.get(from), stored(from, version, item{"n": start - moved}))
	b.same("to", b.get(to), stored(to, version, item{"n": start + moved}))
}

// readsSee: whoever has the answer of a commit reads what it wrote, and so
// does everybody else from then on.
func readsSee(b *bench) {
	const each = 3
	b.race(func(i int) {
		parent := b.attempt(fmt.Sprint("p", i), "")
		for n := range each {
			k := b.attempt(parent.ID, fmt.Sprint(n))
			if !b.try(create(k, item{"n": int64(n)})) || !b.try(update(k, ledger.AtVersion(1), item{"n": int64(n)})) {
				b.Errorf("own commit refused")
				return
			}
			if it, err := b.Store.Get(b.ctx, k); err != nil || it.Version() != 2 {
				b.Errorf("get after commit: %v, %v", it, err)
			}
			if many, err := b.Store.GetMany(b.ctx, []ledger.Key{k, b.contact("none")}); err != nil || many[0].Version() != 2 || many[1] != nil {
				b.Errorf("getMany after commit: %v, %v", many, err)
			}
			all, err := ledger.ReadAll(b.ctx, b.Store, parent)
			if err != nil || len(all) != n+1 || all[n].Version() != 2 {
				b.Errorf("list after commit: %v, %v", all, err)
			}
		}
	})
}

// mixed races commits that must be accepted with others that must be refused:
// a store that writes several commits together may not mix up their fates.
func mixed(b *bench) {
	const each = 4
	taken := b.contact("taken")
	b.must(create(taken, item{"a": "b"}))
	b.race(func(i int) {
		for n := range each {
			good, bad := b.attempt(fmt.Sprint(i), fmt.Sprint(n)), b.attempt(fmt.Sprint("bad", i), fmt.Sprint(n))
			if !b.try(create(good, item{"n": int64(n)})) {
				b.Errorf("%d: a good commit was refused", i)
			}
			if b.try(create(bad, item{"n": int64(n)}), check(taken, ledger.Missing())) {
				b.Errorf("%d: a bad commit was accepted", i)
			}
		}
	})
	for i := range b.Concurrency {
		good, err := ledger.ReadAll(b.ctx, b.Store, b.attempt(fmt.Sprint(i), ""))
		bad, err2 := ledger.ReadAll(b.ctx, b.Store, b.attempt(fmt.Sprint("bad", i), ""))
		if err != nil || err2 != nil || len(good) != each || len(bad) != 0 {
			b.Errorf("%d: %d good and %d bad items, %v, %v", i, len(good), len(bad), err, err2)
		}
	}
	b.same("taken", b.get(taken), stored(taken, 1, item{"a": "b"}))
}
