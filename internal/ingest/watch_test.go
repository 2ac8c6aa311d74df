package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"onefold/internal/blob"
	"onefold/internal/blob/blobtest"
	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// watch sees every call to a store before it is made and may spoil it: apply
// says whether the call takes effect, err is what the caller is told instead
// of the truth. It counts the calls.
type watch struct {
	mu    sync.Mutex
	calls []string
	hook  func(n int, call string) (apply bool, err error)
	after func(n int) // runs when the call was carried out
}

func (w *watch) see(call string) (n int, apply bool, err error) {
	w.mu.Lock()
	n = len(w.calls)
	w.calls = append(w.calls, call)
	hook := w.hook
	w.mu.Unlock()
	if hook == nil {
		return n, true, nil
	}
	apply, err = hook(n, call)
	return n, apply, err
}

// reset forgets the calls and sets what spoils those to come.
func (w *watch) reset(hook func(int, string) (bool, error), after func(int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls, w.hook, w.after = nil, hook, after
}

func (w *watch) seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// done lets a process die after a call, before anybody hears of it.
func (w *watch) done(n int) {
	w.mu.Lock()
	after := w.after
	w.mu.Unlock()
	if after != nil {
		after(n)
	}
}

// watchedStore lets nothing through that ingest has no business with.
type watchedStore struct {
	ledger.Store
	*watch
}

func (s *watchedStore) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	n, apply, err := s.see("get " + string(k.Entity))
	if err != nil || !apply {
		return nil, err
	}
	it, err := s.Store.Get(ctx, k)
	s.done(n)
	return it, err
}

func (s *watchedStore) Commit(ctx context.Context, c ledger.Commit) error {
	n, apply, spoil := s.see("commit")
	if !apply {
		return spoil
	}
	err := s.Store.Commit(ctx, c)
	s.done(n)
	if spoil != nil { // the true answer was lost
		return spoil
	}
	return err
}

var errNoBusiness = errors.New("ingest has no business with this")

// GetMany is for received mail alone: its routes, its events.
func (s *watchedStore) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	if len(keys) == 0 || keys[0].Entity != ledger.MailRoute && keys[0].Entity != ledger.Event {
		return nil, errNoBusiness
	}
	n, apply, err := s.see("get many " + string(keys[0].Entity))
	if err != nil || !apply {
		return nil, err
	}
	items, err := s.Store.GetMany(ctx, keys)
	s.done(n)
	return items, err
}

func (s *watchedStore) List(context.Context, ledger.Key, string, int) (ledger.Page, error) {
	return ledger.Page{}, errNoBusiness
}

func (s *watchedStore) Query(context.Context, ledger.Query) (ledger.Page, error) {
	return ledger.Page{}, errNoBusiness
}

func (s *watchedStore) Scan(context.Context, ledger.Scan) (ledger.Page, error) {
	return ledger.Page{}, errNoBusiness
}

// watchedBlob keeps raw content in memory.
type watchedBlob struct {
	*watch
	mu   sync.Mutex
	kept map[blob.Ref][]byte
}

func newWatchedBlob(w *watch) *watchedBlob {
	return &watchedBlob{watch: w, kept: map[blob.Ref][]byte{}}
}

func (b *watchedBlob) Put(ctx context.Context, ref blob.Ref, content []byte) error {
	if !ref.Fits(content) {
		return blob.ErrInvalid
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	n, apply, err := b.see("put")
	if apply {
		b.mu.Lock()
		b.kept[ref] = slices.Clone(content)
		b.mu.Unlock()
		b.done(n)
	}
	return err
}

func (b *watchedBlob) Get(ctx context.Context, ref blob.Ref) ([]byte, error) {
	if _, _, _, err := ref.Parts(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	content, ok := b.kept[ref]
	switch {
	case !ok:
		return nil, blob.ErrMissing
	case !ref.Fits(content):
		return nil, blob.ErrDamaged
	}
	return slices.Clone(content), nil
}

func (b *watchedBlob) refs() []blob.Ref {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.kept))
}

func TestTheFakeOfRawContentKeepsTheContract(t *testing.T) {
	t.Parallel()
	blobtest.Suite(t, func(*testing.T) blobtest.Opened {
		b := newWatchedBlob(&watch{})
		return blobtest.Opened{Store: b, Spoil: func(_ *testing.T, ref blob.Ref, content []byte) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.kept[ref] = content
		}}
	})
}

// everything is all that the ledger holds, by key, as text.
func everything(t *testing.T, s ledger.Store) map[ledger.Key]ledger.Item {
	t.Helper()
	all := map[ledger.Key]ledger.Item{}
	for _, spec := range schema.Specs() {
		for cursor := ""; ; {
			page, err := s.Scan(t.Context(), ledger.Scan{Table: spec.Name, Segments: 1, Cursor: cursor, Limit: 500})
			if err != nil {
				t.Fatal(fmt.Errorf("scan %s: %w", spec.Name, err))
			}
			for _, it := range page.Items {
				all[ledger.KeyOf(it)] = it
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
	}
	return all
}
