package faultproxy_test

// Real: the proxy, ledger/dynamo, the SDK with the retries that it has by
// default, HTTP. Emulated: DynamoDB, by MiniStack. Made by the proxy: every
// fault. So what may be asserted is what a fault does on the wire, what
// ledger/dynamo makes of it, and what is stored afterwards, read past the
// proxy. No chance is in these tests, so they have no seed.

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
	"onefold/internal/proof/faultproxy"
	"onefold/internal/proof/localaws/localawstest"
)

func TestMain(m *testing.M) { os.Exit(localawstest.Main(m)) }

const transact = "TransactWriteItems"

// bench is a store behind the proxy and one past it.
type bench struct {
	proxy         *faultproxy.Proxy
	store, direct *dynamo.Store
}

func newBench(t *testing.T, rules ...faultproxy.Rule) *bench {
	t.Helper()
	stack := localawstest.ForTest(t)
	cfg := stack.Config(stack.NewAccount())
	client := dynamodb.NewFromConfig(cfg)
	if err := dynamo.Create(t.Context(), client, "p-"); err != nil {
		t.Fatal(err)
	}
	proxy, err := faultproxy.New(stack.Endpoint(), faultproxy.Options{Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	b := &bench{proxy: proxy, direct: dynamo.New(client, dynamo.Options{Prefix: "p-"})}
	url := proxy.URL()
	cfg.BaseEndpoint = &url
	// Two tries of the store's own, each with all of the SDK's: eight would say
	// the same and take four times as long.
	b.store = dynamo.New(dynamodb.NewFromConfig(cfg), dynamo.Options{Prefix: "p-", Tries: 2})
	return b
}

var (
	annKey = ledger.Contact.At("acme", "ann")
	bobKey = ledger.Contact.At("acme", "bob")
)

// both creates two items in one commit.
func both(t *testing.T) ledger.Commit {
	t.Helper()
	var c ledger.Commit
	if err := errors.Join(c.Create("a", annKey, ledger.Item{"n": int64(1)}), c.Create("b", bobKey, ledger.Item{"n": int64(1)})); err != nil {
		t.Fatal(err)
	}
	return c
}

// stored tells whether the commit is there, once.
func (b *bench) stored(t *testing.T) bool {
	t.Helper()
	items, err := b.direct.GetMany(t.Context(), []ledger.Key{annKey, bobKey})
	if err != nil {
		t.Fatal(err)
	}
	if (items[0] == nil) != (items[1] == nil) {
		t.Fatal("half of a commit is stored")
	}
	if items[0] != nil && (items[0].Version() != 1 || items[1].Version() != 1) {
		t.Errorf("stored more than once: versions %d and %d", items[0].Version(), items[1].Version())
	}
	return items[0] != nil
}

// TestWhatACommitMakesOfEachFault: once, a fault is overcome; for good, it is
// named for what is known. What is known is compared with what is stored.
func TestWhatACommitMakesOfEachFault(t *testing.T) {
	t.Parallel()
	tests := map[faultproxy.Fault]struct {
		means   error // when it never stops
		written bool  // then
	}{
		faultproxy.DropBefore: {ledger.ErrUnknown, false},
		faultproxy.DropAfter:  {ledger.ErrUnknown, true},
		faultproxy.FailBefore: {ledger.ErrUnknown, false},
		faultproxy.FailAfter:  {ledger.ErrUnknown, true},
		faultproxy.Conflict:   {ledger.ErrContention, false},
		faultproxy.Throttle:   {ledger.ErrContention, false},
		faultproxy.Exceeded:   {ledger.ErrContention, false},
	}
	for fault, want := range tests {
		t.Run(string(fault)+" once", func(t *testing.T) {
			t.Parallel()
			b := newBench(t, faultproxy.Rule{Fault: fault, Operation: transact, Times: 1})
			if err := b.store.Commit(t.Context(), both(t)); err != nil {
				t.Errorf("a fault that passes was not overcome: %v", err)
			}
			if !b.stored(t) {
				t.Error("nothing is stored")
			}
			if hit, through := b.proxy.Did(fault, transact), b.proxy.Did(faultproxy.Pass, transact); hit != 1 || through != 1 {
				t.Errorf("%d faults and %d requests through, want one each", hit, through)
			}
		})
		t.Run(string(fault)+" for good", func(t *testing.T) {
			t.Parallel()
			b := newBench(t, faultproxy.Rule{Fault: fault, Operation: transact})
			err := b.store.Commit(t.Context(), both(t))
			if !errors.Is(err, want.means) || ledger.NotWritten(err) == errors.Is(want.means, ledger.ErrUnknown) {
				t.Errorf("got %v, want %v", err, want.means)
			}
			if got := b.stored(t); got != want.written {
				t.Errorf("stored: %t, want %t", got, want.written)
			}
			if n := b.proxy.Did(fault, transact); n < 2 {
				t.Errorf("%d requests: the store gave up at once", n)
			}
		})
	}
}

// The repeat of a lost answer carries the same token, so that the store is
// told "done" and not that somebody else was quicker.
func TestARepeatAfterALostAnswerCarriesTheSameToken(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var tokens []string
	seen := func(r faultproxy.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		tokens = append(tokens, token(t, r))
		return true
	}
	b := newBench(t, faultproxy.Rule{Fault: faultproxy.DropAfter, Operation: transact, When: seen, Times: 2})
	if err := b.store.Commit(t.Context(), both(t)); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(tokens) != 3 || tokens[0] == "" || tokens[0] != tokens[1] || tokens[1] != tokens[2] {
		t.Errorf("tokens %q, want one three times", tokens)
	}
	b.stored(t)
}

// A throttle proves that this request was not written. It does not prove it of
// the one before, whose answer was lost.
func TestAThrottleAfterALostAnswerIsNotNothingWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t, faultproxy.Rule{Fault: faultproxy.DropAfter, Operation: transact, Times: 1}, faultproxy.Rule{Fault: faultproxy.Exceeded, Operation: transact})
	err := b.store.Commit(t.Context(), both(t))
	if !errors.Is(err, ledger.ErrUnknown) || ledger.NotWritten(err) || !b.stored(t) {
		t.Errorf("got %v: the commit is stored and the error must not deny it", err)
	}
}

// Also where the SDK has given up in between and the store begins again: until
// it is known that nothing was written, the token stays.
func TestTheTokenOutlivesTheSDKsOwnTries(t *testing.T) {
	t.Parallel()
	b := newBench(t, faultproxy.Rule{Fault: faultproxy.DropAfter, Operation: transact, Times: 1}, faultproxy.Rule{Fault: faultproxy.Exceeded, Operation: transact, Times: 3})
	if err := b.store.Commit(t.Context(), both(t)); err != nil || !b.stored(t) {
		t.Errorf("the writer lost to itself: %v", err)
	}
	if n := b.proxy.Did(faultproxy.Exceeded, ""); n != 3 {
		t.Errorf("%d throttles, want 3: the course was another", n)
	}
}

// A condition that failed is an answer, also on the second try.
func TestARefusalSurvivesFaults(t *testing.T) {
	t.Parallel()
	for _, fault := range []faultproxy.Fault{faultproxy.DropAfter, faultproxy.DropBefore, faultproxy.Conflict} {
		b := newBench(t)
		if err := b.direct.Commit(t.Context(), both(t)); err != nil {
			t.Fatal(err)
		}
		if err := b.proxy.Set(faultproxy.Rule{Fault: fault, Operation: transact, Times: 1}); err != nil {
			t.Fatal(err)
		}
		r, refused := ledger.AsRefused(b.store.Commit(t.Context(), both(t)))
		if !refused || b.proxy.Did(fault, "") != 1 {
			t.Fatalf("%s: not refused", fault)
		}
		if f, ok := r.By("a"); !ok || f.Current.Int("n") != 1 {
			t.Errorf("%s: the refusal does not show what is there: %+v", fault, r)
		}
	}
}

func TestADelayLongerThanTheCallersTimeIsUnknown(t *testing.T) {
	t.Parallel()
	for fault, written := range map[faultproxy.Fault]bool{faultproxy.Delay: false, faultproxy.DelayAnswer: true} {
		ctx, cancel := context.WithCancel(t.Context())
		// The caller gives up when the request is where it will be held.
		b := newBench(t, faultproxy.Rule{Fault: fault, Operation: transact, Wait: time.Minute, Hit: func(faultproxy.Request) { cancel() }})
		err := b.store.Commit(ctx, both(t))
		if !errors.Is(err, ledger.ErrUnknown) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want unknown and the context's end", fault, err)
		}
		b.proxy.Close()
		if got := b.stored(t); got != written {
			t.Errorf("%s: stored %t, want %t", fault, got, written)
		}
	}
}

func TestAShortDelayChangesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, faultproxy.Rule{Fault: faultproxy.Delay, Wait: time.Millisecond}, faultproxy.Rule{Fault: faultproxy.DelayAnswer, Wait: time.Millisecond})
	if err := b.store.Commit(t.Context(), both(t)); err != nil || !b.stored(t) || b.proxy.Did(faultproxy.Delay, transact) != 1 {
		t.Errorf("got %v, did %v", err, b.proxy.Counts())
	}
}

// Reads write nothing, so that a lost answer is no riddle.
func TestAReadThatGetsNoAnswerIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, fault := range []faultproxy.Fault{faultproxy.DropAfter, faultproxy.FailBefore} {
		b := newBench(t, faultproxy.Rule{Fault: fault, Operation: "GetItem", Times: 1})
		if it, err := b.store.Get(t.Context(), annKey); err != nil || it != nil {
			t.Errorf("%s once: got %v, %v", fault, it, err)
		}
		if err := b.proxy.Set(faultproxy.Rule{Fault: fault, Operation: "GetItem"}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.store.Get(t.Context(), annKey); !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("%s for good: got %v, want unavailable", fault, err)
		}
	}
}
