package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"onefold/internal/ingest"
	"onefold/internal/ledger"
)

// flavour is what befalls one call to a store.
type flavour string

const (
	FailNotPersist flavour = "FailNotPersist" // an error, and it is so
	FailButPersist flavour = "FailButPersist" // an error, and it was done
	CrashBefore    flavour = "CrashBefore"    // the process dies before the call
	CrashAfter     flavour = "CrashAfter"     // the process dies after it, unheard
)

// situation is a delivery into a deployment prepared for it.
type situation struct {
	name    string
	earlier []ingest.Request
	r       ingest.Request
	cold    bool // the policy is not remembered
	calls   []string
	status  int // of the same delivery when nothing fails
	events  int
	tasks   int
}

func situations() []situation {
	changed := form("msg_1", `{"other":"content"}`)
	one := []ingest.Request{form("msg_1", enquiry)}
	return []situation{
		{"first delivery", nil, form("msg_1", enquiry), false, []string{"get event", "put", "commit"}, 200, 1, 0},
		{"first mail", nil, mailTo("a@example.net", "help@demo.example", "x"), false, []string{"get event", "put", "commit"}, 200, 1, 0},
		{"policy not known yet", nil, form("msg_1", enquiry), true, []string{"get policy_current", "get event", "put", "commit"}, 200, 1, 0},
		{"duplicate", one, form("msg_1", enquiry), false, []string{"get event", "commit"}, 200, 1, 0},
		{"other content", one, changed, false, []string{"get event", "put", "commit"}, 409, 1, 1},
		{"other content again", append(one, changed), changed, false, []string{"get event", "put", "commit", "commit"}, 409, 1, 1},
	}
}

// prepared is a bench in the situation, with no fault yet.
func prepared(t *testing.T, s situation) *bench {
	t.Helper()
	b := newBench(t, onMem(t))
	for _, r := range s.earlier {
		if got := b.deliver(r); got.Status >= 500 {
			t.Fatalf("earlier delivery: %+v", got)
		}
	}
	if s.cold {
		b.restart()
	} else if _, err := b.service.Policies.Current(t.Context(), demo); err != nil {
		t.Fatal(err)
	}
	b.store.reset(nil, nil)
	return b
}

// TestEachCallMayFailInEachWay enumerates: each situation, each of its calls,
// each flavour. Whatever happened, nothing is half-written, no 2xx was said,
// and the same delivery again ends as if nothing had failed.
func TestEachCallMayFailInEachWay(t *testing.T) {
	t.Parallel()
	for _, s := range situations() {
		clean := prepared(t, s)
		if got := clean.deliver(s.r); got.Status != s.status {
			t.Errorf("%s: answered %+v, want %d", s.name, got, s.status)
		}
		if got := clean.store.seen(); !slices.Equal(got, s.calls) {
			t.Errorf("%s: calls %v, want %v", s.name, got, s.calls)
		}
		for at, call := range s.calls {
			for _, f := range []flavour{FailNotPersist, FailButPersist, CrashBefore, CrashAfter} {
				t.Run(fmt.Sprintf("%s/%d %s/%s", s.name, at, call, f), func(t *testing.T) {
					t.Parallel()
					fail(t, s, at, f)
				})
			}
		}
	}
}

func fail(t *testing.T, s situation, at int, f flavour) {
	b := prepared(t, s)
	before := b.everything()
	b.arm(at, f)
	got, died := b.deliverAndMayDie(s.r)
	b.store.reset(nil, nil)
	if crash := f == CrashBefore || f == CrashAfter; died != crash {
		t.Fatalf("the process died: %v, answered %+v", died, got)
	}
	if !died && (got.Status != 503 || got.Error != "not_recorded" || got.Answer != "" || got.Event != "") {
		t.Errorf("answered %+v, want 503 not_recorded and no more", got)
	}
	b.whole()
	b.onlyAdds(before, ledger.Event, ledger.Delivery, ledger.ReviewTask, ledger.Audit)
	if f == FailNotPersist || f == CrashBefore {
		b.onlyAdds(before)
	}
	if died {
		b.restart()
	}
	if got := b.deliver(s.r); got.Status != s.status {
		t.Errorf("again: answered %+v, want %d", got, s.status)
	}
	b.whole()
	if e, r := len(b.of(ledger.Event)), len(b.of(ledger.ReviewTask)); e != s.events || r != s.tasks {
		t.Errorf("in the end %d events and %d tasks, want %d and %d", e, r, s.events, s.tasks)
	}
}

// arm makes the call at a place fail.
func (b *bench) arm(at int, f flavour) {
	b.store.reset(func(n int, call string) (bool, error) {
		if n != at {
			return true, nil
		}
		switch f {
		case FailNotPersist:
			return false, fmt.Errorf("%s: %w", call, ledger.ErrUnavailable)
		case FailButPersist:
			return true, fmt.Errorf("%s: %w", call, context.DeadlineExceeded)
		case CrashBefore:
			runtime.Goexit()
		case CrashAfter:
		}
		return true, nil
	}, func(n int) {
		if n == at && f == CrashAfter {
			runtime.Goexit()
		}
	})
}

// deliverAndMayDie handles a delivery in a goroutine that stands for the
// process: it may end at any call.
func (b *bench) deliverAndMayDie(r ingest.Request) (got ingest.Response, died bool) {
	ended := make(chan struct{})
	died = true
	go func() {
		defer close(ended)
		got = b.deliver(r)
		died = false
	}()
	<-ended
	return got, died
}

func TestRefusalThatNamesNoEventIsAFault(t *testing.T) {
	t.Parallel()
	b := prepared(t, situations()[0])
	before := b.everything()
	b.store.reset(func(_ int, call string) (bool, error) {
		if call == "commit" {
			return false, &ledger.Refused{Failures: []ledger.Failure{{Name: "audit"}}}
		}
		return true, nil
	}, nil)
	if got := b.deliver(form("msg_1", enquiry)); got.Status != 503 || got.Answer != "" {
		t.Errorf("answered %+v, want 503", got)
	}
	b.onlyAdds(before)
	b.store.reset(nil, nil)
	b.answers(form("msg_1", enquiry), 200, "recorded")
}

// An error of a store that says more than it should is the adapter's fault, but
// never reaches the sender.
func TestSenderLearnsNothingOfAFault(t *testing.T) {
	t.Parallel()
	b := prepared(t, situations()[0])
	b.store.reset(func(int, string) (bool, error) { return false, errors.New("table onefold-events in eu-central-1") }, nil)
	got := b.deliver(form("msg_1", enquiry))
	if want := (ingest.Response{Status: 503, Error: "not_recorded", Hint: "send the same delivery again"}); got != want {
		t.Errorf("answered %+v, want %+v", got, want)
	}
}

// A context that ends before the commit leaves nothing, as a caller that has
// gone before it was heard.
func TestEndedContextIsNeverAnsweredWithSuccess(t *testing.T) {
	t.Parallel()
	b := prepared(t, situations()[0])
	before := b.everything()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := b.service.Handle(ctx, form("msg_1", enquiry)); got.Status != 503 {
		t.Errorf("answered %+v, want 503", got)
	}
	b.onlyAdds(before)
}
