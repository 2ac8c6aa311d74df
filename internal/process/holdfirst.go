package process

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"onefold/internal/flow"
	"onefold/internal/guard"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/tenant"
)

// holdFirst commits the hold for doubtful words before the reader is asked, on
// the event as this worker claimed it: a worker that is late must not hold
// again what a person has let go. Doing it again changes nothing.
func (s *Service) holdFirst(ctx context.Context, e inbound.Event, policy tenant.Policy, facts flow.Facts) error {
	if facts.OptOut.Verdict != guard.OptOutDoubtful {
		return nil
	}
	for try := range MaxDecideTries {
		g, err := s.ground(ctx, e, policy, facts, nil, nil)
		if err != nil {
			return err
		}
		c, err := flow.HoldFirst(g, s.IDs)
		if err != nil || len(c.Writes) == 0 {
			return err
		}
		err = s.Store.Commit(ctx, c)
		if err == nil {
			return nil
		}
		if r, refused := ledger.AsRefused(err); refused {
			if _, moved := r.By("event"); moved {
				return errSettled
			}
		} else if !errors.Is(err, ledger.ErrContention) {
			return fmt.Errorf("hold before reading: %w", err)
		}
		if err := pause(ctx, time.Duration(1+rand.IntN(10<<try))*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("hold before reading: the ground kept changing")
}
