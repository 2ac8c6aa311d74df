package extract

import (
	"context"
	"errors"
	"fmt"

	"onefold/internal/decide"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

// ErrNotOpen means that the task is answered already, or asks for something
// else. Whoever answered looks at it again.
var ErrNotOpen = errors.New("extract: the task is not open")

// ErrStillOpen means that the answer did not settle the question, and the task
// now shows why.
var ErrStillOpen = errors.New("extract: the task stays open")

// Answer decides a task of kind DecideEvent as a person said. The same rules
// apply as without a person; only the reasons that he was shown are not asked
// again. t is the task as he was shown it: if it has moved since, his answer
// is to something else and is ErrNotOpen. If what the task stands on changed
// while he looked, his answer is judged on the ground as it is now, and where
// that raises a new question the task stays open and shows it.
func (s *Service) Answer(ctx context.Context, t review.Task, a decide.Answer) error {
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
	res, err := s.decide(ctx, *e, &answered{t, a})
	if errors.Is(err, errSettled) {
		return ErrNotOpen
	}
	if err != nil {
		return fmt.Errorf("answer task %s: %w", t.ID, err)
	}
	if res.Outcome == decide.Referred {
		return ErrStillOpen
	}
	return nil
}
