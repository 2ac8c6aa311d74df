package whatif_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/operate/rekey"
)

// counted is a ledger that counts what is read of it: rounds are calls, each of
// which waits for the one before.
type counted struct {
	ledger.Store
	rounds, keys int
}

func (c *counted) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	c.rounds, c.keys = c.rounds+1, c.keys+1
	return c.Store.Get(ctx, k)
}

func (c *counted) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	c.rounds, c.keys = c.rounds+1, c.keys+len(keys)
	return c.Store.GetMany(ctx, keys)
}

var lowered = flag.Bool("reads-lowered", false, "write down how little is read now, where it is no more than before")

// TestNoEventIsReadForMoreThanItWas counts the rounds and the keys that each
// event of three worlds takes to be decided, with the answer of a person that
// may follow, and compares them with testdata/reads.txt, line by line. That file
// was first written by the code that read part by part; neither number rises.
// One key more was added later, of nine mails from somebody known: their Reply-To.
func TestNoEventIsReadForMoreThanItWas(t *testing.T) {
	t.Parallel()
	var now bytes.Buffer
	count := func(name string, w *world) (line func()) {
		c := &counted{Store: w.store}
		w.process.Store = c
		n := 0
		return func() {
			_, _ = fmt.Fprintln(&now, name, n, c.rounds, c.keys)
			n++
			c.rounds, c.keys = 0, 0
		}
	}
	m := newMix(newWorld(t, document()), 60)
	line := count("mix", m.world)
	for range 500 {
		m.goes(1)
		line()
	}
	for name, doc := range map[string]string{"customers": numbered(t, "wins", newContacts)} {
		s := newShadows(t, doc, nil)
		s.between = count(name, s.world)
		s.chance(rand.New(rand.NewPCG(3, 5)), 250)
	}
	next := func(d map[string]any) { d["identity_next"] = map[string]any{"version": 2, "fold_plus": true} }
	first := numbered(t, "review_conflicts", newContacts)
	s := newShadows(t, first, nil)
	s.between = count("merges", s.world)
	s.acts = true
	r := rand.New(rand.NewPCG(9, 9))
	s.chance(r, 120)
	s.apply(edited(t, first, next))
	s.chance(r, 120)
	move := rekey.Service{Store: s.store, Policies: s.book, IDs: s.ids, Now: s.process.Now, By: "person:grace"}
	_, err := move.Run(t.Context(), "demo")
	s.must(err)
	s.chance(r, 120)

	file := filepath.Join("testdata", "reads.txt")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var was, is struct{ rounds, keys, most int }
	old, fresh := bytes.NewReader(before), bytes.NewReader(now.Bytes())
	for {
		var a, b struct {
			world           string
			n, rounds, keys int
		}
		_, errA := fmt.Fscanln(old, &a.world, &a.n, &a.rounds, &a.keys)
		_, errB := fmt.Fscanln(fresh, &b.world, &b.n, &b.rounds, &b.keys)
		if errA != nil || errB != nil {
			if errA == nil || errB == nil {
				t.Error("there are not as many events as there were")
			}
			break
		}
		if a.world != b.world || a.n != b.n || b.rounds > a.rounds || b.keys > a.keys {
			t.Errorf("event %s %d: %d rounds and %d keys, event %s %d had %d and %d", b.world, b.n, b.rounds, b.keys, a.world, a.n, a.rounds, a.keys)
		}
		was.rounds, was.keys, was.most = was.rounds+a.rounds, was.keys+a.keys, max(was.most, a.rounds)
		is.rounds, is.keys, is.most = is.rounds+b.rounds, is.keys+b.keys, max(is.most, b.rounds)
	}
	t.Logf("rounds, keys and the most rounds of an event: %+v, before %+v", is, was)
	if *lowered && !t.Failed() {
		s.must(os.WriteFile(file, now.Bytes(), 0o600))
	}
}
