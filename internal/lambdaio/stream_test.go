package lambdaio_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/lambdaio"
	"onefold/internal/ledger"
)

var errUnreachable = fmt.Errorf("read operation: %w", ledger.ErrUnavailable)

// What of records a, b, c, d is worked on, and which is reported.
func TestWhatFailsIsReportedByItsSequenceNumber(t *testing.T) {
	t.Parallel()
	damaged := errors.New("a row of another form")
	for name, x := range map[string]struct {
		fails  map[string]func() error
		works  string
		report string
	}{
		"nothing":                       {nil, "a b c d", ""},
		"the first, for itself":         {map[string]func() error{"a": failsWith(damaged)}, "a b c d", "1"},
		"one in the middle, for itself": {map[string]func() error{"c": failsWith(damaged)}, "a b c d", "3"},
		"two, for themselves":           {map[string]func() error{"d": failsWith(damaged), "b": failsWith(damaged)}, "a b c d", "2"},
		"a panic":                       {map[string]func() error{"b": panicking}, "a b c d", "2"},
		"contention":                    {map[string]func() error{"b": failsWith(ledger.ErrContention)}, "a b c d", "2"},
		"the ledger":                    {map[string]func() error{"b": failsWith(errUnreachable)}, "a b", "2"},
		"the ledger, without an answer": {map[string]func() error{"a": failsWith(ledger.ErrUnknown)}, "a", "1"},
		"the record's time":             {map[string]func() error{"b": failsWith(context.DeadlineExceeded)}, "a b", "2"},
		"one for itself, then the ledger": {
			map[string]func() error{"a": failsWith(damaged), "c": failsWith(errUnreachable)}, "a b c", "1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, lines := logged()
			s := &seen{fails: x.fails}
			failed, err := lambdaio.Stream(s.change, options(log))(t.Context(), raws(pushed("1", "a"), pushed("2", "b"), pushed("3", "c"), pushed("4", "d")))
			if err != nil || strings.Join(failed, " ") != x.report || strings.Join(s.got, " ") != x.works {
				t.Errorf("worked on %v, reported %v (%v); want %q, %q", s.got, failed, err, x.works, x.report)
			}
			if told := strings.Count(lines.String(), "a record is handed back"); told != len(x.fails) {
				t.Errorf("%d lines for %d failures: %s", told, len(x.fails), lines)
			}
			mustNotShow(t, lines.String(), "ann@example.org")
		})
	}
}

// A later change of a failed item would otherwise be worked on before it.
func TestWhatIsBehindAFailedChangeOfTheSameItemStaysBehind(t *testing.T) {
	t.Parallel()
	log, _ := logged()
	s := &seen{fails: map[string]func() error{"a": panicking}}
	failed, err := lambdaio.Stream(s.change, options(log))(t.Context(), raws(pushed("1", "a"), pushed("2", "b"), pushed("3", "a"), pushed("4", "c")))
	if err != nil || !slices.Equal(failed, []string{"1"}) || !slices.Equal(s.got, []string{"a", "b", "c"}) {
		t.Errorf("worked on %v, reported %v, %v", s.got, failed, err)
	}
}

func TestEachChangeOfAnItemIsWorkedOnInItsOrder(t *testing.T) {
	t.Parallel()
	log, _ := logged()
	var states []string
	h := lambdaio.Stream(func(_ context.Context, ch ledger.Change) error {
		states = append(states, ch.Position+":"+ch.Item.Text("state"))
		return nil
	}, options(log))
	open := strings.Replace(pushed("1", "a"), `"entity"`, `"state": {"S": "open"}, "entity"`, 1)
	done := strings.Replace(pushed("2", "a"), `"entity"`, `"state": {"S": "done"}, "entity"`, 1)
	if failed, err := h(t.Context(), raws(open, done)); err != nil || len(failed) > 0 || !slices.Equal(states, []string{"1:open", "2:done"}) {
		t.Errorf("%v, reported %v, %v", states, failed, err)
	}
}

func TestAPanicIsToldByItsTypeAndPlaceAlone(t *testing.T) {
	t.Parallel()
	log, lines := logged()
	s := &seen{fails: map[string]func() error{"a": panicking}}
	if _, err := lambdaio.Stream(s.change, options(log))(t.Context(), raws(pushed("1", "a"))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"error":"panic: string at internal/lambdaio_test.panicking:`, `"alarm":"panic"`, `"record":"1"`, `"tenant":"acme"`, `"entity":"operation"`, `"RecordsFailed":1`} {
		if !strings.Contains(lines.String(), want) {
			t.Errorf("no %s in %s", want, lines)
		}
	}
	mustNotShow(t, lines.String(), "ann", "wrote this")
}

// Nothing of these changes when they come again, so they must not.
func TestWhatCanNeverSucceedIsToldAndHoldsUpNothing(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]string{
		"a removal":           strings.Replace(strings.Replace(pushed("7", "a"), "NewImage", "OldImage", 1), "INSERT", "REMOVE", 1),
		"an unknown entity":   strings.ReplaceAll(pushed("7", "a"), "operation", "novelty"),
		"another key":         strings.ReplaceAll(pushed("7", "a"), "acme#operation#a", "ann@example.org"),
		"a damaged image":     strings.Replace(pushed("7", "a"), `{"S": "a"}`, `{"B": "YW5uQGV4YW1wbGUub3Jn"}`, 1),
		"an image of nothing": strings.Replace(pushed("7", "a"), `"id": {"S": "a"}`, `"id": "ann@example.org"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, lines := logged()
			s := &seen{}
			failed, err := lambdaio.Stream(s.change, options(log))(t.Context(), raws(record, pushed("8", "b")))
			if err != nil || len(failed) > 0 || !slices.Equal(s.got, []string{"b"}) {
				t.Errorf("worked on %v, reported %v, %v", s.got, failed, err)
			}
			for _, want := range []string{`"level":"ERROR"`, `"record":"7"`, `"alarm":"record_left_out"`} {
				if !strings.Contains(lines.String(), want) {
					t.Errorf("no %s in %s", want, lines)
				}
			}
			mustNotShow(t, lines.String(), "ann@example.org", "YW5u")
		})
	}
}

// An empty identifier would repeat the whole batch without a word.
func TestARecordWithoutASequenceNumberIsNeverReported(t *testing.T) {
	t.Parallel()
	log, _ := logged()
	s := &seen{fails: map[string]func() error{"a": failsWith(errUnreachable)}}
	if failed, err := lambdaio.Stream(s.change, options(log))(t.Context(), raws(pushed("", "a"))); err == nil || len(failed) > 0 {
		t.Errorf("reported %q, %v", failed, err)
	}
}

// The timeout is 60 s, of which each record takes 15.
func TestWhatThereIsNoTimeForIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		log, lines := logged()
		var ends []time.Duration
		h := lambdaio.Stream(func(ctx context.Context, _ ledger.Change) error {
			end, _ := ctx.Deadline()
			ends = append(ends, time.Until(end))
			time.Sleep(15 * time.Second) // of the bubble's clock
			return nil
		}, options(log))
		failed, err := h(ctx, raws(pushed("1", "a"), pushed("2", "b"), pushed("3", "c"), pushed("4", "d"), pushed("5", "e")))
		// Begun at 0, 15 and 30 s. At 45 s, 15 are left and 20 are needed.
		if err != nil || !slices.Equal(failed, []string{"4"}) {
			t.Errorf("reported %v, %v", failed, err)
		}
		// Each context ends 6 s before the call does.
		if want := []time.Duration{54 * time.Second, 39 * time.Second, 24 * time.Second}; !slices.Equal(ends, want) {
			t.Errorf("the records had %v, want %v", ends, want)
		}
		if !strings.Contains(lines.String(), `"records":2`) || strings.Contains(lines.String(), "RecordsFailed") {
			t.Errorf("told: %s", lines)
		}
	})
}

// Else a timeout that is set too short would mean that nothing ever happens.
func TestTheFirstRecordIsAlwaysBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		log, _ := logged()
		s := &seen{}
		failed, err := lambdaio.Stream(s.change, options(log))(ctx, raws(pushed("1", "a"), pushed("2", "b")))
		if err != nil || !slices.Equal(failed, []string{"2"}) || !slices.Equal(s.got, []string{"a"}) {
			t.Errorf("worked on %v, reported %v, %v", s.got, failed, err)
		}
	})
}

// Lambda repeats from the reported record on, and gives the rest up when its
// tries are over. Whatever fails and however often: what is never repeated has
// been worked on to its end, and what succeeds once its fault has passed is
// not given up before.
func TestNothingIsLostBetweenReports(t *testing.T) {
	t.Parallel()
	faults := []func() error{failsWith(errUnreachable), failsWith(errors.New("its own")), panicking}
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.StringMatching("[a-d]"), 1, 8).Draw(t, "items")
		left := make([]int, len(items)) // how often each record still fails
		for i := range left {
			left[i] = rapid.IntRange(0, 2).Draw(t, "fails")
		}
		fault := rapid.SampledFrom(faults).Draw(t, "fault")
		done := make([]bool, len(items))
		h := lambdaio.Stream(func(_ context.Context, ch ledger.Change) error {
			n := int(ch.Position[0] - '0')
			if left[n] > 0 {
				left[n]--
				return fault()
			}
			for before := range n {
				if items[before] == items[n] && !done[before] {
					t.Fatalf("record %d of %v came before %d of the same item was done", n, items, before)
				}
			}
			done[n] = true
			return nil
		}, options(slog.New(slog.DiscardHandler)))
		var batch []string
		for i, item := range items {
			batch = append(batch, pushed(fmt.Sprint(i), item))
		}
		from := 0
		for range 3 * len(items) {
			failed, err := h(context.Background(), raws(batch[from:]...))
			if err != nil || len(failed) > 1 {
				t.Fatalf("reported %v, %v", failed, err)
			}
			next := len(items)
			if len(failed) == 1 {
				next = int(failed[0][0] - '0')
			}
			if slices.Contains(done[from:next], false) {
				t.Fatalf("of %v the first %d are not repeated; done are %v", items, next, done)
			}
			if from = next; from == len(items) {
				return
			}
		}
		t.Fatalf("%v is never over", items)
	})
}
