package lambdaio

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
)

// Stream works on the records of a DynamoDB stream one after the other, in
// their order, and reports the first that is to come again: Lambda repeats
// everything from that one on (Lambda Developer Guide, "Process DynamoDB
// records with Lambda", "Reporting batch item failures", read 2026-11). handle
// meets a record more than once, and finds on the row what is done.
//
//   - Where the ledger does not answer, or the time is over, nothing behind is
//     begun.
//   - A record that fails by itself, a panic included, does not keep the
//     records behind it from being worked on now, except those of the same
//     item, which stay behind it. So it does no harm if Lambda gives up all of
//     a batch when its tries are used up. What is given up comes back by its
//     row's due time, and is parked after ten nudges that moved nothing, or
//     when its attempts are used up: there a person sees it.
//   - A removal, an unknown entity and a record that cannot be read will be the
//     same next time. They are logged as errors and succeed: the mapping's
//     filter lets none of them through, so somebody should look.
func Stream(handle func(context.Context, ledger.Change) error, o Options) BatchHandler {
	return func(ctx context.Context, records []json.RawMessage) ([]string, error) {
		first := -1 // the first to come again
		held := map[ledger.Key]bool{}
		for i, record := range records {
			if i > 0 && o.late(ctx) {
				o.outOfTime(ctx, len(records)-i, slog.String("record", numberOf(record)))
				first = earlier(first, i)
				break
			}
			ch, ok := o.read(ctx, record)
			if !ok || held[ch.Key] {
				continue
			}
			err := o.one(ctx, func(ctx context.Context) error { return handle(ctx, ch) })
			if err == nil {
				continue
			}
			o.handedBack(ctx, err, slog.String("record", numberOf(record)), slog.String("tenant", ch.Key.Tenant), slog.String("entity", string(ch.Key.Entity)))
			held[ch.Key] = true
			first = earlier(first, i)
			if unreachable(err) {
				break
			}
		}
		if first < 0 {
			return nil, nil
		}
		// An empty identifier would mean the whole batch; so say that.
		number := numberOf(records[first])
		if number == "" {
			return nil, errors.New("a record that has to come again has no sequence number")
		}
		return []string{number}, nil
	}
}

func earlier(first, i int) int {
	if first < 0 {
		return i
	}
	return first
}

// read reads a record; false when there is nothing to do about it.
func (o Options) read(ctx context.Context, record json.RawMessage) (ledger.Change, bool) {
	ch, err := dynamo.ChangeOf(record)
	why := ""
	switch {
	case err != nil:
		why = err.Error()
	case ch.Item == nil:
		why = "the item was removed"
	case ch.Key.Validate() != nil:
		why = "an unknown kind of item" // or a key that none of ours has
	default:
		return ch, true
	}
	attrs := []slog.Attr{slog.String("record", numberOf(record)), slog.String("reason", why), slog.String("alarm", "record_left_out")}
	if ch.Key.Validate() == nil {
		attrs = append(attrs, slog.String("tenant", ch.Key.Tenant), slog.String("entity", string(ch.Key.Entity)))
	}
	o.Log.LogAttrs(ctx, slog.LevelError, "a stream record is left out", attrs...)
	return ch, false
}

// numberOf is the record's sequence number, which Lambda knows it by.
func numberOf(record json.RawMessage) string {
	var r struct {
		DynamoDB struct{ SequenceNumber string } `json:"dynamodb"`
	}
	_ = json.Unmarshal(record, &r) // what has none is ""
	return r.DynamoDB.SequenceNumber
}
