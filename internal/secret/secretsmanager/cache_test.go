package secretsmanager_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"onefold/internal/secret"
	"onefold/internal/secret/secretsmanager"
)

// source is a store that says what it is told to, after a while.
type source struct {
	mu    sync.Mutex
	value secret.Secret
	err   error
	takes time.Duration
	asked atomic.Int32
}

func (s *source) set(value string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value, s.err = secret.Secret{Current: value}, err
	if err != nil {
		s.value = secret.Secret{}
	}
}

func (s *source) Get(ctx context.Context, _ string) (secret.Secret, error) {
	s.asked.Add(1)
	s.mu.Lock()
	value, err := s.value, s.err // as of the question's moment
	s.mu.Unlock()
	select {
	case <-time.After(s.takes):
		return value, err
	case <-ctx.Done():
		return secret.Secret{}, errors.Join(secret.ErrUnavailable, ctx.Err())
	}
}

// bench is a cache in a bubble, whose time passes only where the test sleeps.
type bench struct {
	*testing.T
	source
	cache *secretsmanager.Cache
}

func inBubble(t *testing.T, test func(b *bench)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t}
		b.cache = secretsmanager.NewCache(&b.source, time.Now)
		test(b)
	})
}

// gets asks the cache once: for a value, or for an error when want is "".
func (b *bench) gets(want string, err error, questions int32) {
	b.Helper()
	got, fault := b.cache.Get(b.Context(), "crm/demo")
	if got.Current != want || !errors.Is(fault, err) {
		b.Errorf("at %v: %q, %v; want %q, %v", time.Now(), got.Current, fault, want, err)
	}
	if n := b.asked.Load(); n != questions {
		b.Errorf("%d questions, want %d", n, questions)
	}
}

var errDown = errors.Join(secret.ErrUnavailable, errors.New("down"))

func TestAValueIsAskedForAgainWhenItIsAsOldAsStated(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.set("one", nil)
		b.gets("one", nil, 1)
		b.set("two", nil)
		time.Sleep(5*time.Minute - time.Nanosecond)
		b.gets("one", nil, 1)
		time.Sleep(time.Nanosecond)
		b.gets("two", nil, 2)
	})
}

func TestAStaleValueServesAnHourAndNoLonger(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.set("one", nil)
		b.gets("one", nil, 1)
		b.set("", errDown)
		time.Sleep(5 * time.Minute)
		b.gets("one", nil, 2)
		// Whoever comes soon after a failure does not wait for another.
		time.Sleep(5*time.Second - time.Nanosecond)
		b.gets("one", nil, 2)
		time.Sleep(time.Nanosecond)
		b.gets("one", nil, 3)
		time.Sleep(time.Hour - 5*time.Second - time.Nanosecond)
		b.gets("one", nil, 4)
		time.Sleep(time.Nanosecond)
		b.gets("", secret.ErrUnavailable, 4)
		b.set("two", nil)
		time.Sleep(5 * time.Second)
		b.gets("two", nil, 5)
	})
}

func TestAnAbsentSecretIsRememberedBrieflyOnly(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.set("", secret.ErrNone)
		b.gets("", secret.ErrNone, 1)
		b.set("one", nil)
		time.Sleep(10*time.Second - time.Nanosecond)
		b.gets("", secret.ErrNone, 1)
		time.Sleep(time.Nanosecond)
		b.gets("one", nil, 2)
		// A deleted one is no stale one.
		b.set("", secret.ErrNone)
		time.Sleep(5 * time.Minute)
		b.gets("", secret.ErrNone, 3)
		// That there was none is no answer while nobody can be asked.
		b.set("", errDown)
		time.Sleep(10 * time.Second)
		b.gets("", secret.ErrUnavailable, 4)
	})
}

func TestManyCallersAskOnce(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.takes = time.Second
		b.set("one", nil)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { b.gets("one", nil, 1) })
		}
		wg.Wait()
	})
}

func TestTheQuestionOutlivesWhoAskedIt(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.takes = time.Second
		b.set("one", nil)
		ctx, cancel := context.WithTimeout(b.Context(), time.Millisecond)
		defer cancel()
		if _, err := b.cache.Get(ctx, "crm/demo"); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, secret.ErrUnavailable) {
			b.Errorf("who gave up: %v", err)
		}
		b.gets("one", nil, 1)
	})
}

func TestAHangingStoreIsGivenUp(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.set("one", nil)
		b.gets("one", nil, 1)
		b.takes = time.Hour
		time.Sleep(5 * time.Minute)
		began := time.Now()
		b.gets("one", nil, 2)
		if took := time.Since(began); took != 3*time.Second {
			b.Errorf("waited %v", took)
		}
	})
}

// An answer that took long may have been overtaken by a rotation: it is as old
// as its question.
func TestAnAnswerIsAsOldAsItsQuestion(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.takes = 2 * time.Second
		b.set("one", nil)
		b.gets("one", nil, 1)
		b.set("two", nil)
		time.Sleep(5*time.Minute - 2*time.Second)
		b.gets("two", nil, 2)
	})
}

func TestANameThatCannotBeIsNotAskedFor(t *testing.T) {
	inBubble(t, func(b *bench) {
		b.set("one", nil)
		if _, err := b.cache.Get(b.Context(), "../identifier-key"); !errors.Is(err, secret.ErrNone) || b.asked.Load() != 0 {
			b.Errorf("%v after %d questions", err, b.asked.Load())
		}
	})
}
