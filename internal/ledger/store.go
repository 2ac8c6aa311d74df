// Package ledger is the port to the store of truth: items with conditions,
// written together or not at all.
//
// # Contract of a Store
//
// A Commit is atomic, isolated and, once Commit has returned nil, durable
// against the death of the process and of the machine. Conditions are judged
// against the state that the writes change; no other commit comes between.
// Two commits that touch one item take effect one after the other, as if the
// second had started when the first was done.
//
// Get is consistent: it sees every commit that had returned before it was
// called. GetMany reads each key so, but not all at one moment: whoever
// decides on what it returned conditions on the versions it saw. List is
// consistent per item. Query goes through an index and may lag: what it
// returns is a hint, to be read again with Get before anything is done.
//
// What an error of Commit means is the heart of the port:
//
//   - *Refused: a condition did not hold. Nothing was written. An answer, not
//     a fault; it carries the items as they were, and is never retried as it
//     is.
//   - ErrContention, ErrUnavailable: nothing was written; the same commit may
//     be tried again.
//   - ErrInvalid: the commit itself is wrong (a bug); nothing was written.
//   - anything else, and above all a deadline: unknown. It may have been
//     written, and may still be. The caller reads again and recognises its own
//     write by what only it could have put there (its owner token, its
//     identifier); it never concludes that nothing happened.
//
// A store may repeat a commit of its own accord only where it can tell its own
// earlier write from a stranger's.
//
// Stores are safe for concurrent use.
package ledger

import (
	"context"

	"onefold/internal/schema"
)

// Store is one ledger. The package comment is its contract.
type Store interface {
	// Get reads one item. An absent item is (nil, nil): absence is an answer.
	Get(ctx context.Context, k Key) (Item, error)
	// GetMany reads up to 100 different keys; the answer has one entry for
	// each, nil where there is no item.
	GetMany(ctx context.Context, keys []Key) ([]Item, error)
	// Commit applies all writes or none.
	Commit(ctx context.Context, c Commit) error
	// List reads items that share entity, tenant and ID of parent, in the byte
	// order of Sub, starting after the given cursor: "" at first, then
	// Page.Next. The limit is 1 to 1,000, here as in Query and Scan; a page may
	// hold fewer and still have a Next.
	List(ctx context.Context, parent Key, cursor string, limit int) (Page, error)
	// Query reads items through an index in the order of its sort attribute.
	Query(ctx context.Context, q Query) (Page, error)
	// Scan pages through one of segments parts of a table in no useful order.
	// For verification, erasure and reports only, never for a decision: items
	// written while it runs may be missed or seen twice.
	Scan(ctx context.Context, s Scan) (Page, error)
}

// Query selects a range of one partition of an index.
type Query struct {
	Table     schema.Table
	Index     string
	Partition string
	UpTo      string // sort values ≤ UpTo; "" for all
	Cursor    string // "" at first, then Page.Next
	Limit     int    // 1 to 1,000
}

// Scan selects one page of one segment of a table.
type Scan struct {
	Table    schema.Table
	Segment  int // 0 ≤ Segment < Segments
	Segments int
	Cursor   string
	Limit    int // 1 to 1,000
}

// Page is a part of a list. Next is "" at the end.
type Page struct {
	Items []Item
	Next  string
}

// ReadAll reads a whole list through its pages. For partitions that are bounded
// by nature, such as the attempts of one intent.
func ReadAll(ctx context.Context, s Store, parent Key) ([]Item, error) {
	var items []Item
	for cursor := ""; ; {
		page, err := s.List(ctx, parent, cursor, 500)
		if err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if page.Next == "" {
			return items, nil
		}
		cursor = page.Next
	}
}
