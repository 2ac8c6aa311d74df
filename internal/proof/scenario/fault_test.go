package scenario_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// fault is one way in which a call goes wrong.
type fault string

const (
	fails      fault = "fails"     // known not to be applied
	contended  fault = "contended" // known not to be applied, to be tried again
	outage     fault = "the store is away for ten minutes"
	lostBefore fault = "no answer, not applied" // not known
	lostAfter  fault = "no answer, applied"     // not known
	diesBefore fault = "dies before"
	diesAfter  fault = "dies after"
	late       fault = "answer after the lease" // applied at once
	paused     fault = "paused past the lease"  // applied when it goes on
	pausedLong fault = "paused past the deadline"
	lateLong   fault = "answer after the deadline"
	landsLate  fault = "no answer, applied later" // by a provider or CRM that still had it
	// Of a record on the stream.
	dropped fault = "lost"
	doubled fault = "twice"
	stale   fault = "again much later"
)

// How long a paused worker stands still: over the longest lease (the CRM's,
// 120 s) and the sweep behind it, and over the wait for evidence (6 h).
const (
	pauseFor     = 125 * time.Second
	pauseLongFor = 6*time.Hour + 10*time.Minute
)

// faultsOf lists the ways in which a call of a kind can go wrong.
func faultsOf(p point) []fault {
	switch p.kind {
	case "write":
		return []fault{fails, contended, outage, lostBefore, lostAfter, diesBefore, diesAfter, late, lateLong, paused, pausedLong}
	case "effect":
		return []fault{fails, lostBefore, lostAfter, diesBefore, diesAfter, late, lateLong, paused, pausedLong, landsLate}
	case "record":
		return []fault{dropped, doubled, stale}
	}
	return []fault{fails, diesBefore, paused}
}

// point is one call of one worker, or one record handed to one. Its name is
// the same in every run until the first fault.
type point struct{ name, kind string }

// plan says which calls go wrong, by name.
type plan map[string]fault

func (p plan) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, name+" = "+string(p[name]))
	}
	return strings.Join(parts, "; ")
}

func parsePlan(text string) (plan, error) {
	p := plan{}
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, f, ok := strings.Cut(part, " = ")
		if !ok {
			return nil, fmt.Errorf("fault %q is not of the form: point = fault", part)
		}
		p[strings.TrimSpace(name)] = fault(strings.TrimSpace(f))
	}
	return p, nil
}
