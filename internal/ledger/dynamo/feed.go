package dynamo

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// Feed is a ledger.Feed on DynamoDB Streams for the local runner; a deployment
// has Lambda's event source mapping in its place.
//
// Its checkpoints are in memory. So a new process is handed everything that
// the stream keeps once more, Done or not; workers are idempotent and find it
// worked off. A new Feed with the Checkpoints of an older one goes on after
// what was Done. Within one Feed a change is handed out once.
type Feed struct {
	tables  *dynamodb.Client
	streams *dynamodbstreams.Client
	o       FeedOptions

	mu      sync.Mutex
	readers map[string]*reader // table/consumer
}

// FeedOptions of a feed. The zero value serves.
type FeedOptions struct {
	Prefix      string        // as in Options
	Poll        time.Duration // how long to wait when nothing is new; 0 is 250 ms
	Checkpoints *Checkpoints  // nil for new ones
}

// NewFeed makes a feed.
func NewFeed(tables *dynamodb.Client, streams *dynamodbstreams.Client, o FeedOptions) *Feed {
	if o.Poll <= 0 {
		o.Poll = 250 * time.Millisecond
	}
	if o.Checkpoints == nil {
		o.Checkpoints = &Checkpoints{}
	}
	return &Feed{tables: tables, streams: streams, o: o, readers: map[string]*reader{}}
}

// Next implements ledger.Feed. The changes of one answer are of one shard, so
// that Done of the last covers the others.
func (f *Feed) Next(ctx context.Context, t schema.Table, consumer string, limit int) ([]ledger.Change, error) {
	if !ledger.HasStream(t) || consumer == "" || limit < 1 {
		return nil, fmt.Errorf("%w: a feed of %q in parts of %d", ledger.ErrInvalid, string(t), limit)
	}
	r := f.reader(t, consumer)
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		changes, err := r.round(ctx, min(limit, maxRecords))
		if ctx.Err() != nil && len(changes) == 0 {
			return nil, ctx.Err()
		}
		if err != nil || len(changes) > 0 {
			return changes, err
		}
		wait := time.NewTimer(f.o.Poll)
		select {
		case <-ctx.Done():
			wait.Stop()
			return nil, ctx.Err()
		case <-wait.C:
		}
	}
}

// maxRecords is GetRecords' limit (API Reference, read 2026-11).
const maxRecords = 1000

// Done implements ledger.Feed.
func (f *Feed) Done(_ context.Context, t schema.Table, consumer string, last ledger.Change) error {
	shard, sequence, ok := strings.Cut(last.Position, "/")
	if !ok || shard == "" || sequence == "" || consumer == "" {
		return fmt.Errorf("%w: a change of %q that was not handed out", ledger.ErrInvalid, string(t))
	}
	f.o.Checkpoints.raise(name(t, consumer), shard, sequence)
	return nil
}

func (f *Feed) reader(t schema.Table, consumer string) *reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := name(t, consumer)
	if f.readers[n] == nil {
		f.readers[n] = &reader{f: f, table: t, name: n, shards: map[string]*shard{}}
	}
	return f.readers[n]
}
