package extract_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/claim"
	"onefold/internal/record/inbound"
)

const (
	ada  = "Ada Lovelace <ada@example.org>"
	body = "Do you have huts with a stove in May?"
)

func TestAnEventIsClaimedDecidedAndDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	s := w.service(w.store, w.reader)
	if err := w.handle(s, k); err != nil {
		t.Fatal(err)
	}
	e := w.event(k)
	if e.State != inbound.Decided || e.Outcome != inbound.FollowUp || e.Status != claim.Completed || e.Attempt != 1 || !e.DueAt.IsZero() {
		t.Errorf("event %+v", e)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.ContactKey: 1, ledger.Enquiry: 1, ledger.Intent: 1, ledger.Operation: 4})
	before := w.names()
	if err := w.handle(s, k); err != nil || w.reader.calls != 1 || !slices.Equal(before, w.names()) {
		t.Errorf("a change that comes again does something: %v, %d calls", err, w.reader.calls)
	}
}

func TestWhatIsNotThisWorkersSucceedsWithoutAWord(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	s := w.service(w.store, w.reader)
	early := w.item(k)
	for name, ch := range map[string]ledger.Change{
		"removal":    {Key: k},
		"delivery":   {Key: ledger.Delivery.Under("demo", "x", "1"), Item: ledger.Item{"state": "recorded"}},
		"other word": {Key: k, Item: ledger.Item{"state": "a_word_of_newer_code"}},
		"of no row":  {Key: ledger.Event.At("demo", "gone"), Item: ledger.Item{"state": "recorded"}},
	} {
		if err := s.Handle(t.Context(), ch); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e := w.event(k); e.Attempt != 0 {
		t.Fatal("claimed")
	}
	w.settle(s, k)
	// An image of the past: the row decides.
	if err := s.Handle(t.Context(), ledger.Change{Key: k, Item: early}); err != nil || w.reader.calls != 1 {
		t.Errorf("an old image starts the work again: %v", err)
	}
}

// TestADeadWorkersEventIsTakenOverAfterItsLease: and not before.
func TestADeadWorkersEventIsTakenOverAfterItsLease(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	// The first worker dies after its claim: all calls after the second fail,
	// release included.
	dead := &dying{Store: w.store, left: 2}
	if err := w.handle(w.service(dead, w.reader), k); err == nil {
		t.Fatal("the dead worker reports success")
	}
	e := w.event(k)
	if e.Status != claim.InProgress || e.Attempt != 1 || !e.DueAt.After(e.InProgressUntil) {
		t.Fatalf("claim %+v, due %s", e.Record, e.DueAt)
	}
	s := w.service(w.store, w.reader)
	if lease := e.InProgressUntil.Std().Sub(w.clock.Now()); lease != 90*time.Second { // 30 s of the worker, 60 s of skew
		t.Errorf("lease of %s", lease)
	}
	w.clock.goTo(e.InProgressUntil.Add(-time.Millisecond))
	if err := w.handle(s, k); err != nil || w.event(k).Attempt != 1 {
		t.Fatalf("taken over before the lapse: %v", err)
	}
	w.clock.goTo(e.InProgressUntil)
	if err := w.handle(s, k); err != nil {
		t.Fatal(err)
	}
	if e := w.event(k); e.State != inbound.Decided || e.Attempt != 2 {
		t.Errorf("after the lapse: %+v", e)
	}
}

func TestAReaderThatFailsIsAskedAgainWithAGrowingWaitAndThenAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = func(int, reader.Source) (reader.Record, error) { return reader.Record{}, errBroken }
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	s := w.service(w.store, w.reader)
	for attempt := int64(1); attempt < extract.MaxReaderAttempts; attempt++ {
		if err := w.handle(s, k); err != nil {
			t.Fatalf("attempt %d: a fault downstream is reported to the stream: %v", attempt, err)
		}
		e := w.event(k)
		full := 2 * time.Second << (attempt - 1)
		wait := e.NotBefore.Std().Sub(w.clock.Now())
		if e.State != inbound.Recorded || e.Status != claim.Failed || e.Attempt != attempt || wait > full || wait < full*3/4 || e.DueAt != e.NotBefore {
			t.Fatalf("attempt %d: %+v, wait %s, want %s less a quarter at most", attempt, e.Record, wait, full)
		}
		if err := w.handle(s, k); err != nil || w.event(k).Attempt != attempt {
			t.Fatal("tried before its time")
		}
		w.clock.goTo(e.NotBefore)
	}
	if err := w.handle(s, k); err != nil {
		t.Fatal(err)
	}
	e := w.event(k)
	if e.State != inbound.InReview || !slices.Contains(e.Reasons, "reader_unavailable") || w.reader.calls != extract.MaxReaderAttempts {
		t.Fatalf("event %+v after %d calls", e, w.reader.calls)
	}
	// What the person says is done without the reader.
	if err := w.answer(s, k, decide.Answer{Approve: true, By: "person:grace"}); err != nil || w.reader.calls != extract.MaxReaderAttempts {
		t.Errorf("answer: %v, %d calls", err, w.reader.calls)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.Intent: 1})
}

// TestTheStoredAnswerIsUsedAndTheReaderAskedOnce: although a second call would
// say something else.
func TestTheStoredAnswerIsUsedAndTheReaderAskedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = func(call int, s reader.Source) (reader.Record, error) {
		r := plainRecord(s)
		r.PossibleOptOut = call > 1
		return r, nil
	}
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	// Dies after the answer is stored: event, claim, extraction and pointer read,
	// both stored.
	if err := w.handle(w.service(&dying{Store: w.store, left: 5}, w.reader), k); err == nil {
		t.Fatal("the dead worker reports success")
	}
	w.wants(map[ledger.Entity]int{ledger.Extraction: 2, ledger.Intent: 0})
	w.settle(w.service(w.store, w.reader), k)
	if e := w.event(k); e.Outcome != inbound.FollowUp || w.reader.calls != 1 {
		t.Errorf("outcome %s %v after %d calls", e.Outcome, e.Reasons, w.reader.calls)
	}
}

// TestTheStoredAnswerOfAFormIsUsedToo, which no other event can have answered
// for: wherever a worker dies, who comes after it asks only if nothing is stored.
func TestTheStoredAnswerOfAFormIsUsedToo(t *testing.T) {
	t.Parallel()
	stored := 0
	for left := 1; left < 9; left++ {
		w := newWorld(t, tenant.ModeAuto)
		w.reader.script = func(call int, s reader.Source) (reader.Record, error) {
			r := plainRecord(s)
			r.PossibleOptOut = call > 1
			return r, nil
		}
		k := w.form("f1", adaAddress, "", body)
		_ = w.handle(w.service(&dying{Store: w.store, left: left}, w.reader), k) // it dies, or has done it
		it, err := w.store.Get(t.Context(), ledger.Extraction.Under("demo", k.ID, w.reader.Model()+"@"+w.reader.PromptVersion()))
		if err != nil {
			t.Fatal(err)
		}
		if it == nil || w.event(k).State == inbound.Decided {
			continue
		}
		stored++
		w.settle(w.service(w.store, w.reader), k)
		if e := w.event(k); e.Outcome != inbound.FollowUp || w.reader.calls != 1 {
			t.Errorf("dead after %d calls: outcome %s %v, %d times asked", left, e.Outcome, e.Reasons, w.reader.calls)
		}
	}
	if stored == 0 {
		t.Error("no worker died between the answer and the decision")
	}
}

// TestWhoLosesThePutOfAnAnswerUsesTheStoredOne: two readers answer at once.
func TestWhoLosesThePutOfAnAnswerUsesTheStoredOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	first := &scripted{}
	second := &scripted{script: func(_ int, s reader.Source) (reader.Record, error) {
		// While it reads, the first worker's lease lapses and another one reads
		// and decides nothing: it dies after storing.
		w.clock.goTo(w.event(k).InProgressUntil)
		if err := w.handle(w.service(&dying{Store: w.store, left: 5}, first), k); err == nil {
			t.Error("the dead worker reports success")
		}
		r := plainRecord(s)
		r.PossibleOptOut = true
		return r, nil
	}}
	if err := w.handle(w.service(w.store, second), k); err != nil {
		t.Fatal(err)
	}
	if e := w.event(k); e.State != inbound.Decided || e.Outcome != inbound.FollowUp {
		t.Errorf("decided by an answer that is not the stored one: %s %v", e.State, e.Reasons)
	}
	w.wants(map[ledger.Entity]int{ledger.Extraction: 2, ledger.Intent: 1})
}

func TestContentThatIsGoneOrDamagedGoesToAPerson(t *testing.T) {
	t.Parallel()
	for reason, spoil := range map[string]func(*world, blob.Ref){
		"raw_missing": func(w *world, ref blob.Ref) { delete(w.blob.content, ref) },
		"raw_damaged": func(w *world, ref blob.Ref) { w.blob.content[ref] = []byte("other") },
	} {
		w := newWorld(t, tenant.ModeAuto)
		s := w.service(w.store, w.reader)
		a := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
		b := w.record("hello@demo.example", "m2", rawMail("m2", ada, "Huts", body))
		for _, k := range []ledger.Key{a, b} {
			spoil(w, blob.Ref(w.event(k).Raw))
		}
		w.settle(s, a, b)
		if e := w.event(a); e.State != inbound.InReview || !slices.Equal(e.Reasons, []string{"unparseable", reason}) || e.Cause == "" || e.Cause == w.event(b).Cause {
			t.Errorf("%s: %s %v, cause %q", reason, e.State, e.Reasons, e.Cause)
		}
		// Two of them are two enquiries, of whom the person says.
		for k, from := range map[ledger.Key]string{a: "ada@example.org", b: "bob@example.org"} {
			if err := w.answer(s, k, decide.Answer{Approve: true, By: "person:grace", Address: from}); err != nil {
				t.Errorf("%s: %v", reason, err)
			}
		}
		w.wants(map[ledger.Entity]int{ledger.Contact: 2, ledger.Enquiry: 2, ledger.Intent: 2})
	}
}

func TestAFaultOfTheContentStoreIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.blob.fail, w.blob.fails = errBroken, 12
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	w.settle(w.service(w.store, w.reader), k)
	if e := w.event(k); e.Outcome != inbound.FollowUp || e.Attempt != 13 || w.reader.calls != 1 {
		t.Errorf("%s after %d attempts and %d calls", e.Outcome, e.Attempt, w.reader.calls)
	}
}

func TestBackoffGrowsToTenMinutes(t *testing.T) {
	t.Parallel()
	for n, full := range map[int64]time.Duration{
		-1: 2 * time.Second, 1: 2 * time.Second, 2: 4 * time.Second, 5: 32 * time.Second, 10: 10 * time.Minute, 1 << 40: 10 * time.Minute,
	} {
		for range 50 {
			if d := extract.Backoff(n); d > full || d < full*3/4 {
				t.Errorf("backoff %d is %s, want %s less a quarter at most", n, d, full)
			}
		}
	}
}

// TestWorkThatEndsWithItsContextIsGivenBack: the worker's own end must not
// keep the event claimed.
func TestWorkThatEndsWithItsContextIsGivenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	ctx, cancel := contextOf(t)
	w.reader.script = func(int, reader.Source) (reader.Record, error) {
		cancel()
		return reader.Record{}, ctx.Err()
	}
	s := w.service(w.store, w.reader)
	if err := s.Handle(ctx, ledger.Change{Key: k, Item: w.item(k)}); err != nil {
		t.Fatal(err)
	}
	if e := w.event(k); e.Status != claim.Failed {
		t.Errorf("claim %+v", e.Record)
	}
}

func TestAnErasureBetweenReceiptAndDecisionIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	policy, err := w.book.Current(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	p := decide.Identify(w.ids, policy, "ada@example.org")
	// It commits after the ground was read and before the decision commits.
	erasing := &before{Store: w.store, once: func() {
		var c ledger.Commit
		err := c.Create("guard", ledger.Guard.At("demo", p.GuardID),
			ledger.Item{"erased_at": w.clock.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "transition": 1})
		if err := errors.Join(err, w.store.Commit(t.Context(), c)); err != nil {
			t.Error(err)
		}
	}}
	if err := w.handle(w.service(erasing, w.reader), k); err != nil {
		t.Fatal(err)
	}
	if e := w.event(k); e.State != inbound.Decided || e.Outcome != inbound.Ignored || !slices.Equal(e.Reasons, []string{"address_erased"}) {
		t.Errorf("%s %s %v", e.State, e.Outcome, e.Reasons)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 0, ledger.ContactKey: 0, ledger.Enquiry: 0, ledger.Intent: 0, ledger.Operation: 0})
}
