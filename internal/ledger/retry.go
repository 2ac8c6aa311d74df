package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Retry does a read-modify-write until it is done: read, build a commit on what
// was read, commit. once does all three and reports whether it has to be done
// again, since the rows had moved (Moved) or since only reading again can tell
// whether an unknown commit was written. Between two calls lies a short random
// wait, longer each time, so that writers that met do not meet again.
//
// once must read again on each call, and must recognise its own earlier commit:
// after ErrUnknown that may be there. If it has to be done again, its error is
// dropped. A crash leaves what once leaves: nothing, or the whole commit.
//
// Retry returns what once does when it is done, the context's error when that
// ends first, and ErrContention after the last try.
func Retry(ctx context.Context, tries int, once func() (again bool, err error)) error {
	for try := range tries {
		if try > 0 {
			if err := Wait(ctx, Backoff(try-1)); err != nil {
				return err
			}
		}
		if again, err := once(); !again {
			return err
		}
	}
	return ErrContention
}

// Moved reports whether a commit was refused or met another one: nothing was
// written, and reading again will show why.
func Moved(err error) bool {
	_, refused := AsRefused(err)
	return refused || errors.Is(err, ErrContention)
}

// Backoff is the wait before a commit is tried again after try tries before
// this one: at random up to 10 ms, doubled each time, at most 640 ms.
func Backoff(try int) time.Duration {
	return time.Millisecond + rand.N(10*time.Millisecond<<min(max(try, 0), 6))
}

// Wait waits for d, or until the context ends, whose error it then returns.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Read is the noun that a row holds, nil if the row is not there. The error
// names the entity and no word of the key, which may be personal.
func Read[T any](ctx context.Context, s Store, k Key) (*T, error) {
	it, err := s.Get(ctx, k)
	if err != nil {
		return nil, fmt.Errorf("read a row of %s: %w", k.Entity, err)
	}
	if it == nil {
		return nil, nil
	}
	noun := new(T)
	if err := it.Decode(noun); err != nil {
		return nil, err
	}
	return noun, nil
}
