package verify

import (
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/utc"
)

// order says how the stamped times of a stop and of a claim lie.
type order int

const (
	inTime   order = iota // the claim is not after the stop
	tooClose              // after it by less than Options.Slack: cannot be told
	after
)

// order compares stamped times. A commit takes effect a little after it is
// stamped, so only a distance beyond Slack proves an order. Equal times prove
// nothing.
func (f *finder) order(stop, claim string) order {
	s, err1 := utc.Parse(stop)
	c, err2 := utc.Parse(claim)
	switch {
	case err1 != nil || err2 != nil || stop == "" || !c.After(s):
		return inTime
	case c.Sub(s) <= f.o.Slack:
		return tooClose
	}
	return after
}

func (f *finder) late(o order, rows []ledger.Key, format string, args ...any) {
	if o == after {
		f.wrong(rows, format, args...)
		return
	}
	f.warn(rows, format+" (by so little that the times alone do not prove it)", args...)
}

func stopsKept(f *finder) {
	for r, list := range f.v.attempts {
		i := f.v.intents[r]
		if i == nil {
			continue
		}
		g := f.v.guards[ref{r.tenant, i.guard}]
		if g == nil {
			continue
		}
		for _, a := range list {
			if o, what := f.forbidden(g, i, a.claimedAt); o != inTime {
				f.late(o, on(a.key, i.key, g.key), "attempt %d of intent %s was claimed after %s of guard %s", a.number, r.id, what, g.key.ID)
			}
		}
	}
}

// forbidden finds what forbade a claim: what stands in the guard now, and what
// its audit shows to have stood then.
func (f *finder) forbidden(g *guardRow, i *intentRow, claimed string) (order, string) {
	worst, what := inTime, ""
	note := func(o order, w string) {
		if o > worst {
			worst, what = o, w
		}
	}
	note(f.order(g.stops[guard.ScopeAll], claimed), "the stop")
	note(f.order(g.stops[i.scope], claimed), "the stop of its scope")
	note(f.order(g.stops["hold"], claimed), "the hold")
	if g.erased >= i.createdAt {
		note(f.order(g.erased, claimed), "the erasure")
	}
	for _, span := range spans(f.v.trail(g.key), i.scope) {
		if span.to == "" || f.order(claimed, span.to) == after {
			note(f.order(span.from, claimed), "the "+span.what)
		}
	}
	return worst, what
}

type span struct{ what, from, to string }

// spans reads from a guard's audit when mail of a scope was forbidden. A stop
// without a scope is one of all.
func spans(trail []step, scope string) []span {
	var out []span
	open := map[string]int{}
	for _, s := range trail {
		switch what, released := strings.CutPrefix(s.event, "release"); {
		case released:
			what = strings.TrimPrefix(what, "_")
			if what != "hold" {
				what = "stop"
			}
			if n, ok := open[what]; ok {
				out[n].to = s.at
				delete(open, what)
			}
		case s.event == "hold", s.event == "stop" && (s.scope == "" || s.scope == guard.ScopeAll || s.scope == scope):
			if _, ok := open[s.event]; !ok {
				open[s.event] = len(out)
				out = append(out, span{what: s.event, from: s.at})
			}
		}
	}
	return out
}

// consentKept counts the withdrawals that were committed before a claim: a
// contact begins with version 1 and each raises it by one, so an intent that
// was decided under a lower version could not be claimed.
func consentKept(f *finder) {
	for r, list := range f.v.attempts {
		i := f.v.intents[r]
		if i == nil {
			continue
		}
		ck := contactKey(r.tenant, i.contact)
		trail := f.v.trail(ck)
		for _, a := range list {
			if f.ownerAt(i, a.claimedAt) != i.contact {
				continue // the version kept is that of the contact that it was moved to
			}
			least, worst := int64(1), inTime
			for _, s := range trail {
				if s.event != "withdraw_consent" && !s.raised {
					continue
				}
				if least++; i.consent < least {
					worst = max(worst, f.order(s.at, a.claimedAt))
				}
			}
			if worst != inTime {
				f.late(worst, on(a.key, i.key, ck), "attempt %d of intent %s was claimed after contact %s had withdrawn consent", a.number, r.id, i.contact)
			}
		}
	}
}

// attempt finds an attempt by its key.
func (v *view) attempt(k ledger.Key) *attemptRow {
	for _, a := range v.attempts[refOf(k)] {
		if a.key == k {
			return a
		}
	}
	return nil
}

// ended tells whether nothing follows a state of an intent.
func ended(state string) bool { return followup.IntentMachine().Terminal(state) }
