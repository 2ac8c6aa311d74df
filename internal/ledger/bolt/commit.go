package bolt

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/schema"

	"go.etcd.io/bbolt"
)

// maxGroup bounds the commits of one transaction, so that the first in it does
// not wait for a crowd.
const maxGroup = 256

// pending is a commit on its way.
type pending struct {
	ctx    context.Context
	commit ledger.Commit
	answer chan error // holds one
}

// Commit implements ledger.Store. Once the commit has been taken up, its
// answer is waited for even if the context ends: an fsync takes milliseconds,
// and a known outcome is worth more.
func (s *Store) Commit(ctx context.Context, c ledger.Commit) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if !s.life.enter() {
		return errClosed
	}
	defer s.life.leave()
	p := &pending{ctx: ctx, commit: c, answer: make(chan error, 1)}
	select {
	case s.queue <- p:
		return <-p.answer
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ledger.ErrUnavailable, ctx.Err())
	}
}

// run is the committer. It alone writes to the file.
func (s *Store) run(flush time.Duration) {
	defer close(s.stopped)
	tick := time.NewTicker(flush)
	defer tick.Stop()
	for {
		select {
		case p, open := <-s.queue:
			if !open {
				s.write(nil)
				return
			}
			s.write(s.gather(p))
		case <-tick.C:
			if s.readers.pending() {
				s.write(nil)
			}
		}
	}
}

// gather takes what waits besides the first. Those just answered get a turn to
// come back with their next commit: that makes the groups even.
func (s *Store) gather(first *pending) []*pending {
	group := []*pending{first}
	runtime.Gosched()
	for len(group) < maxGroup {
		select {
		case p, open := <-s.queue:
			if !open {
				return group // run sees it too
			}
			group = append(group, p)
		default:
			return group
		}
	}
	return group
}

// write judges and applies a group in one transaction and answers it.
func (s *Store) write(group []*pending) {
	outcomes := make([]error, len(group))
	writing := false
	err := s.progress.err()
	if err == nil {
		err = guarded(func() error { return s.transact(group, outcomes, &writing) })
		if err != nil {
			s.progress.fail(err)
		}
	}
	for i, p := range group {
		switch {
		case err == nil:
			p.answer <- outcomes[i]
		case writing && outcomes[i] == nil:
			p.answer <- fmt.Errorf("%w: %w", ledger.ErrUnknown, err)
		default:
			// Either nothing came to the disk, or this commit was no part of it;
			// but its refusal may rest on one that was, and cannot be told.
			p.answer <- fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
		}
	}
}

// transact sets writing just before the first write to the disk. An error
// stops the store.
func (s *Store) transact(group []*pending, outcomes []error, writing *bool) error {
	tx, err := s.db.Begin(true)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	changed := false
	for i, p := range group {
		if p.ctx.Err() != nil {
			outcomes[i] = fmt.Errorf("%w: %w", ledger.ErrUnavailable, p.ctx.Err())
			continue
		}
		refused, err := apply(tx, p.commit)
		if err != nil {
			return err
		}
		if refused != nil {
			outcomes[i] = refused
			continue
		}
		changed = true
	}
	kept, err := s.readers.store(tx)
	if err != nil {
		return err
	}
	if !changed && !kept {
		return nil
	}
	id := tx.ID()
	*writing = true
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	s.progress.advance(id)
	return nil
}

// apply judges one commit and, if nothing refuses it, writes it into the
// transaction. An error spoils the transaction and means a damaged file.
func apply(tx *bbolt.Tx, c ledger.Commit) (*ledger.Refused, error) {
	before := make([]ledger.Item, len(c.Writes))
	var failures []ledger.Failure
	for i, w := range c.Writes {
		it, err := lookup(tx, w.Key.Entity.Table(), itemKey(w.Key))
		if err != nil {
			return nil, err
		}
		if before[i] = it; !w.Allowed(it) {
			failures = append(failures, ledger.Failure{Name: w.Name, Key: w.Key, Current: it})
		}
	}
	if len(failures) > 0 {
		return &ledger.Refused{Failures: failures}, nil
	}
	for i, w := range c.Writes {
		if w.Op == ledger.OpCheck {
			continue
		}
		if err := put(tx, w.Key, before[i], w.Apply(before[i])); err != nil {
			return nil, fmt.Errorf("%s of %s: %w", w.Op, w.Key.Entity, err)
		}
	}
	return nil, nil
}

// put writes an item with what follows from it: index entries and the entry of
// the feed.
func put(tx *bbolt.Tx, k ledger.Key, before, after ledger.Item) error {
	t, key := k.Entity.Table(), itemKey(k)
	image, err := encode(after)
	if err != nil {
		return err
	}
	if err := tx.Bucket(itemsBucket(t)).Put(key, image); err != nil {
		return err
	}
	for _, spec := range schema.Specs() {
		if spec.Name != t {
			continue
		}
		for _, ix := range spec.Indexes {
			if err := reindex(tx.Bucket(indexBucket(ix)), ix, key, before, after); err != nil {
				return err
			}
		}
		if spec.Stream {
			return appendFeed(tx.Bucket(feedBucket(t)), image)
		}
	}
	return nil
}

func reindex(b *bbolt.Bucket, ix schema.Index, key []byte, before, after ledger.Item) error {
	old, now := indexKey(ix, before, key), indexKey(ix, after, key)
	if string(old) == string(now) {
		return nil
	}
	if old != nil {
		if err := b.Delete(old); err != nil {
			return err
		}
	}
	if now != nil {
		return b.Put(now, key)
	}
	return nil
}

func appendFeed(b *bbolt.Bucket, image []byte) error {
	b.FillPercent = 0.95 // keys only ever grow: half-full pages would stay so
	n, err := b.NextSequence()
	if err != nil {
		return err
	}
	return b.Put(sequenceKey(n), image)
}
