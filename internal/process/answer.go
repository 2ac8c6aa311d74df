package process

import (
	"context"
	"errors"
	"fmt"

	"onefold/internal/flow"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/review"
)

// ErrNotOpen means that the task is answered already, or asks for something
// else. Whoever answered looks at it again.
var ErrNotOpen = errors.New("process: the task is not open")

// ErrStillOpen means that the answer did not settle the question, and the task
// now shows why.
var ErrStillOpen = errors.New("process: the task stays open")

// Answer decides a task of kind DecideEvent as a person said. The same rules
// apply as without a person; only what he has seen is not asked again. If the
// ground changed while he looked, his answer is judged on the ground as it is
// now, and where that raises a new question the task stays open.
func (s *Service) Answer(ctx context.Context, t review.Task, a flow.Answer) error {
	if t.Kind != review.DecideEvent || t.State != review.Open {
		return ErrNotOpen
	}
	e, err := s.event(ctx, t.Tenant, t.Event)
	if err != nil {
		return err
	}
	if e == nil || e.State != inbound.InReview || e.Review != t.ID {
		return ErrNotOpen
	}
	err = s.decide(ctx, *e, &a)
	if errors.Is(err, errSettled) {
		return ErrNotOpen
	}
	if err != nil {
		return fmt.Errorf("answer task %s: %w", t.ID, err)
	}
	it, err := s.Store.Get(ctx, ledger.Key{Entity: ledger.ReviewTask, Tenant: t.Tenant, ID: t.ID})
	if err != nil {
		return fmt.Errorf("read task %s: %w", t.ID, err)
	}
	if it.Text("state") == review.Open {
		return ErrStillOpen
	}
	return nil
}
