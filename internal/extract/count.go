package extract

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"onefold/internal/decide"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/metric"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
)

// measured is what a committed decision counts, as one attribute without a
// name. An event that is in review was decided by a person's answer.
func (s *Service) measured(e inbound.Event, res decide.Result) slog.Attr {
	counts := []slog.Attr{
		metric.Count(schema.ContactsCreated, made(res.Commit, ledger.Contact)),
		metric.Count(schema.IntentsMade, made(res.Commit, ledger.Intent)),
		metric.Count(schema.ReviewsOpened, made(res.Commit, ledger.ReviewTask)),
	}
	once := func(name string) { counts = append(counts, metric.Count(name, 1)) }
	byPerson := e.State == inbound.InReview
	switch {
	case res.Outcome != decide.Referred:
		once(schema.EventsDecided)
		if !byPerson {
			counts = append(counts, metric.Seconds(schema.DecisionTime, s.Now().Sub(e.ReceivedAt.Std())))
		}
	case !byPerson:
		once(schema.EventsReferred)
		if anyOf(res.Reasons, match.ReasonSeveral, match.ReasonSharedInbox, match.ReasonFieldConflict) {
			once(schema.MatchesAmbiguous)
			once(schema.DuplicatesSuspected)
		}
		if anyOf(res.Reasons, "possible_opt_out", "opt_out_words") {
			once(schema.OptOutsDoubtful)
		}
	}
	switch res.Outcome {
	case inbound.Folded:
		once(schema.DuplicatesPrevented)
	case inbound.Suppressed:
		once(schema.SuppressionBlocks)
	case inbound.OptedOut:
		once(schema.OptOuts)
	}
	return slog.GroupAttrs("", counts...)
}

func anyOf(reasons []string, words ...string) bool {
	return slices.ContainsFunc(reasons, func(r string) bool { return slices.Contains(words, r) })
}

// made counts the items of a kind that a commit makes.
func made(c ledger.Commit, entity ledger.Entity) int {
	n := 0
	for _, w := range c.Writes {
		if w.Op == ledger.OpCreate && w.Key.Entity == entity {
			n++
		}
	}
	return n
}

// countConflict counts a commit that was refused since it would have made what
// is there already: somebody was quicker with the same identity or cause.
func (s *Service) countConflict(ctx context.Context, e inbound.Event, c ledger.Commit, err error) {
	r, refused := ledger.AsRefused(err)
	if !refused {
		return
	}
	taken := func(f ledger.Failure) bool {
		return f.Current != nil && slices.ContainsFunc(c.Writes, func(w ledger.Write) bool { return w.Op == ledger.OpCreate && w.Key == f.Key })
	}
	if at := slices.IndexFunc(r.Failures, taken); at >= 0 {
		s.Log.LogAttrs(ctx, slog.LevelInfo, "event is decided again", slog.String("event", decide.LogID(e.Tenant, e.ID)),
			slog.String("entity", string(r.Failures[at].Key.Entity)), metric.Count(schema.UniqueConflicts, 1))
	}
}

// countInProgress counts an event that this worker leaves to another.
func (s *Service) countInProgress(ctx context.Context, e inbound.Event, why string) {
	s.Log.LogAttrs(ctx, slog.LevelInfo, "event is another worker's", slog.String("event", decide.LogID(e.Tenant, e.ID)),
		slog.String("reason", why), metric.Count(schema.InProgressConflicts, 1))
}

// askReader asks once, validates, and says what came of it. What an answer
// used up has been used up whether or not it is stored.
func (s *Service) askReader(ctx context.Context, e inbound.Event, source reader.Source) (reader.Reading, error) {
	began := s.Now()
	reading, used, err := s.readFor(ctx, e.Tenant, source)
	attrs := []slog.Attr{
		slog.String("tenant", e.Tenant), slog.String("event", decide.LogID(e.Tenant, e.ID)), slog.String("model", cmp.Or(reading.Model, s.Reader.Model())), slog.Int64("attempt", e.Attempt),
		metric.Count(schema.ReaderCalls, 1), metric.Milliseconds(schema.ReaderTime, s.Now().Sub(began)),
		metric.Count(schema.ReaderInputTokens, int(used.InputTokens)), metric.Count(schema.ReaderOutputTokens, int(used.OutputTokens)),
		metric.Amount(schema.ReaderCost, used.CostUSD),
	}
	if err != nil {
		s.logNoAnswer(ctx, err, attrs)
		return reading, err
	}
	record, reasons := reader.Validate(source, reading.Record)
	if record.NeedsHumanReview {
		attrs = append(attrs, metric.Count(schema.ReaderAbstentions, 1))
	}
	corrections := slices.DeleteFunc(slices.Clone(reasons), func(r string) bool { return r == reader.SenderDiffers })
	s.Log.LogAttrs(ctx, slog.LevelInfo, "reader answered", append(attrs, metric.Count(schema.ReaderCorrections, len(corrections)))...)
	reading.Record, reading.Reasons = record, append(reasons, reading.Reasons...)
	return reading, nil
}

// readFor asks in the fullest way that the reader has.
func (s *Service) readFor(ctx context.Context, tenantID string, source reader.Source) (reader.Reading, reader.Usage, error) {
	var reading reader.Reading
	var used reader.Usage
	var err error
	switch r := s.Reader.(type) {
	case reader.Accounted:
		return r.ReadFor(ctx, tenantID, source)
	case reader.Metered:
		reading.Record, used, err = r.ExtractMetered(ctx, source)
	default:
		reading.Record, err = r.Extract(ctx, source)
	}
	return reading, used, err
}

// logNoAnswer tells why there is none. That a reader is busy is no failure; that
// it is set up wrongly concerns every event and must be seen at once.
func (s *Service) logNoAnswer(ctx context.Context, err error, attrs []slog.Attr) {
	outcome, reason := reader.OutcomeOf(err)
	attrs = append(attrs, slog.String("outcome", string(outcome)), slog.String("reason", reason), slog.String("error", err.Error()))
	switch outcome {
	case reader.Busy:
		s.Log.LogAttrs(ctx, slog.LevelInfo, "reader is busy", attrs...)
	case reader.Misconfigured:
		s.Log.LogAttrs(ctx, slog.LevelError, "reader is set up wrongly", append(attrs, slog.String("alarm", "reader_misconfigured"), metric.Count(schema.ReaderFailures, 1))...)
	default:
		s.Log.LogAttrs(ctx, slog.LevelWarn, "reader gave no answer", append(attrs, metric.Count(schema.ReaderFailures, 1))...)
	}
}
