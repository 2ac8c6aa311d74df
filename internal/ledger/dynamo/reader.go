package dynamo

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// reader is one consumer's place in one table's stream.
type reader struct {
	f     *Feed
	table schema.Table
	name  string // of the consumer's checkpoints

	mu     sync.Mutex
	arn    string
	shards map[string]*shard
	order  []string // as discovered
	turn   int      // rounds begin at another shard each, so that none starves
	idle   int      // rounds since shards were last looked for
}

// shard is one part of a stream. Its parent's changes come before its own.
type shard struct {
	parent   string
	iterator string // "" when a new one must be asked for
	last     string // sequence number of the last change handed out, or Done before
	ended    bool   // read to its end
}

// rediscover is how many rounds without news pass between looks for shards.
const rediscover = 20

// round asks each readable shard once, until one has news.
func (r *reader) round(ctx context.Context, limit int) ([]ledger.Change, error) {
	if r.idle == 0 {
		if err := r.discover(ctx); err != nil {
			return nil, err
		}
	}
	r.idle = (r.idle + 1) % rediscover
	r.turn++
	for i := range r.order {
		id := r.order[(i+r.turn)%len(r.order)]
		s := r.shards[id]
		if parent := r.shards[s.parent]; s.ended || parent != nil && !parent.ended {
			continue
		}
		changes, err := r.ask(ctx, id, s, limit)
		if err != nil || len(changes) > 0 {
			return changes, err
		}
	}
	return nil, nil
}

func (r *reader) subject() string { return "read the stream of " + string(r.table) }

// discover finds the stream and adds shards that are new in it.
func (r *reader) discover(ctx context.Context) error {
	if r.arn == "" {
		table := r.f.o.Prefix + string(r.table)
		out, err := r.f.tables.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			return readFault(ctx, r.subject(), err)
		}
		if r.arn = text(out.Table.LatestStreamArn); r.arn == "" {
			return fmt.Errorf("%s: %w: the table has no stream", r.subject(), ledger.ErrInvalid)
		}
	}
	var after *string
	for {
		out, err := r.f.streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: &r.arn, ExclusiveStartShardId: after})
		if err != nil {
			return readFault(ctx, r.subject(), err)
		}
		for _, s := range out.StreamDescription.Shards {
			if id := text(s.ShardId); r.shards[id] == nil {
				r.shards[id] = &shard{parent: text(s.ParentShardId), last: r.f.o.Checkpoints.of(r.name, id)}
				r.order = append(r.order, id)
			}
		}
		if after = out.StreamDescription.LastEvaluatedShardId; after == nil {
			return nil
		}
	}
}

// ask reads what a shard has next.
func (r *reader) ask(ctx context.Context, id string, s *shard, limit int) ([]ledger.Change, error) {
	if s.iterator == "" {
		if err := r.point(ctx, id, s); err != nil {
			return nil, err
		}
	}
	n := int32(limit)
	out, err := r.f.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: &s.iterator, Limit: &n})
	var expired *streamtypes.ExpiredIteratorException
	var trimmed *streamtypes.TrimmedDataAccessException
	switch {
	case errors.As(err, &expired), errors.As(err, &trimmed):
		s.iterator = "" // point finds the place again, or the oldest that is left
		return nil, nil
	case err != nil:
		return nil, readFault(ctx, r.subject(), err)
	}
	changes, last := make([]ledger.Change, 0, len(out.Records)), s.last
	for _, rec := range out.Records {
		c, err := change(id, rec)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.subject(), err)
		}
		changes = append(changes, c)
		last = text(rec.Dynamodb.SequenceNumber)
	}
	s.last, s.iterator = last, text(out.NextShardIterator)
	if s.iterator == "" {
		s.ended = true
		r.idle = 0 // its children may be there
	}
	return changes, nil
}

// point gets an iterator after the last change handed out, or at the oldest.
func (r *reader) point(ctx context.Context, id string, s *shard) error {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &r.arn, ShardId: &id, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon}
	if s.last != "" {
		in.ShardIteratorType, in.SequenceNumber = streamtypes.ShardIteratorTypeAfterSequenceNumber, &s.last
	}
	out, err := r.f.streams.GetShardIterator(ctx, in)
	var trimmed *streamtypes.TrimmedDataAccessException
	if errors.As(err, &trimmed) && s.last != "" {
		// Older than 24 hours and gone; the rows' own times bring it back.
		s.last = ""
		return r.point(ctx, id, s)
	}
	if err != nil {
		return readFault(ctx, r.subject(), err)
	}
	s.iterator = text(out.ShardIterator)
	return nil
}
