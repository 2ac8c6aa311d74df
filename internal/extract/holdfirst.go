package extract

import (
	"context"
	"fmt"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/wish"
	"onefold/internal/record/inbound"
)

// holdFirst commits the hold for doubtful words before the reader is asked, on
// the event as this worker claimed it: a worker that is late must not hold
// again what a person has let go. Doing it again changes nothing.
func (s *Service) holdFirst(ctx context.Context, e inbound.Event, policy tenant.Policy, facts content.Facts) error {
	if facts.OptOut.Verdict != wish.OptOutDoubtful {
		return nil
	}
	return ledger.Retry(ctx, MaxDecideTries, func() (again bool, err error) {
		c, err := read(ctx, s, s.input(e, policy, facts, nil, nil), decide.HoldFirst)
		if err != nil || len(c.Writes) == 0 {
			return false, err
		}
		return s.early(ctx, c, "hold before reading")
	})
}

// early makes a commit on an event that is still to be decided. again: what it
// was made on has moved. errSettled: the event itself has moved.
func (s *Service) early(ctx context.Context, c ledger.Commit, what string) (again bool, err error) {
	err = s.Store.Commit(ctx, c)
	if err == nil {
		return false, nil
	}
	if r, refused := ledger.AsRefused(err); refused {
		if _, moved := r.By("event"); moved {
			return false, errSettled
		}
	}
	return ledger.Moved(err), fmt.Errorf("%s: %w", what, err)
}
