package console

import (
	"context"
	"log/slog"
	"slices"

	"onefold/internal/decide/match"
	"onefold/internal/metric"
	"onefold/internal/record/review"
	"onefold/internal/schema"
)

// logAnswer counts an answer that has been carried out, and how far it agrees
// with what the task proposed. Who answered is in the audit, not in the log.
func (s *Service) logAnswer(ctx context.Context, t review.Task, a Form) {
	agreed := schema.ReviewsApproved
	switch {
	case a.Action == Reject:
		agreed = schema.ReviewsRejected
	case a.Action == CountAsSent || a.Address != "":
		agreed = schema.ReviewsEdited
	}
	ofMatch := 0
	if t.Kind == review.DecideEvent && slices.ContainsFunc(t.Reasons, ofIdentity) {
		ofMatch = 1
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "task answered", slog.String("tenant", t.Tenant), slog.String("task", t.ID), slog.String("kind", t.Kind),
		slog.String("action", a.Action), metric.Count(schema.ReviewsAnswered, 1), metric.Count(agreed, 1), metric.Count(schema.MatchReviewsAnswered, ofMatch))
}

// ofIdentity tells whether a reason asks whose an event is.
func ofIdentity(reason string) bool {
	switch reason {
	case match.ReasonNoKey, match.ReasonBadAddress, match.ReasonSharedInbox, match.ReasonOwnAddress, match.ReasonRoleAddress,
		match.ReasonSeveral, match.ReasonFieldConflict, match.ReasonContactErased, match.ReasonPhoneShared, match.ReasonDisputed:
		return true
	}
	return false
}
