package send_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/followup"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
	"onefold/internal/schema"
)

// promises checks what DESIGN section 1 promises of sends, once all is quiet.
func (w *world) promises() (broken []string) {
	wrong := func(format string, a ...any) { broken = append(broken, fmt.Sprintf(format, a...)) }
	var i followup.Intent
	w.must(w.get(w.key("i1")).Decode(&i))

	// Promise 4: one submission that was taken, unless a duplicate was accepted.
	tookOne := false
	for _, s := range w.post.got {
		a := w.attempt(s.attempt)
		if a == nil {
			wrong("attempt %d reached the provider and is not written down", s.attempt)
			continue
		}
		if s.taken && tookOne && a.Text("resend_accepted") == "" {
			wrong("a second mail went out by attempt %d and nobody accepted that", s.attempt)
		}
		tookOne = tookOne || s.taken
		// Promise 5: none claimed after a stop.
		if at := w.store.claimed[fmt.Sprintf("%05d", s.attempt)]; w.store.stopped > 0 && at > w.store.stopped {
			wrong("attempt %d was claimed after the stop", s.attempt)
		}
		if s.taken && w.post.events != eventsLost && a.Text("state") != followup.AttemptAccepted {
			wrong("attempt %d was taken, its events came, and it is %s", s.attempt, a.Text("state"))
		}
	}
	// Promise 6: a state with an owner.
	switch {
	case followup.IntentMachine().Terminal(i.State):
	case i.State == followup.InReview:
		if w.get(taskKey(i.Review)).Text("state") != review.Open {
			wrong("the intent is in review and nobody is asked")
		}
	case w.parked():
	default:
		wrong("the intent is %s and nothing moves it on", i.State)
	}
	if tookOne && w.post.events != eventsLost && i.State != followup.Accepted && i.State != followup.Suppressed {
		wrong("a mail went out, its events came, and the intent is %s", i.State)
	}
	for n := int64(1); n <= i.Attempt; n++ {
		if s := w.attempt(n).Text("state"); s == followup.AttemptBegun {
			wrong("attempt %d has begun for ever", n)
		}
	}
	for _, it := range w.scan(schema.Ledger) {
		if it.Text("entity") == string(ledger.ReviewTask) && it.Text("state") == review.Open && it.Text("id") != i.Review {
			wrong("task %s asks about nothing", it.Text("id"))
		}
	}
	return append(broken, w.trails()...)
}

func (w *world) parked() bool { return w.get(w.op).Text("state") == outbox.Parked }

// trails checks promise 7: a record of every transition, each beginning where
// the one before ended.
func (w *world) trails() (broken []string) {
	trails := map[string][]audit.Record{}
	for _, it := range w.scan(schema.Audit) {
		var r audit.Record
		w.must(it.Decode(&r))
		k := r.Noun + "/" + r.NounID
		trails[k] = append(trails[k], r)
	}
	nouns := append(w.scan(schema.Ledger), w.scan(schema.Outbox)...)
	for _, it := range nouns {
		if it.Int("transition") == 0 {
			continue
		}
		name := it.Text("entity") + "/" + it.Text("id")
		if it.Text("sub") != "" && it.Text("entity") != "policy" {
			name += "/" + it.Text("sub")
		}
		if it.Text("entity") == "policy" {
			continue // a version is no noun with states
		}
		trail := trails[name]
		slices.SortFunc(trail, func(a, b audit.Record) int { return int(a.Transition - b.Transition) })
		state := ""
		for n, r := range trail {
			if r.Transition != int64(n)+1 {
				broken = append(broken, fmt.Sprintf("%s: record %d stands where %d belongs", name, r.Transition, n+1))
			}
			if r.From == "" && r.To == "" {
				continue
			}
			if r.From != state {
				broken = append(broken, fmt.Sprintf("%s: record %d begins in %q after %q", name, r.Transition, r.From, state))
			}
			if m := machineOf(it.Text("entity")); m != nil && n > 0 {
				if to, err := m.Next(r.From, r.Event); err != nil || to != r.To {
					broken = append(broken, fmt.Sprintf("%s: record %d: %s from %s to %s is no move", name, r.Transition, r.Event, r.From, r.To))
				}
			}
			state = r.To
		}
		if int64(len(trail)) != it.Int("transition") || state != it.Text("state") {
			broken = append(broken, fmt.Sprintf("%s is %q at transition %d; its %d records end in %q", name, it.Text("state"), it.Int("transition"), len(trail), state))
		}
	}
	text, _ := json.Marshal(trails)
	if strings.Contains(string(text), "kim@example.com") || strings.Contains(w.logs.String(), "kim@example.com") {
		broken = append(broken, "an address stands in the audit or the log")
	}
	return broken
}

func machineOf(entity string) *machine.Table {
	switch ledger.Entity(entity) {
	case ledger.Intent:
		return followup.IntentMachine()
	case ledger.Attempt:
		return followup.AttemptMachine()
	case ledger.ReviewTask:
		return review.Machine()
	case ledger.Operation:
		return outbox.Machine()
	default:
		return nil
	}
}

// keep fails the test with every broken promise.
func (w *world) keep() {
	w.t.Helper()
	for _, b := range w.promises() {
		w.t.Error(b)
	}
	if w.t.Failed() {
		w.t.Logf("intent: %v", w.get(w.key("i1")))
		w.t.Logf("log:\n%s", w.logs)
	}
}
