// Package mem is the ledger in memory: one mutex, so every commit is
// serialised. It is the quickest store to prove schedules on, and the one
// whose behaviour is plain enough to be the reference for the others. It
// forgets everything with the process.
package mem

import (
	"context"
	"sort"
	"strconv"
	"strings"
	"sync"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// Store is a ledger.Store and a ledger.Feed.
type Store struct {
	mu      sync.Mutex
	items   map[ledger.Key]ledger.Item
	changes map[schema.Table][]ledger.Change
	read    map[string]int // consumer → changes handed out
	done    map[string]int // consumer → changes worked off
	wake    chan struct{}  // closed and replaced at each change
}

// New returns an empty store.
func New() *Store {
	return &Store{
		items:   map[ledger.Key]ledger.Item{},
		changes: map[schema.Table][]ledger.Change{},
		read:    map[string]int{},
		done:    map[string]int{},
		wake:    make(chan struct{}),
	}
}

// Get implements ledger.Store.
func (s *Store) Get(ctx context.Context, k ledger.Key) (ledger.Item, error) {
	if err := ready(ctx, k); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items[k].Clone(), nil
}

// GetMany implements ledger.Store.
func (s *Store) GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error) {
	if err := ledger.ValidateKeys(keys); err != nil {
		return nil, err
	}
	items := make([]ledger.Item, len(keys))
	for i, k := range keys {
		it, err := s.Get(ctx, k)
		if err != nil {
			return nil, err
		}
		items[i] = it
	}
	return items, nil
}

// Commit implements ledger.Store.
func (s *Store) Commit(ctx context.Context, c ledger.Commit) error {
	if ctx.Err() != nil {
		return ledger.ErrUnavailable
	}
	if err := c.Validate(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Every condition is judged before the first write, so that a refusal
	// leaves nothing behind and names all that was refused.
	var failures []ledger.Failure
	for _, w := range c.Writes {
		if before := s.items[w.Key]; !w.Allowed(before) {
			failures = append(failures, ledger.Failure{Name: w.Name, Key: w.Key, Current: before.Clone()})
		}
	}
	if len(failures) > 0 {
		return &ledger.Refused{Failures: failures}
	}
	for _, w := range c.Writes {
		if w.Op == ledger.OpCheck {
			continue
		}
		after := w.Apply(s.items[w.Key])
		s.items[w.Key] = after
		s.record(w.Key, after)
	}
	return nil
}

// record appends to the feed of a table that has a stream, and wakes readers.
func (s *Store) record(k ledger.Key, after ledger.Item) {
	t := k.Entity.Table()
	if !ledger.HasStream(t) {
		return
	}
	position := strconv.Itoa(len(s.changes[t]) + 1)
	s.changes[t] = append(s.changes[t], ledger.Change{Position: position, Key: k, Item: after.Clone()})
	close(s.wake)
	s.wake = make(chan struct{})
}

// List implements ledger.Store.
func (s *Store) List(ctx context.Context, parent ledger.Key, cursor string, limit int) (ledger.Page, error) {
	if err := ready(ctx, parent); err != nil {
		return ledger.Page{}, err
	}
	if err := ledger.ValidateLimit(limit); err != nil {
		return ledger.Page{}, err
	}
	return s.page(limit, cursor, func(k ledger.Key, _ ledger.Item) (string, bool) {
		return k.Sub, k.Entity == parent.Entity && k.Tenant == parent.Tenant && k.ID == parent.ID
	}), nil
}

// Query implements ledger.Store.
func (s *Store) Query(ctx context.Context, q ledger.Query) (ledger.Page, error) {
	ix, err := q.Validate()
	if err != nil {
		return ledger.Page{}, err
	}
	if ctx.Err() != nil {
		return ledger.Page{}, ledger.ErrUnavailable
	}
	return s.page(q.Limit, q.Cursor, func(k ledger.Key, it ledger.Item) (string, bool) {
		sortValue := it.Text(ix.Sort)
		in := k.Entity.Table() == q.Table && it.Text(ix.Partition) == q.Partition && sortValue != "" &&
			(q.UpTo == "" || sortValue <= q.UpTo)
		return sortValue + "\x00" + flat(k), in
	}), nil
}

// Scan implements ledger.Store.
func (s *Store) Scan(ctx context.Context, sc ledger.Scan) (ledger.Page, error) {
	if err := sc.Validate(); err != nil {
		return ledger.Page{}, err
	}
	if ctx.Err() != nil {
		return ledger.Page{}, ledger.ErrUnavailable
	}
	return s.page(sc.Limit, sc.Cursor, func(k ledger.Key, _ ledger.Item) (string, bool) {
		name := flat(k)
		return name, k.Entity.Table() == sc.Table && segment(name, sc.Segments) == sc.Segment
	}), nil
}

// page sorts what a filter lets through by the order text it gives, and cuts.
func (s *Store) page(limit int, cursor string, filter func(ledger.Key, ledger.Item) (string, bool)) ledger.Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	type row struct {
		order string
		item  ledger.Item
	}
	var rows []row
	for k, it := range s.items {
		if order, in := filter(k, it); in && "="+order > cursor {
			rows = append(rows, row{order, it})
		}
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].order < rows[j].order })
	var p ledger.Page
	for i, r := range rows {
		if i == limit {
			p.Next = "=" + rows[i-1].order
			break
		}
		p.Items = append(p.Items, r.item.Clone())
	}
	return p
}

func ready(ctx context.Context, k ledger.Key) error {
	if ctx.Err() != nil {
		return ledger.ErrUnavailable
	}
	return k.Validate()
}

func flat(k ledger.Key) string {
	return strings.Join([]string{string(k.Entity), k.Tenant, k.ID, k.Sub}, "\x00")
}

func segment(name string, segments int) int {
	sum := 0
	for i := range len(name) {
		sum = (sum*31 + int(name[i])) % 1_000_003
	}
	return sum % segments
}
