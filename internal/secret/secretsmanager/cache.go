package secretsmanager

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"onefold/internal/secret"
)

// The times of a cache. Fresh is how long after a rotation the new value may
// be unknown to a function, and how long a revoked one may still be taken.
const (
	Fresh   = 5 * time.Minute  // a value is used so long without asking
	Stale   = time.Hour        // so much longer while the store cannot be asked
	Absent  = 10 * time.Second // that there is none is believed so long
	Pause   = 5 * time.Second  // after a failure nobody asks for so long
	AskTime = 3 * time.Second  // an answer is waited for so long
)

// Cache is a secret.Store that remembers. It lags by at most Fresh behind the
// store it asks, and by at most Fresh + Stale while that cannot be asked; after
// that Get is secret.ErrUnavailable. Of many callers that need one name at once
// one question is asked, and it goes on when its first caller gives up. That a
// secret was deleted is an answer: it ends the value at once.
type Cache struct {
	from secret.Store
	now  func() time.Time

	mu    sync.Mutex
	names map[string]*remembered
}

// NewCache gives a cache of a store.
func NewCache(from secret.Store, now func() time.Time) *Cache {
	return &Cache{from: from, now: now, names: map[string]*remembered{}}
}

// remembered is what is known of a name. Fields are changed under the cache's
// lock.
type remembered struct {
	value  secret.Secret
	asked  time.Time // when the question was asked whose answer this is
	answer answer

	failure error // of the last question; nil after an answer
	failed  time.Time
	asking  chan struct{} // closed when the question under way has ended
}

type answer int

const (
	never answer = iota // no answer yet
	some
	none
)

// Get returns what is known, or asks.
func (c *Cache) Get(ctx context.Context, name string) (secret.Secret, error) {
	if secret.CheckName(name) != nil {
		return secret.Secret{}, fmt.Errorf("%w: no such name", secret.ErrNone)
	}
	c.mu.Lock()
	r := c.names[name]
	if r == nil {
		r = &remembered{}
		c.names[name] = r
	}
	if c.settled(r) {
		defer c.mu.Unlock()
		return c.say(r, name)
	}
	if r.asking == nil {
		r.asking = make(chan struct{})
		// Others wait for the answer too.
		go c.ask(context.WithoutCancel(ctx), name, r)
	}
	wait := r.asking
	c.mu.Unlock()
	select {
	case <-wait:
	case <-ctx.Done():
		return secret.Secret{}, fmt.Errorf("secret %s: %w: %w", name, secret.ErrUnavailable, ctx.Err())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.say(r, name)
}

// settled tells whether what is known is said without asking.
func (c *Cache) settled(r *remembered) bool {
	now := c.now()
	if r.failure != nil && now.Sub(r.failed) < Pause {
		return true
	}
	age := now.Sub(r.asked)
	return r.answer == some && age < Fresh || r.answer == none && age < Absent
}

// say gives what is known now.
func (c *Cache) say(r *remembered, name string) (secret.Secret, error) {
	switch {
	case r.answer == some && (r.failure == nil || c.now().Sub(r.asked) < Fresh+Stale):
		return r.value, nil
	case r.failure != nil:
		return secret.Secret{}, r.failure
	}
	return secret.Secret{}, fmt.Errorf("%w: %s", secret.ErrNone, name)
}

// ask asks once and wakes who waits.
func (c *Cache) ask(ctx context.Context, name string, r *remembered) {
	ctx, cancel := context.WithTimeout(ctx, AskTime)
	defer cancel()
	asked := c.now() // before the question: an answer is as old as that
	value, err := c.from.Get(ctx, name)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		r.value, r.asked, r.answer, r.failure = value, asked, some, nil
	case errors.Is(err, secret.ErrNone):
		r.value, r.asked, r.answer, r.failure = secret.Secret{}, asked, none, nil
	default:
		r.failure, r.failed = err, c.now()
	}
	close(r.asking)
	r.asking = nil
}

var _ secret.Store = (*Cache)(nil)
