// Package bolt is the ledger in one file on one machine, for one process. It
// serves local runs and small installations; nothing but the file is needed.
//
// # What is kept where
//
//	meta                    format → 1
//	items/TABLE             entity tenant id sub → item as canonical JSON
//	index/TABLE/NAME        partition sort item-key → item-key
//	feed/TABLE              sequence → item right after the commit (tables with a stream)
//	done                    TABLE/consumer → sequence worked off
//
// Items, index entries and feed entries of a commit are written in one
// transaction of the file, so an index never lags and the feed never lacks or
// invents a change.
//
// # What a crash leaves
//
// One goroutine takes the commits that wait, judges and applies them one after
// the other in one transaction, has that fsynced, and only then answers any of
// them: refusals too, since they may rest on a write of the same transaction.
// Reads wait in the same way when they saw a transaction whose fsync has not
// returned. So nothing that anybody was told can be lost, neither by SIGKILL
// nor by loss of power on a disk that keeps its word.
//
// bbolt writes new pages, fsyncs them, then writes and fsyncs one of two meta
// pages that name the tree. A crash before the meta page is whole leaves the
// former tree; after, the new one. A commit without an answer is therefore
// wholly there or wholly not, which is what ErrUnknown says.
//
// When a write or fsync fails (a full disk, a bad one), the commits of that
// transaction are ErrUnknown, since nothing tells how far it came and a kernel
// may forget dirty pages after a failed fsync. The store then refuses all
// further work with ErrUnavailable, reads too, for they might show what is not
// on the disk. Opening the file again finds out what holds.
//
// It refuses to share its file: a second process gets ErrInUse.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/schema"

	"go.etcd.io/bbolt"
)

// ErrFormat means that the file is whole but was not made by this version of
// the store. It is left as it is; the version that made it can read it.
var ErrFormat = errors.New("bolt: not a ledger of this format")

// Options of a store. The zero value is fit for use.
type Options struct {
	// MustExist refuses to make a new file: the error is fs.ErrNotExist.
	MustExist bool
	// Consumers names everybody who reads the feed of a table. What all of them
	// have marked Done is removed; one that has not run yet holds everything
	// back, for however long. Others are refused with ErrInvalid. A table that
	// is not named here has its whole feed kept, for anybody.
	Consumers map[schema.Table][]string
	// Flush is how long a Done may wait to be stored when no commit comes along
	// with which it is stored for nothing; 1 s if zero.
	Flush time.Duration
}

// Store is a ledger.Store and a ledger.Feed on one file.
type Store struct {
	db       *bbolt.DB
	queue    chan *pending
	stopped  chan struct{} // closed when the committer has ended
	life     lifetime
	progress *progress
	readers  *readers
}

// Close waits for the calls that are under way, stores what was marked Done
// and lets go of the file. It returns the write error that had stopped the
// store, if any. Calls after it get ErrUnavailable.
func (s *Store) Close() error {
	if !s.life.end() {
		return nil
	}
	close(s.queue) // nobody sends any more: life has let the last one out
	<-s.stopped
	err := guarded(s.db.Close)
	if cause := s.progress.cause(); cause != nil {
		return fmt.Errorf("close ledger after a failure: %w", cause)
	}
	return err
}

// Err is what has stopped the store, or nil. Only opening it again helps.
func (s *Store) Err() error { return s.progress.cause() }

// CopyTo writes a whole copy of the file as it is at one moment, as a backup
// that can be opened. Work goes on meanwhile.
func (s *Store) CopyTo(ctx context.Context, w io.Writer) error {
	return s.view(ctx, func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(w)
		return err
	})
}

// view runs fn on one moment of the store and returns when that moment is
// durable.
func (s *Store) view(ctx context.Context, fn func(*bbolt.Tx) error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ledger.ErrUnavailable, ctx.Err())
	}
	if !s.life.enter() {
		return errClosed
	}
	defer s.life.leave()
	if err := s.progress.err(); err != nil {
		return err
	}
	seen := 0
	err := guarded(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			seen = tx.ID()
			return fn(tx)
		})
	})
	if errors.Is(err, ledger.ErrDamaged) {
		s.progress.fail(err)
	}
	if err != nil {
		return err
	}
	return s.progress.await(seen)
}

// guarded turns what bbolt does on a damaged file, a panic or a memory fault
// beyond the end of the mapping, into ErrDamaged.
func guarded(fn func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if r := recover(); r != nil {
			// The text of the panic may hold keys, which may be personal.
			err = fmt.Errorf("%w: %T while reading the file", ledger.ErrDamaged, r)
		}
	}()
	return fn()
}
