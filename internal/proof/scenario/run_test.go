package scenario_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"onefold/internal/ledger"
)

// schedule is one run, as a value.
type schedule struct {
	scenario string
	faults   plan
	workers  int // 0: one after the other
	again    int
	die      int
	choices  []byte
	streams  bool   // only the sweeper brings records
	events   string // how the provider's events come; "" as the scenario says
}

// result is what came of it.
type result struct {
	trace   []point
	fired   int
	used    []byte
	outcome outcome
	counts  map[string]int
	broken  []string
	times   map[string]string // address → timeline
}

// run plays a schedule on a store; nil is a new one in memory.
func run(t *testing.T, f scenarioFile, s schedule, base ledger.Store, setup func(*world)) result {
	t.Helper()
	return runThen(t, f, s, base, setup, nil)
}

// runThen is run, with a look at the world before it ends.
func runThen(t *testing.T, f scenarioFile, s schedule, base ledger.Store, setup, then func(*world)) (res result) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		p := plan{}
		for k, v := range f.faults {
			p[k] = v
		}
		for k, v := range s.faults {
			p[k] = v
		}
		w := newWorld(base, f, p)
		w.onlySweeper, w.events = s.streams, s.events
		if s.workers > 0 {
			w.pick = &picker{workers: s.workers, again: s.again, choices: s.choices, die: s.die}
		}
		if setup != nil {
			setup(w)
		}
		w.play()
		w.judge()
		if then != nil {
			then(w)
		}
		res = result{trace: w.trace, fired: w.fired, outcome: w.outcome(), counts: w.file.counts, broken: w.broken}
		if w.pick != nil {
			res.used = w.pick.used
		}
		if s.plain() {
			res.times = w.timelines()
		}
		for _, a := range w.parked { // none, unless the schedule did not end
			a.goOn(false)
			w.idle = append(w.idle, a.on)
		}
		for _, r := range w.idle {
			close(r)
		}
	})
	return res
}

func (s schedule) plain() bool {
	return len(s.faults) == 0 && s.workers == 0 && !s.streams && s.events == ""
}

func (s schedule) String() string {
	text := "scenario=" + s.scenario
	if s.workers > 0 {
		text += fmt.Sprintf(" workers=%d again=%d die=%d choices=%x", s.workers, s.again, s.die, s.choices)
	}
	if s.streams {
		text += " streams=lost"
	}
	if s.events != "" {
		text += " events=" + s.events
	}
	if len(s.faults) > 0 {
		text += " faults=" + s.faults.String()
	}
	return text
}
