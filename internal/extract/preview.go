package extract

import (
	"context"
	"fmt"

	"onefold/internal/decide"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
)

// Preview says what would follow if a person answered a task of kind
// DecideEvent with yes now: by the rules that would decide on the answer, and
// nothing is written. What he then answers is judged on the ground of then. A
// task that waits for no answer is ErrNotOpen.
func (s *Service) Preview(ctx context.Context, t review.Task) (decide.Result, error) {
	var none decide.Result
	if t.Kind != review.DecideEvent || t.State != review.Open {
		return none, ErrNotOpen
	}
	e, err := s.event(ctx, t.Tenant, t.Event)
	if err != nil {
		return none, err
	}
	if e == nil || e.State != inbound.InReview || e.Review != t.ID {
		return none, ErrNotOpen
	}
	policy, err := s.Policies.Current(ctx, e.Tenant)
	if err != nil {
		return none, err
	}
	facts, err := s.facts(ctx, *e, policy)
	if err != nil {
		return none, err
	}
	facts.Dropped = false
	q := &answered{t, decide.Answer{Approve: true, By: "person:preview"}}
	var x *reader.Stored
	if decide.Reader(facts) {
		if x, err = s.latest(ctx, *e); err != nil {
			return none, err
		}
	}
	res, err := read(ctx, s, s.input(*e, policy, facts, x, q), decide.Decide)
	if err != nil {
		return none, fmt.Errorf("preview of task %s: %w", t.ID, err)
	}
	return res, nil
}
