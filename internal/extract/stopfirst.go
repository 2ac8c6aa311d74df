package extract

import (
	"context"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/inbound"
)

// stopFirst commits what a report that names more addresses than the deciding
// commit holds comes to, some of them at a time, on the event as this worker
// claimed it or as the person who answers saw it. Doing it again changes
// nothing.
func (s *Service) stopFirst(ctx context.Context, e inbound.Event, policy tenant.Policy, facts content.Facts, q *answered) error {
	if len(facts.Failed)+len(facts.Returned) < decide.MaxStops {
		return nil
	}
	for left := true; left; { // each commit leaves fewer addresses
		err := ledger.Retry(ctx, MaxDecideTries, func() (again bool, err error) {
			c, err := read(ctx, s, s.input(e, policy, facts, nil, q), decide.StopFirst)
			if err != nil || len(c.Writes) == 0 {
				left = false
				return false, err
			}
			return s.early(ctx, c, "stop the addresses of a report")
		})
		if err != nil {
			return err
		}
	}
	return nil
}
