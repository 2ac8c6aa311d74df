package extract_test

import (
	"testing"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

// TestAnAnsweredTaskIsNoLongerOpen: in the state that the answer gave it, and
// in no list of open ones.
func TestAnAnsweredTaskIsNoLongerOpen(t *testing.T) {
	t.Parallel()
	for approve, want := range map[bool]string{true: review.Approved, false: review.Rejected} {
		w, s, k := inReview(t, "info@example.org")
		if err := w.answer(s, k, decide.Answer{Approve: approve, By: "person:grace"}); err != nil {
			t.Fatal(err)
		}
		task := w.task(k)
		if task.State != want || task.OpenFor != "" || task.AnsweredBy != "person:grace" || task.AnsweredAt.IsZero() {
			t.Errorf("approve %t: task %+v", approve, task)
		}
		if e := w.event(k); e.State != inbound.Decided {
			t.Errorf("approve %t: event %s", approve, e.State)
		}
	}
}

// TestAYesToAnAnswerMeansThatItIsStored: at each call of the ledger, in each
// flavour, a person who is told nothing is told the truth.
func TestAYesToAnAnswerMeansThatItIsStored(t *testing.T) {
	t.Parallel()
	run := func(at int, applied bool, fault error) (*world, ledger.Key, error) {
		w, _, k := inReview(t, "info@example.org")
		w.faults.at, w.faults.applied, w.faults.err = at, applied, fault
		return w, k, w.answer(w.service(w.faults, w.reader), k, yes)
	}
	clean, _, err := run(0, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]struct {
		applied bool
		err     error
	}{
		"unavailable": {false, ledger.ErrUnavailable}, "lost before": {false, ledger.ErrUnknown}, "lost after": {true, ledger.ErrUnknown},
	} {
		stored := 0
		for at := 1; at <= clean.faults.calls; at++ {
			w, k, err := run(at, f.applied, f.err)
			decided := w.event(k).State == inbound.Decided && w.task(k).State == review.Approved
			if decided {
				stored++
			}
			if err == nil && !decided {
				t.Errorf("%s at call %d: told yes, and the event is %s", name, at, w.event(k).State)
			}
		}
		if lost := name != "unavailable"; lost != (stored > 0) {
			t.Errorf("%s: stored %d times; an answer to the person's answer that is lost is made up for", name, stored)
		}
	}
}
