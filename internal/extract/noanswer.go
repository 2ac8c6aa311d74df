package extract

import (
	"context"
	"log/slog"
	"time"

	"onefold/internal/decide"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/reading/reader"
	"onefold/internal/record/claim"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

const (
	// MaxGarbled is how often a reader may answer what is no record.
	MaxGarbled = 2
	// MaxReaderWait is how long after its receipt an event still waits for a
	// reader that is busy. After it a person is asked: a wait without an end is
	// a loss that nobody sees.
	MaxReaderWait = 6 * time.Hour
)

// givesUp says whether a person is asked now, and with what reason; else the
// event comes again.
func (s *Service) givesUp(e inbound.Event, err error) (string, bool) {
	outcome, reason := reader.OutcomeOf(err)
	tried := e.Attempt - e.Waits
	switch {
	case outcome.Settled(), outcome == reader.Garbled && tried >= MaxGarbled:
		return reason, true
	case outcome == reader.Busy:
		return reader.ReasonUnavailable, s.Now().Sub(e.ReceivedAt.Std()) >= MaxReaderWait
	}
	return reader.ReasonUnavailable, tried >= MaxReaderAttempts
}

// wait gives an event back whose reader is busy. It is no failed attempt: the
// bounds on those leave it out.
func (s *Service) wait(ctx context.Context, e inbound.Event) error {
	again := utc.At(s.Now()).Add(Backoff(e.Waits + 1))
	s.Log.LogAttrs(ctx, slog.LevelInfo, "event waits for its reader", slog.String("event", decide.LogID(e.Tenant, e.ID)), slog.Int64("waits", e.Waits+1))
	return s.giveBack(ctx, e, idempotency.Join(idempotency.Release(), ledger.Item{claim.NotBeforeAttr: again, schema.DueAt: again, "waits": e.Waits + 1}))
}
