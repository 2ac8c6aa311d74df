package process

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"onefold/internal/flow"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/tenant"
)

// stopFirst commits the stops of a report that names more addresses than the
// deciding commit holds, some at a time, on the event as this worker claimed
// it. Doing it again changes nothing.
func (s *Service) stopFirst(ctx context.Context, e inbound.Event, policy tenant.Policy, facts flow.Facts) error {
	if len(facts.Failed) <= flow.MaxStops {
		return nil
	}
	for try := 0; try < MaxDecideTries; {
		g, err := s.ground(ctx, e, policy, facts, nil, nil)
		if err != nil {
			return err
		}
		c, err := flow.StopFirst(g, s.IDs)
		if err != nil || len(c.Writes) == 0 {
			return err
		}
		err = s.Store.Commit(ctx, c)
		if err == nil {
			continue // each commit leaves fewer
		}
		if r, refused := ledger.AsRefused(err); refused {
			if _, moved := r.By("event"); moved {
				return errSettled
			}
		} else if !errors.Is(err, ledger.ErrContention) {
			return fmt.Errorf("stop the addresses of a report: %w", err)
		}
		if err := pause(ctx, time.Duration(1+rand.IntN(10<<try))*time.Millisecond); err != nil {
			return err
		}
		try++
	}
	return errors.New("stop the addresses of a report: the ground kept changing")
}
