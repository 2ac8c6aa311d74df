package bolt

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"onefold/internal/ledger"
	"onefold/internal/schema"

	"go.etcd.io/bbolt"
)

// trimStep bounds what one transaction removes from a feed, so that a consumer
// that catches up on a million changes does not hold up the next commit.
const trimStep = 256

// Next implements ledger.Feed.
func (s *Store) Next(ctx context.Context, t schema.Table, consumer string, limit int) ([]ledger.Change, error) {
	name, err := s.readers.name(t, consumer)
	if err != nil {
		return nil, err
	}
	if limit < 1 {
		return nil, fmt.Errorf("%w: a batch of %d", ledger.ErrInvalid, limit)
	}
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		changed := s.progress.watch() // before the look, or a change in between goes unseen
		batch, last, err := s.changes(ctx, t, s.readers.position(name), limit)
		if err != nil {
			return nil, err
		}
		if len(batch) > 0 {
			s.readers.handOut(name, last)
			return batch, nil
		}
		select {
		case <-ctx.Done():
		case <-changed:
		case <-s.life.ending:
			return nil, errClosed
		}
	}
}

// changes reads what follows a position, and the position of the last.
func (s *Store) changes(ctx context.Context, t schema.Table, from uint64, limit int) ([]ledger.Change, uint64, error) {
	var batch []ledger.Change
	last := from
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(feedBucket(t)).Cursor()
		for key, value := c.Seek(sequenceKey(from + 1)); key != nil && len(batch) < limit; key, value = c.Next() {
			it, err := decode(value)
			if err != nil {
				return err
			}
			last = binary.BigEndian.Uint64(key)
			batch = append(batch, ledger.Change{Position: fmt.Sprintf("%020d", last), Key: ledger.KeyOf(it), Item: it})
		}
		return nil
	})
	return batch, last, err
}

// Done implements ledger.Feed. It is stored with the next commit, or after
// Options.Flush, or by Close; a crash before that only means that the changes
// are handed out again.
func (s *Store) Done(_ context.Context, t schema.Table, consumer string, last ledger.Change) error {
	name, err := s.readers.name(t, consumer)
	if err != nil {
		return err
	}
	if err := s.progress.err(); err != nil {
		return err
	}
	n, err := strconv.ParseUint(last.Position, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: done with position %q", ledger.ErrInvalid, last.Position)
	}
	return s.readers.done(name, n)
}

// readers knows how far each consumer is.
type readers struct {
	mu     sync.Mutex
	known  map[schema.Table][]string
	handed map[string]uint64 // TABLE/consumer → last handed out by this Store
	worked map[string]uint64 // TABLE/consumer → last marked Done
	stored map[string]uint64 // as worked is in the file
	behind bool              // more can be removed
}

func (r *readers) name(t schema.Table, consumer string) (string, error) {
	known := r.known[t]
	if !ledger.HasStream(t) || consumer == "" || len(known) > 0 && !slices.Contains(known, consumer) {
		return "", fmt.Errorf("%w: no consumer %q of a feed of %q", ledger.ErrInvalid, consumer, string(t))
	}
	return string(t) + "/" + consumer, nil
}

func (r *readers) position(name string) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(r.handed[name], r.worked[name])
}

func (r *readers) handOut(name string, n uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handed[name] = max(r.handed[name], n)
}

// done refuses what was not handed out: it would lose what lies between.
func (r *readers) done(name string, n uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > max(r.handed[name], r.worked[name]) {
		return fmt.Errorf("%w: done with what was not handed out", ledger.ErrInvalid)
	}
	r.worked[name] = max(r.worked[name], n)
	return nil
}

// pending tells whether store has something to do.
func (r *readers) pending() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.behind || !maps.Equal(r.worked, r.stored)
}

// store writes the new checkpoints into the transaction and removes some of
// what all consumers of a table are done with. It tells whether it wrote.
func (r *readers) store(tx *bbolt.Tx) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wrote := false
	for name, n := range r.worked {
		if r.stored[name] == n {
			continue
		}
		if err := tx.Bucket(doneBucket).Put([]byte(name), sequenceKey(n)); err != nil {
			return false, err
		}
		wrote = true
		// Should this transaction fail, the store stops; so this is never ahead
		// of the file in a store that goes on.
		r.stored[name] = n
	}
	r.behind = false
	for t, consumers := range r.known {
		if len(consumers) == 0 || !ledger.HasStream(t) {
			continue
		}
		passed := r.stored[string(t)+"/"+consumers[0]]
		for _, c := range consumers[1:] {
			passed = min(passed, r.stored[string(t)+"/"+c])
		}
		n, err := trim(tx.Bucket(feedBucket(t)), passed)
		if err != nil {
			return false, err
		}
		wrote = wrote || n > 0
		r.behind = r.behind || n == trimStep
	}
	return wrote, nil
}

// trim removes the oldest changes up to a position, at most trimStep.
func trim(b *bbolt.Bucket, passed uint64) (int, error) {
	var old [][]byte // a cursor does not bear removal under it
	c := b.Cursor()
	for key, _ := c.First(); key != nil && len(old) < trimStep && binary.BigEndian.Uint64(key) <= passed; key, _ = c.Next() {
		old = append(old, key)
	}
	for _, key := range old {
		if err := b.Delete(key); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}
