package crmsync

import (
	"context"
	"fmt"
	"log/slog"

	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/record/claim"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// supersede ends an operation that needs no call any more.
func (s *Service) supersede(ctx context.Context, op outbox.Operation, reason string) error {
	return s.leave(ctx, op, outbox.Supersede,
		idempotency.Join(idempotency.Complete(reason, s.now()), timerless(), ledger.Item{machine.ReasonAttr: reason}), reason)
}

// park puts an operation before a person, without a call. What became of the
// calls before is not known here.
func (s *Service) park(ctx context.Context, op outbox.Operation, reason string) error {
	if !outbox.Machine().Can(op.State, outbox.Park) {
		return nil
	}
	return s.leave(ctx, op, outbox.Park, idempotency.Join(idempotency.Lost(), timerless(), ledger.Item{machine.ReasonAttr: reason}), reason)
}

// leave makes a transition without a claim, on the row exactly as it was read.
func (s *Service) leave(ctx context.Context, op outbox.Operation, event string, set ledger.Item, reason string) error {
	var c ledger.Commit
	if _, err := c.Move(ledger.Step{
		Name: "operation", Key: operationKey(op), Machine: outbox.Machine(), From: op.State, Transition: op.Transition, Event: event,
		If: ledger.AtVersion(op.Version), Set: set, Audit: s.audit(op, reason),
	}); err != nil {
		return err
	}
	err := s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil // somebody else moved the row
	}
	if err != nil {
		return fmt.Errorf("%s: %w", event, err)
	}
	if event == outbox.Park {
		s.alarm(ctx, op, reason, metric.Count(schema.RowsParked, 1))
	}
	return nil
}

// postpone leaves the operation for later without a claim. The time is meant,
// so the nudges until then do not count against it.
func (s *Service) postpone(ctx context.Context, op outbox.Operation, at utc.Time, reason string) error {
	var c ledger.Commit
	if err := c.Update("operation", operationKey(op), ledger.All(ledger.AtVersion(op.Version), ledger.Is(machine.StateAttr, op.State)),
		ledger.Item{claim.NotBeforeAttr: at, schema.DueAt: at, claim.NudgesAttr: 0, machine.ReasonAttr: reason}); err != nil {
		return err
	}
	return s.commit(ctx, c, "postpone")
}

// commit writes a step; being refused means that somebody else moved the row.
func (s *Service) commit(ctx context.Context, c ledger.Commit, what string) error {
	err := s.Store.Commit(ctx, c)
	if _, refused := ledger.AsRefused(err); refused {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// timerless removes the timers of a row that needs none any more.
func timerless() ledger.Item {
	return ledger.Item{claim.NotBeforeAttr: "", schema.DueAt: "", schema.DueShard: "", "waits_for": ""}
}

func (s *Service) alarm(ctx context.Context, op outbox.Operation, reason string, counts ...slog.Attr) {
	s.Log.LogAttrs(ctx, slog.LevelWarn, "crm operation needs a person", append([]slog.Attr{slog.String("tenant", op.Tenant), slog.String("operation", op.ID),
		slog.String("kind", op.Kind), slog.String("reason", reason), slog.String("alarm", "parked")}, counts...)...)
}
