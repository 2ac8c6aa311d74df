package extract

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"onefold/internal/decide"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/wish"
	"onefold/internal/record/inbound"
)

// holdFirst commits the hold for doubtful words before the reader is asked, on
// the event as this worker claimed it: a worker that is late must not hold
// again what a person has let go. Doing it again changes nothing.
func (s *Service) holdFirst(ctx context.Context, e inbound.Event, policy tenant.Policy, facts decide.Facts) error {
	if facts.OptOut.Verdict != wish.OptOutDoubtful {
		return nil
	}
	for try := range MaxDecideTries {
		c, err := read(ctx, s, s.input(e, policy, facts, nil, nil), decide.HoldFirst)
		if err != nil || len(c.Writes) == 0 {
			return err
		}
		if done, err := s.early(ctx, c, try, "hold before reading"); done || err != nil {
			return err
		}
	}
	return errors.New("hold before reading: the ground kept changing")
}

// early makes a commit on an event that is still to be decided, and waits where
// what it stands on has moved: then it is not done, and is made anew.
// errSettled: the event itself has moved.
func (s *Service) early(ctx context.Context, c ledger.Commit, try int, what string) (done bool, err error) {
	err = s.Store.Commit(ctx, c)
	if err == nil {
		return true, nil
	}
	if r, refused := ledger.AsRefused(err); refused {
		if _, moved := r.By("event"); moved {
			return false, errSettled
		}
	} else if !errors.Is(err, ledger.ErrContention) {
		return false, fmt.Errorf("%s: %w", what, err)
	}
	return false, pause(ctx, time.Duration(1+rand.IntN(10<<try))*time.Millisecond)
}
