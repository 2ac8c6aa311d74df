package scenario_test

import (
	"encoding/hex"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

var replay = flag.String("replay", "", "run this one schedule, as a failure printed it, and show what was called")

// parseSchedule reads what schedule.String wrote.
func parseSchedule(text string) (schedule, error) {
	var s schedule
	head, faults, _ := strings.Cut(text, " faults=")
	var err error
	if s.faults, err = parsePlan(faults); err != nil {
		return s, err
	}
	for word := range strings.FieldsSeq(head) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "scenario":
			s.scenario = value
		case "workers":
			s.workers, err = strconv.Atoi(value)
		case "again":
			s.again, err = strconv.Atoi(value)
		case "die":
			s.die, err = strconv.Atoi(value)
		case "choices":
			s.choices, err = hex.DecodeString(value)
		case "streams":
			s.streams = true
		case "events":
			s.events = value
		default:
			err = fmt.Errorf("no such word: %s", key)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// TestReplay runs the schedule of -replay; without it, that a schedule is read
// as it was written.
func TestReplay(t *testing.T) {
	all, names, err := scenarios()
	if err != nil {
		t.Fatal(err)
	}
	if *replay == "" {
		r := rng(1, "replay")
		for _, name := range names {
			k := known{file: all[name], clean: run(t, all[name], schedule{scenario: name}, nil, nil)}
			for _, s := range []schedule{several(r, k), woven(r, k)} {
				if back, err := parseSchedule(s.String()); err != nil || back.String() != s.String() {
					t.Errorf("%s is read as %s: %v", s, back, err)
				}
			}
		}
		return
	}
	s, err := parseSchedule(*replay)
	if err != nil {
		t.Fatal(err)
	}
	f, ok := all[s.scenario]
	if !ok {
		t.Fatalf("no scenario %q", s.scenario)
	}
	clean := run(t, f, schedule{scenario: s.scenario}, nil, nil)
	res, broken := check(t, f, s, clean)
	// The jitter of retries is the one thing that no schedule holds.
	for n := 0; n < 20 && len(broken) == 0; n++ {
		res, broken = check(t, f, s, clean)
	}
	for _, p := range res.trace {
		mark := ""
		if fl := s.faults[p.name]; fl != "" {
			mark = "   <== " + string(fl)
		}
		t.Log(p.name + mark)
	}
	for _, b := range broken {
		t.Error(b)
	}
	t.Logf("came to %+v; clean: %+v", res.outcome, clean.outcome)
}
