package evidence

import (
	"context"
	"log/slog"

	"onefold/internal/metric"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
)

// learnt is what a piece of evidence says beyond itself. It is counted once
// its commit has answered.
type learnt struct {
	reconciled   bool // an outcome that was not known, or whose lease had lapsed, is known
	contradicted bool // the provider says what it had denied, or takes back what it had said
	second       bool // another submission of the same intent had been accepted before
	allowed      bool // and somebody had accepted that this may happen
}

func learn(ev Evidence, i followup.Intent, a followup.Attempt) learnt {
	news := a.State != followup.AttemptAccepted && a.Reason != contradicted
	l := learnt{
		reconciled:   a.State == followup.AttemptUnknown || a.State == followup.AttemptBegun && !ev.Now.Before(a.LeaseUntil),
		contradicted: ev.Kind == Dropped || news && !followup.AttemptMachine().Can(a.State, followup.Evidence),
	}
	// An intent is accepted with the attempt by which it became so, in one
	// commit; by a person alone it is without any. An attempt that only now
	// turns out to have been taken is another one.
	l.second = news && i.State == followup.Accepted && i.Reason != countedAsSent
	l.allowed = i.Resends > 0
	return l
}

// countedAsSent is the reason of an intent that a person counts as sent.
const countedAsSent = "person_counts_as_sent"

// contradicted is the reason of an attempt that the provider denied and then
// reported.
const contradicted = "contradicted"

func (l learnt) log(ctx context.Context, log *slog.Logger, ev Evidence) {
	var counts []slog.Attr
	level := slog.LevelInfo
	if l.reconciled {
		counts = append(counts, metric.Count(schema.TimeoutsReconciled, 1))
	}
	if l.contradicted {
		level = slog.LevelWarn
		counts = append(counts, metric.Count(schema.ResponseMismatches, 1))
	}
	if l.second {
		level = slog.LevelWarn
		counts = append(counts, metric.Count(schema.DuplicateSubmissions, 1))
		if !l.allowed {
			level = slog.LevelError
			counts = append(counts, slog.String("alarm", "duplicate_submission"), metric.Count(schema.DuplicateMessageIDs, 1))
		}
	}
	if len(counts) == 0 {
		return
	}
	log.LogAttrs(ctx, level, "evidence changed what was known", append([]slog.Attr{slog.String("tenant", ev.Tenant), slog.String("intent", ev.Intent),
		slog.Int64("attempt", ev.Attempt), slog.String("kind", ev.Kind)}, counts...)...)
}
