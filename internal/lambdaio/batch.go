package lambdaio

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"onefold/internal/metric"
	"onefold/internal/schema"
)

// Options of a batch. All fields are needed.
type Options struct {
	// Begin is the least time before the end of the call with which another
	// record is begun, so that it can be finished. The first record is begun
	// with any: else a timeout set too short would mean that none ever is.
	Begin time.Duration
	// Keep is the time between the end of a record's context and that of the
	// call, in which its worker writes down what it knows, and the batch is
	// answered. Less than Begin.
	Keep time.Duration
	Now  func() time.Time
	Log  *slog.Logger
}

// late tells whether no other record may be begun.
func (o Options) late(ctx context.Context) bool {
	end, bounded := ctx.Deadline()
	return ctx.Err() != nil || bounded && end.Sub(o.Now()) < o.Begin
}

// one works on one record.
func (o Options) one(ctx context.Context, work func(context.Context) error) error {
	if end, bounded := ctx.Deadline(); bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-o.Keep))
		defer cancel()
	}
	return guarded(func() error { return work(ctx) })
}

// handedBack logs why a record comes again. who are its identifiers.
func (o Options) handedBack(ctx context.Context, err error, who ...slog.Attr) {
	who = append(who, slog.String("error", err.Error()), metric.Count(schema.RecordsFailed, 1))
	var p *panicked
	if errors.As(err, &p) {
		who = append(who, slog.String("alarm", "panic"))
	}
	o.Log.LogAttrs(ctx, slog.LevelError, "a record is handed back", who...)
}

// outOfTime logs that the rest of a batch was not begun, which is no fault of
// the records.
func (o Options) outOfTime(ctx context.Context, rest int, who ...slog.Attr) {
	o.Log.LogAttrs(ctx, slog.LevelWarn, "no time for the rest of the batch", append(who, slog.Int("records", rest))...)
}
