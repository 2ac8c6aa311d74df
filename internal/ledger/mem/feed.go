package mem

import (
	"context"
	"strconv"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// Next implements ledger.Feed.
func (s *Store) Next(ctx context.Context, t schema.Table, consumer string, limit int) ([]ledger.Change, error) {
	if !ledger.HasStream(t) || consumer == "" || limit < 1 {
		return nil, ledger.ErrInvalid
	}
	name := string(t) + "/" + consumer
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.mu.Lock()
		from, wake := s.read[name], s.wake
		if all := s.changes[t]; from < len(all) {
			to := min(from+limit, len(all))
			s.read[name] = to
			batch := make([]ledger.Change, 0, to-from)
			for _, c := range all[from:to] {
				c.Item = c.Item.Clone()
				batch = append(batch, c)
			}
			s.mu.Unlock()
			return batch, nil
		}
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-wake:
		}
	}
}

// Done implements ledger.Feed.
func (s *Store) Done(_ context.Context, t schema.Table, consumer string, last ledger.Change) error {
	n, err := strconv.Atoi(last.Position)
	if err != nil {
		return ledger.ErrInvalid
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := string(t) + "/" + consumer
	s.done[name] = max(s.done[name], n)
	return nil
}

// Rewind hands out again what was not marked Done, as a new process would see
// it.
func (s *Store) Rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.read {
		s.read[name] = s.done[name]
	}
}
