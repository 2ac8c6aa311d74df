package send

import (
	"context"
	"log/slog"

	"onefold/internal/mailer"
	"onefold/internal/metric"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
)

// logOutcome says what the provider answered, before it is stored: should that
// fail, the log alone knows.
func (s *Service) logOutcome(ctx context.Context, i followup.Intent, res mailer.Result) {
	level := slog.LevelInfo
	if res.Outcome == mailer.Unknown || res.Halt {
		level = slog.LevelWarn
	}
	s.Log.LogAttrs(ctx, level, "submission", slog.String("tenant", i.Tenant), slog.String("intent", i.ID), slog.Int64("attempt", i.Attempt),
		slog.String("outcome", string(res.Outcome)), slog.String("reason", res.Reason), slog.String("message_id", res.MessageID))
}

// logStored counts an outcome whose commit has answered. One that committed
// without an answer is counted by nobody.
func (s *Service) logStored(ctx context.Context, i followup.Intent, res mailer.Result) {
	halted := 0
	if res.Halt {
		halted = 1
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "outcome stored", intentAttr(i), slog.Int64("attempt", i.Attempt),
		metric.Count(outcomeMetric(res.Outcome), 1), metric.Count(schema.SendsHalted, halted))
}

// logLate counts an outcome that its intent could not follow.
func (s *Service) logLate(ctx context.Context, i followup.Intent, a followup.Attempt, res mailer.Result) {
	reconciled := 0
	if a.State == followup.AttemptUnknown || !s.now().Before(a.LeaseUntil) {
		reconciled = 1
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "outcome stored late", intentAttr(i), slog.Int64("attempt", a.Number),
		metric.Count(outcomeMetric(res.Outcome), 1), metric.Count(schema.TimeoutsReconciled, reconciled))
}

func outcomeMetric(o mailer.Outcome) string {
	switch o {
	case mailer.Accepted:
		return schema.SendsAccepted
	case mailer.Rejected:
		return schema.SendsRejected
	case mailer.Throttled, mailer.NotBegun:
		return schema.SendsThrottled
	case mailer.Unknown:
	}
	return schema.SendsUnknown
}

// referred is what putting an intent before a person counts.
func referred(i followup.Intent, reason string) []slog.Attr {
	counts := []slog.Attr{metric.Count(schema.ReviewsOpened, 1)}
	if i.State == followup.Unknown {
		counts = append(counts, metric.Count(schema.UnknownReferred, 1))
	}
	if reason == "opt_out_in_doubt" {
		counts = append(counts, metric.Count(schema.SuppressionBlocks, 1))
	}
	return counts
}

// leave leaves an intent to whoever has it.
func (s *Service) leave(ctx context.Context, i followup.Intent, why string) error {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "intent is another worker's", intentAttr(i), slog.String("reason", why),
		metric.Count(schema.InProgressConflicts, 1))
	return nil
}

// logFeed measures how old the latest sign of life of the provider's feed is:
// one read for each probe. That it cannot be read, or that there never was any
// sign, is no age.
func (s *Service) logFeed(ctx context.Context) {
	if at, err := s.feedAliveAt(ctx); err == nil && !at.IsZero() {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "feed of the provider's events", metric.Seconds(schema.FeedAge, s.now().Sub(at)))
	}
}

func intentAttr(i followup.Intent) slog.Attr {
	return slog.GroupAttrs("", slog.String("tenant", i.Tenant), slog.String("intent", i.ID))
}
