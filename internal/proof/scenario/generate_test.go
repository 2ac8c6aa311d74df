package scenario_test

import (
	"crypto/sha256"
	"math/rand/v2"
	"slices"
)

// known is a scenario with its clean run.
type known struct {
	file  scenarioFile
	clean result
}

func rng(seed uint64, words string) *rand.Rand {
	sum := sha256.Sum256([]byte(words))
	return rand.New(rand.NewPCG(seed, uint64(sum[0])<<56|uint64(sum[1])<<48|uint64(sum[2])<<40|uint64(sum[3])<<32|uint64(sum[4])))
}

// several makes schedules of two to four faults anywhere in a scenario, by
// chance. A fault may name a call that the earlier ones make come to be: the
// retry of one that failed.
func several(r *rand.Rand, k known) schedule {
	p := plan{}
	for range 2 + r.IntN(10)/8 + r.IntN(10)/9 {
		at := k.clean.trace[r.IntN(len(k.clean.trace))]
		// What is written and what is done outside is where it hurts.
		if at.kind == "read" && r.IntN(3) > 0 {
			continue
		}
		name := at.name
		if r.IntN(6) == 0 {
			name = later(name, 1+r.IntN(2))
		}
		fs := faultsOf(at)
		p[name] = fs[r.IntN(len(fs))]
	}
	s := schedule{scenario: k.file.name, faults: p}
	switch r.IntN(12) {
	case 0:
		s.streams = true
	case 1:
		s.events = "lost"
	case 2:
		s.events = "early"
	case 3:
		s.events = "twice"
	}
	return s
}

// later names a call of the same label some calls on.
func later(name string, by int) string {
	i := len(name) - 1
	for i > 0 && name[i] >= '0' && name[i] <= '9' {
		i--
	}
	n := 0
	for _, c := range name[i+1:] {
		n = 10*n + int(c-'0')
	}
	return name[:i+1] + itoa(n+by)
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

// woven makes schedules of two or three workers, who take turns by chance.
// Now and then a record goes to two instances, a worker dies, a call fails.
func woven(r *rand.Rand, k known) schedule {
	s := schedule{scenario: k.file.name, workers: 2 + r.IntN(2)}
	s.choices = make([]byte, 40+r.IntN(200))
	for i := range s.choices {
		s.choices[i] = byte(r.IntN(60)) // divisible by 2, 3, 4, 5 and 6
	}
	if r.IntN(2) == 0 {
		s.again = 4
	}
	if r.IntN(3) == 0 {
		s.die = 1 + r.IntN(len(s.choices))
	}
	if r.IntN(4) == 0 {
		at := k.clean.trace[r.IntN(len(k.clean.trace))]
		fs := faultsOf(at)
		if f := fs[r.IntN(len(fs))]; f != late && f != lateLong && f != paused && f != pausedLong {
			s.faults = plan{at.name: f}
		}
	}
	if r.IntN(6) == 0 {
		s.events = []string{"early", "twice", "lost"}[r.IntN(3)]
	}
	return s
}

// streamed makes schedules in which the streams misbehave: records come twice,
// in another order between items, again hours later, or not at all.
func streamed(r *rand.Rand, k known) schedule {
	s := schedule{scenario: k.file.name, workers: 1, faults: plan{}, again: r.IntN(3) * 2}
	s.choices = make([]byte, 30+r.IntN(60))
	for i := range s.choices {
		s.choices[i] = byte(r.IntN(60))
	}
	for range 1 + r.IntN(6) {
		if at := k.clean.trace[r.IntN(len(k.clean.trace))]; at.kind == "record" {
			s.faults[at.name] = []fault{dropped, dropped, stale, doubled}[r.IntN(4)]
		}
	}
	s.streams = r.IntN(10) == 0
	if r.IntN(3) == 0 {
		s.events = []string{"early", "twice", "lost"}[r.IntN(3)]
	}
	return s
}

// smaller takes a failing schedule apart and gives the smallest that it finds
// to fail still.
func smaller(s schedule, stillFails func(schedule) bool) schedule {
	for changed := true; changed; {
		changed = false
		try := func(next schedule) {
			if !changed && stillFails(next) {
				s, changed = next, true
			}
		}
		for name := range s.faults {
			next := s
			next.faults = plan{}
			for k, f := range s.faults {
				if k != name {
					next.faults[k] = f
				}
			}
			try(next)
		}
		for _, drop := range []func(*schedule){
			func(n *schedule) { n.streams = false }, func(n *schedule) { n.events = "" }, func(n *schedule) { n.die = 0 }, func(n *schedule) { n.again = 0 },
		} {
			next := s
			if drop(&next); next.String() != s.String() {
				try(next)
			}
		}
		for cut := len(s.choices); cut > 0 && !changed; cut /= 2 {
			for from := 0; from+cut <= len(s.choices) && !changed; from += cut {
				next := s
				next.choices = slices.Delete(slices.Clone(s.choices), from, from+cut)
				try(next)
			}
		}
		for i, c := range s.choices {
			if c != 0 && !changed {
				next := s
				next.choices = slices.Clone(s.choices)
				next.choices[i] = 0
				try(next)
			}
		}
	}
	return s
}
