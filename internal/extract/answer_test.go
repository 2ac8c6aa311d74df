package extract_test

import (
	"errors"
	"sync"
	"testing"

	"onefold/internal/decide"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

var yes = decide.Answer{Approve: true, By: "person:grace"}

// inReview is a world with one event that waits for a person.
func inReview(t *testing.T, from string) (*world, *extract.Service, ledger.Key) {
	t.Helper()
	w := newWorld(t, tenant.ModeAuto)
	k := w.record("hello@demo.example", "m1", rawMail("m1", from, "Huts", body))
	s := w.service(w.store, w.reader)
	w.settle(s, k)
	if e := w.event(k); e.State != inbound.InReview {
		t.Fatalf("%s %v, want review", e.State, e.Reasons)
	}
	return w, s, k
}

func TestAnAnswerSettlesTheQuestionOnce(t *testing.T) {
	t.Parallel()
	w, s, k := inReview(t, "info@example.org")
	shown := w.task(k)
	if err := desk(s).Answer(t.Context(), shown, yes); err != nil {
		t.Fatal(err)
	}
	after := w.names()
	for name, task := range map[string]review.Task{"as it was shown": shown, "as it is now": w.task(k)} {
		for _, approve := range []bool{true, false} {
			if err := desk(s).Answer(t.Context(), task, decide.Answer{Approve: approve, By: "person:hedy"}); !errors.Is(err, extract.ErrNotOpen) {
				t.Errorf("answered again, %s: %v", name, err)
			}
		}
	}
	if got := w.names(); len(got) != len(after) {
		t.Error("a second answer writes")
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.ContactKey: 0, ledger.Intent: 1})
	if e := w.event(k); e.Outcome != inbound.FollowUp {
		t.Errorf("outcome %s", e.Outcome)
	}
}

func TestAnswersAtOnceOneWins(t *testing.T) {
	t.Parallel()
	for range 60 {
		w, s, k := inReview(t, "info@example.org")
		task := w.task(k)
		errs := make([]error, 6)
		var wg sync.WaitGroup
		for i := range errs {
			wg.Go(func() {
				errs[i] = desk(s).Answer(t.Context(), task, decide.Answer{Approve: i%2 == 0, By: "person:grace"})
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, extract.ErrNotOpen) {
				t.Fatalf("%v", err)
			}
		}
		e, n := w.event(k), w.count(ledger.Intent)
		if won != 1 || e.State != inbound.Decided || (e.Outcome == inbound.Dismissed) != (n == 0) || n > 1 {
			t.Fatalf("%d answers won, outcome %s, %d intents", won, e.Outcome, n)
		}
	}
}

func TestAnAnswerThatDoesNotSettleKeepsTheTaskOpen(t *testing.T) {
	t.Parallel()
	w, s, k := inReview(t, "ada at example")
	shown := w.task(k)
	if err := desk(s).Answer(t.Context(), shown, yes); !errors.Is(err, extract.ErrStillOpen) {
		t.Fatalf("approved without an address: %v", err)
	}
	if e := w.event(k); e.State != inbound.InReview || w.task(k).State != review.Open {
		t.Fatalf("%s, task %s", e.State, w.task(k).State)
	}
	// The task has moved: who still looks at the old one looks again.
	with := decide.Answer{Approve: true, By: "person:grace", Address: "ada@example.org"}
	if err := desk(s).Answer(t.Context(), shown, with); !errors.Is(err, extract.ErrNotOpen) {
		t.Errorf("an answer to a task that has moved: %v", err)
	}
	if err := w.answer(s, k, with); err != nil {
		t.Fatal(err)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.ContactKey: 1, ledger.Intent: 1})
}

func TestATaskThatWasClosedIsNotAnswered(t *testing.T) {
	t.Parallel()
	w, s, k := inReview(t, "info@example.org")
	shown := w.task(k)
	var c ledger.Commit
	if err := decide.MoveTask(&c, shown, "close", "erasure", auditRecord()); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, a := range []decide.Answer{yes, {By: "person:grace"}} {
		if err := desk(s).Answer(t.Context(), shown, a); !errors.Is(err, extract.ErrNotOpen) {
			t.Errorf("%v", err)
		}
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 0, ledger.Intent: 0})
}

func TestATaskOfAnotherKindOrEventIsNotAnsweredHere(t *testing.T) {
	t.Parallel()
	w, s, k := inReview(t, "info@example.org")
	for name, change := range map[string]func(*review.Task){
		"kind": func(x *review.Task) { x.Kind = review.ApproveIntent }, "state": func(x *review.Task) { x.State = review.Closed },
		"event": func(x *review.Task) { x.Event = "gone" }, "id": func(x *review.Task) { x.ID = "another" },
	} {
		task := w.task(k)
		change(&task)
		if err := desk(s).Answer(t.Context(), task, yes); !errors.Is(err, extract.ErrNotOpen) {
			t.Errorf("another %s: %v", name, err)
		}
	}
}

// TestAConflictThatCameUpWhileHeLookedIsAskedAgain: the contact is made, with
// another name, between the question and the answer.
func TestAConflictThatCameUpWhileHeLookedIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	named := func(name string, sure int64) func(int, reader.Source) (reader.Record, error) {
		return func(_ int, s reader.Source) (reader.Record, error) {
			r := plainRecord(s)
			r.SenderEmail.Confidence = sure
			r.ContactName = reader.Field{Value: name, Confidence: 90, Evidence: name, Where: reader.InVisible}
			return r, nil
		}
	}
	s := w.service(w.store, w.reader)
	w.reader.script = named("Ada King", 10)
	a := w.record("hello@demo.example", "m1", rawMail("m1", "ada@example.org", "Huts", body+"\r\n\r\nAda King"))
	w.settle(s, a)
	w.reader.script = named("Ada Lovelace", 95)
	b := w.record("hello@demo.example", "m2", rawMail("m2", "ada@example.org", "Huts", body+"\r\n\r\nAda Lovelace"))
	w.settle(s, b)
	if err := w.answer(s, a, yes); !errors.Is(err, extract.ErrStillOpen) {
		t.Fatalf("answer: %v, task %v", err, w.task(a).Reasons)
	}
	if err := w.answer(s, a, yes); err != nil {
		t.Fatalf("now that he has seen it: %v", err)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.Enquiry: 2})
	if name := w.all(ledger.Contact)[0].Text("name"); name != "Ada Lovelace" {
		t.Errorf("name %q", name)
	}
}
