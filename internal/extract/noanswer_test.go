package extract_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/decide"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
)

func failing(outcome reader.Outcome) func(int, reader.Source) (reader.Record, error) {
	return func(int, reader.Source) (reader.Record, error) {
		return reader.Record{}, &reader.NoAnswer{Outcome: outcome, Reason: "reader_" + string(outcome)}
	}
}

// TestABusyReaderIsNoFailure: longer than any number of failures would be
// borne, and it costs none of the attempts.
func TestABusyReaderIsNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	const busy = extract.MaxAttempts + 5
	w.reader.script = func(call int, s reader.Source) (reader.Record, error) {
		if call <= busy {
			return failing(reader.Busy)(call, s)
		}
		return plainRecord(s), nil
	}
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	var log bytes.Buffer
	s := w.service(w.store, w.reader)
	s.Log = slog.New(slog.NewJSONHandler(&log, nil))
	received := w.clock.Now()
	last := time.Duration(0)
	for n := int64(1); n <= busy; n++ {
		if err := w.handle(s, k); err != nil {
			t.Fatal(err)
		}
		e := w.event(k)
		wait := e.NotBefore.Std().Sub(w.clock.Now())
		if e.State != inbound.Recorded || e.Waits != n || e.Attempt != n || e.DueAt != e.NotBefore || wait <= 0 || wait > 10*time.Minute {
			t.Fatalf("wait %d: %+v, %s", n, e, wait)
		}
		if n < 9 && wait < last {
			t.Errorf("wait %d is %s after one of %s", n, wait, last)
		}
		last = wait
		w.clock.goTo(e.NotBefore)
	}
	if w.clock.Now().Sub(received) >= extract.MaxReaderWait {
		t.Fatal("the test waits longer than an event may")
	}
	if strings.Contains(log.String(), "ReaderFailures") || strings.Contains(log.String(), "EventsRetried") || strings.Contains(log.String(), `"WARN"`) {
		t.Error("a wait is told as a failure")
	}
	if err := w.handle(s, k); err != nil || w.event(k).Outcome != inbound.FollowUp {
		t.Errorf("%v, %+v", err, w.event(k))
	}
}

func TestABusyReaderIsNotWaitedForForever(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = failing(reader.Busy)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	received := w.clock.Now()
	s := w.service(w.store, w.reader)
	for range 200 {
		e := w.event(k)
		if e.State != inbound.Recorded {
			break
		}
		w.clock.goTo(e.NotBefore)
		if err := w.handle(s, k); err != nil {
			t.Fatal(err)
		}
	}
	e := w.event(k)
	waited := w.clock.Now().Sub(received)
	if e.State != inbound.InReview || !slices.Contains(e.Reasons, reader.ReasonUnavailable) || waited < extract.MaxReaderWait || waited > extract.MaxReaderWait+10*time.Minute {
		t.Errorf("%s %v after %s", e.State, e.Reasons, waited)
	}
}

// TestFailuresCountWhateverWaitsLieBetween: a wait between two failures neither
// counts nor resets the count.
func TestFailuresCountWhateverWaitsLieBetween(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	failures := 0
	w.reader.script = func(call int, s reader.Source) (reader.Record, error) {
		if call%2 == 0 {
			return failing(reader.Busy)(call, s)
		}
		failures++
		return failing(reader.Unknown)(call, s)
	}
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	w.settle(w.service(w.store, w.reader), k)
	if e := w.event(k); e.State != inbound.InReview || failures != extract.MaxReaderAttempts {
		t.Errorf("%s after %d failures", e.State, failures)
	}
}

func TestWhatTheReaderWillNotReadAPersonDoes(t *testing.T) {
	t.Parallel()
	for outcome, calls := range map[reader.Outcome]int{
		reader.Refused: 1, reader.CutShort: 1, reader.Garbled: extract.MaxGarbled,
	} {
		w := newWorld(t, tenant.ModeAuto)
		w.reader.script = failing(outcome)
		k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
		w.settle(w.service(w.store, w.reader), k)
		e := w.event(k)
		if e.State != inbound.InReview || !slices.Contains(e.Reasons, "reader_"+string(outcome)) || w.reader.calls != calls {
			t.Errorf("%s: %s %v after %d calls", outcome, e.State, e.Reasons, w.reader.calls)
		}
		if err := w.answer(w.service(w.store, nil), k, yes); err != nil || w.event(k).Outcome != inbound.FollowUp {
			t.Errorf("%s: answered: %v, %s", outcome, err, w.event(k).Outcome)
		}
	}
}

func TestAGarbledAnswerIsAskedForOnceMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = func(call int, s reader.Source) (reader.Record, error) {
		if call == 1 {
			return failing(reader.Garbled)(call, s)
		}
		return plainRecord(s), nil
	}
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	w.settle(w.service(w.store, w.reader), k)
	if e := w.event(k); e.Outcome != inbound.FollowUp || w.reader.calls != 2 {
		t.Errorf("%s %v after %d calls", e.Outcome, e.Reasons, w.reader.calls)
	}
}

func TestAWronglySetUpReaderIsLoudAndLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = failing(reader.Misconfigured)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	var log bytes.Buffer
	s := w.service(w.store, w.reader)
	s.Log = slog.New(slog.NewJSONHandler(&log, nil))
	if err := w.handle(s, k); err != nil {
		t.Fatal(err)
	}
	if text := log.String(); !strings.Contains(text, `"level":"ERROR"`) || !strings.Contains(text, `"alarm":"reader_misconfigured"`) {
		t.Error(text)
	}
	w.settle(s, k)
	if e := w.event(k); e.State != inbound.InReview || !slices.Contains(e.Reasons, reader.ReasonUnavailable) || w.reader.calls != extract.MaxReaderAttempts {
		t.Errorf("%s %v after %d calls", e.State, e.Reasons, w.reader.calls)
	}
}

// accounted leaves the reading to another and says so.
type accounted struct {
	scripted
	tenants []string
}

func (a *accounted) ReadFor(_ context.Context, tenantID string, s reader.Source) (reader.Reading, reader.Usage, error) {
	a.tenants = append(a.tenants, tenantID)
	return reader.Reading{Record: plainRecord(s), Reasons: []string{"reader_budget_spent"}, Model: "rules", PromptVersion: "9"}, reader.Usage{}, nil
}

// TestAReadingByAnotherIsStoredUnderTheReadersNameWithTheOthers: so it is not
// asked for again when the reader could have answered, and everybody sees who
// did.
func TestAReadingByAnotherIsStoredUnderTheReadersNameWithTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	k := w.record("hello@demo.example", "m1", rawMail("m1", ada, "Huts", body))
	r := &accounted{}
	w.settle(w.service(w.store, r), k)
	e := w.event(k)
	if e.State != inbound.InReview || !slices.Contains(e.Reasons, "reader_budget_spent") || !slices.Equal(r.tenants, []string{"demo"}) {
		t.Errorf("%s %v, asked for %v", e.State, e.Reasons, r.tenants)
	}
	it := w.item(ledger.Extraction.Under("demo", k.ID, "scripted@1"))
	if it.Text("model") != "rules" || it.Text("prompt_version") != "9" {
		t.Errorf("stored %v", it)
	}
}

// TestAnAnswerAsksNoReader: whoever answers has no model, and what he decides on
// is what he was shown.
func TestAnAnswerAsksNoReader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tenant.ModeAuto)
	w.reader.script = func(_ int, s reader.Source) (reader.Record, error) {
		r := plainRecord(s)
		r.ContactName = reader.Field{Value: "Ada King", Confidence: 90, Evidence: "Ada King", Where: reader.InFrom}
		r.NeedsHumanReview = true
		return r, nil
	}
	k := w.record("hello@demo.example", "m1", rawMail("m1", "Ada King <ada@example.org>", "Huts", body))
	w.settle(w.service(w.store, w.reader), k)
	if err := w.answer(w.service(w.store, nil), k, yes); err != nil {
		t.Fatal(err)
	}
	if c := w.all(ledger.Contact); len(c) != 1 || c[0].Text("name") != "Ada King" || w.count(ledger.Extraction) != 2 {
		t.Errorf("contacts %v, %d extractions", c, w.count(ledger.Extraction))
	}
}

// TestWhatNobodyHasReadIsSaidBeforeItIsApproved: the reading is gone since.
func TestWhatNobodyHasReadIsSaidBeforeItIsApproved(t *testing.T) {
	t.Parallel()
	w, _, k := inReview(t, "info@example.org")
	s := w.service(&unread{w.store}, nil)
	if err := w.answer(s, k, yes); !errors.Is(err, extract.ErrStillOpen) || !slices.Contains(w.task(k).Reasons, decide.ReasonNotRead) {
		t.Fatalf("%v, %v", err, w.task(k).Reasons)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 0, ledger.Intent: 0})
	if err := w.answer(s, k, yes); err != nil {
		t.Fatal(err)
	}
	w.wants(map[ledger.Entity]int{ledger.Contact: 1, ledger.Intent: 1})
}

// unread is a ledger from which the extractions have been erased.
type unread struct{ ledger.Store }

func (u *unread) List(ctx context.Context, parent ledger.Key, cursor string, limit int) (ledger.Page, error) {
	if parent.Entity == ledger.Extraction {
		return ledger.Page{}, nil
	}
	return u.Store.List(ctx, parent, cursor, limit)
}
