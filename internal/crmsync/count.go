package crmsync

import (
	"context"
	"log/slog"

	"onefold/internal/crm"
	"onefold/internal/metric"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
)

// logStored counts an outcome whose commit has answered. event is what became
// of the operation.
func (s *Service) logStored(ctx context.Context, op outbox.Operation, event string, res crm.Result) {
	var counts []slog.Attr
	once := func(name string) { counts = append(counts, metric.Count(name, 1)) }
	switch event {
	case outbox.Finish:
		once(schema.CRMDone)
	case outbox.Refuse:
		once(schema.CRMRefused)
	case outbox.Park:
		once(schema.RowsParked)
	default:
		once(schema.CRMRetried)
	}
	if res.Adopted {
		once(schema.CRMAdopted)
	}
	if res.Outcome == crm.Conflict {
		once(schema.ResponseMismatches)
	}
	if res.Adopted || res.Outcome == crm.Conflict {
		once(schema.DuplicatesSuspected)
	}
	// Refused, or done: by either the CRM says what it has.
	if op.Reconciles && (event == outbox.Finish || event == outbox.Refuse) {
		once(schema.TimeoutsReconciled)
	}
	if event == outbox.Park || event == outbox.Refuse {
		s.alarm(ctx, op, res.Reason, counts...)
		return
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "crm outcome stored", append([]slog.Attr{slog.String("tenant", op.Tenant), slog.String("operation", op.ID)}, counts...)...)
}

// countInProgress counts an operation that this worker leaves to another.
func (s *Service) countInProgress(ctx context.Context, op outbox.Operation, why string) {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "crm operation is another worker's", slog.String("tenant", op.Tenant), slog.String("operation", op.ID),
		slog.String("reason", why), metric.Count(schema.InProgressConflicts, 1))
}
