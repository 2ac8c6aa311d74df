package scenario_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"
)

var (
	prove = flag.Bool("prove", false, "run the whole proof: at least -schedules on ledger/mem, 1,000 on bolt and 300 on DynamoDB")
	total = flag.Int("schedules", 100_000, "how many distinct schedules -prove runs on ledger/mem")
	seed  = flag.Uint64("seed", 1, "of all that is by chance")
)

// tally counts what was run.
type tally struct {
	mu         sync.Mutex
	seen       map[[16]byte]bool
	draws      map[[16]byte]bool
	byKind     map[string]int
	violations int
	failures   []string
}

func newTally() *tally {
	return &tally{seen: map[[16]byte]bool{}, draws: map[[16]byte]bool{}, byKind: map[string]int{}}
}

// count counts a schedule by what it did, so that two which do the same are
// one. It tells whether this one is new.
func (c *tally) count(kind, store string, s schedule, res result) bool {
	did := s
	did.choices = res.used
	name := did.String()
	if res.fired < len(s.faults) {
		name = fmt.Sprint(name, " of which ", res.fired) // some were never reached
	}
	if s.workers == 0 && res.fired == 0 && len(s.faults) > 0 {
		return false // the clean run again
	}
	sum := sha256.Sum256([]byte(store + name))
	var key [16]byte
	copy(key[:], sum[:])
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[key] {
		return false
	}
	c.seen[key] = true
	c.byKind[kind+" on "+store]++
	return true
}

// drawn tells whether a schedule has been drawn before, so that it need not run.
func (c *tally) drawn(s schedule) bool {
	sum := sha256.Sum256([]byte("drawn " + s.String()))
	var key [16]byte
	copy(key[:], sum[:])
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.draws[key]
	c.draws[key] = true
	return was
}

func (c *tally) fail(t *testing.T, s schedule, broken []string, again func(schedule) bool) {
	c.mu.Lock()
	c.violations++
	n := c.violations
	c.mu.Unlock()
	if n > 20 {
		return // there is enough to look at
	}
	least := smaller(s, again)
	text := fmt.Sprintf("%s\n  again: go test ./internal/proof/scenario -run TestReplay -v -replay '%s'", broken[0], least)
	c.mu.Lock()
	c.failures = append(c.failures, text)
	c.mu.Unlock()
	t.Error(text)
}

// knownScenarios runs every scenario clean.
func knownScenarios(t *testing.T) (list []known) {
	t.Helper()
	all, names, err := scenarios()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		k := known{file: all[name]}
		k.clean = run(t, k.file, schedule{scenario: name}, nil, nil)
		if len(k.clean.broken) > 0 {
			t.Fatalf("%s, clean: %v", name, k.clean.broken)
		}
		list = append(list, k)
	}
	return list
}

// chance plays schedules that make draws, until it has counted n new ones.
func chance(t *testing.T, c *tally, kind string, list []known, n int, draw func(*rand.Rand, known) schedule) {
	t.Helper()
	lanes := runtime.GOMAXPROCS(0)
	for lane := range lanes {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			r := rng(*seed, fmt.Sprint(kind, lane))
			for done, tries := 0, 0; done < n/lanes && tries < 20*n; tries++ {
				k := list[weighted(r, list)]
				s := draw(r, k)
				if c.drawn(s) {
					continue
				}
				res, broken := check(t, k.file, s, k.clean)
				if c.count(kind, "mem", s, res) {
					done++
				}
				if len(broken) > 0 {
					c.fail(t, s, broken, func(next schedule) bool {
						_, b := check(t, k.file, next, k.clean)
						return len(b) > 0
					})
				}
			}
		})
	}
}

// weighted prefers short scenarios: more schedules in the same time.
func weighted(r *rand.Rand, list []known) int {
	sum := 0.0
	for _, k := range list {
		sum += weight(k)
	}
	x := r.Float64() * sum
	for i, k := range list {
		if x -= weight(k); x < 0 {
			return i
		}
	}
	return len(list) - 1
}

func weight(k known) float64 { return math.Pow(float64(len(k.clean.trace)), -1.5) }

// exhaust plays every single fault of every scenario, or every n-th.
func exhaust(t *testing.T, c *tally, list []known, every int) {
	t.Helper()
	type one struct {
		k known
		s schedule
	}
	var todo []one
	for _, k := range list {
		for i, s := range singles(k.file, k.clean) {
			if i%every == int(*seed)%every {
				todo = append(todo, one{k, s})
			}
		}
	}
	lanes := runtime.GOMAXPROCS(0)
	for lane := range lanes {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			for i := lane; i < len(todo); i += lanes {
				o := todo[i]
				res, broken := check(t, o.k.file, o.s, o.k.clean)
				c.count("one fault", "mem", o.s, res)
				if len(broken) > 0 {
					c.fail(t, o.s, broken, func(schedule) bool { return false })
				}
			}
		})
	}
}

// TestProve is the proof that `make prove` prints. Without -prove it is a short
// one.
func TestProve(t *testing.T) {
	began := time.Now()
	want, every := 1_200, 60
	if *prove {
		want, every = *total, 1
		defer debug.SetGCPercent(debug.SetGCPercent(1600))
	} else if testing.Short() {
		want, every = 1_000, 100
	}
	c := newTally()
	list := knownScenarios(t)
	t.Run("one fault", func(t *testing.T) { exhaust(t, c, list, every) })
	rest := want - len(c.seen)
	t.Run("several faults", func(t *testing.T) { chance(t, c, "several faults", list, rest*5/10, several) })
	t.Run("streams", func(t *testing.T) { chance(t, c, "streams", list, rest*15/100, streamed) })
	t.Run("histories", func(t *testing.T) { histories(t, c, rest/100) })
	t.Run("several workers", func(t *testing.T) { chance(t, c, "several workers", list, want-len(c.seen)+4, woven) })
	onMem, took := len(c.seen), time.Since(began)
	if *prove {
		t.Run("bolt", func(t *testing.T) { onBolt(t, c, list, 1_000) })
		t.Run("DynamoDB", func(t *testing.T) { onDynamo(t, c, list, 300) })
	}
	t.Logf("%s", c.report(onMem, took, time.Since(began)))
	if onMem < want {
		t.Errorf("%d distinct schedules, want %d", onMem, want)
	}
}

func (c *tally) report(onMem int, took, all time.Duration) string {
	text := "schedules run, all distinct:\n"
	var kinds []string
	for k := range c.byKind {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		text += fmt.Sprintf("  %7d  %s\n", c.byKind[k], k)
	}
	text += fmt.Sprintf("  %7d  on ledger/mem in %v\n", onMem, took.Round(time.Second))
	text += fmt.Sprintf("  %7d  in all in %v, seed %d\nviolations: %d", len(c.seen), all.Round(time.Second), *seed, c.violations)
	return text
}
