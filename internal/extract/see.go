package extract

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/inbound"
)

// read asks a question of package decide, and reads what it lacks. The reads are
// not of one moment; the commit's conditions make up for it.
func read[T any](
	ctx context.Context, s *Service, in decide.Input, question func(decide.Input, decide.Snapshot, digest.Key) (T, []decide.Missing, error),
) (T, error) {
	res, err := decide.Read(in, s.IDs, question, func(keys []ledger.Key) ([]ledger.Item, error) {
		var items []ledger.Item
		for some := range slices.Chunk(keys, ledger.MaxKeys) {
			rows, err := s.Store.GetMany(ctx, some)
			if err != nil {
				return nil, err
			}
			items = append(items, rows...)
		}
		return items, nil
	})
	if errors.Is(err, decide.ErrTaskMoved) {
		err = errSettled
	}
	return res, err
}

// logDecision says what came of an event, without a word of it.
func (s *Service) logDecision(ctx context.Context, e inbound.Event, res decide.Result) {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "event decided",
		slog.String("tenant", e.Tenant), slog.String("event", decide.LogID(e.Tenant, e.ID)), slog.String("outcome", res.Outcome),
		slog.String("reasons", strings.Join(res.Reasons, ",")), slog.String("contact", res.Contact),
		slog.String("intent", res.Intent), slog.String("task", res.Task), s.measured(e, res))
}
