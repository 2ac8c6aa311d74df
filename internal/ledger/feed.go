package ledger

import (
	"context"

	"onefold/internal/schema"
)

// Feed hands the changes of a table with a stream to its readers.
//
// Every committed creation and update of an item is in the feed at least
// once, with the item as it was right after that commit, in commit order per
// item; order between items is not promised. A consumer that has never called
// Done starts at the oldest change kept. What was handed out and not marked
// Done before a crash is handed out again. Changes are kept for 24 hours at
// least; older ones may be gone, and the rows' own times bring the work back.
//
// Each consumer has one reader at a time.
type Feed interface {
	// Next returns the oldest changes after the consumer's checkpoint and
	// those already handed out by this Feed value, at most limit. It waits for
	// one, and returns the context's error when that ends first. ErrInvalid: the
	// table has no stream, the consumer no name, or limit is below 1.
	Next(ctx context.Context, t schema.Table, consumer string, limit int) ([]Change, error)
	// Done marks everything up to and including the change as worked off.
	Done(ctx context.Context, t schema.Table, consumer string, last Change) error
}

// Change is one new image.
type Change struct {
	Position string // opaque; grows within a table or shard
	Key      Key
	Item     Item // nil when the item was removed
}
