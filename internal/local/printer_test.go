package local_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"onefold/internal/local"
	"onefold/internal/metric"
	"onefold/internal/schema"
)

func TestARecordIsOneLine(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := errors.Join(errors.New("first"), errors.New("second\r\n"))
	slog.New(local.NewPrinter(&out, slog.LevelInfo)).With("error", err).Warn("two\nfaults", "other", "a\rb")
	got := strings.TrimSuffix(out.String(), "\n")
	if strings.ContainsAny(got, "\r\n") || !strings.Contains(got, "two; faults") ||
		!strings.Contains(got, "error=first; second  other=a; b") {
		t.Errorf("printed %q", got)
	}
}

// The sweeper measures in every run: people would read nothing else.
func TestNumbersForMachinesAreNotPrinted(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := slog.New(local.NewPrinter(&out, slog.LevelInfo))
	log.LogAttrs(t.Context(), slog.LevelInfo, "swept", metric.Level(schema.RowsDue, 0), metric.Count(schema.RowsNudged, 0))
	log.LogAttrs(t.Context(), slog.LevelInfo, "decided", slog.String("outcome", "folded"), metric.Count(schema.SendsRejected, 0),
		slog.GroupAttrs("", metric.Count(schema.EventsDecided, 1), slog.String("reason", "same_cause")))
	log.LogAttrs(t.Context(), slog.LevelInfo, "ready")
	got := out.String()
	for _, no := range []string{"swept", "Events", "Sends", "nil", "=["} {
		if strings.Contains(got, no) {
			t.Errorf("%q is printed: %q", no, got)
		}
	}
	for _, yes := range []string{"decided", "outcome=folded", "reason=same_cause", "ready"} {
		if !strings.Contains(got, yes) {
			t.Errorf("%q is not printed: %q", yes, got)
		}
	}
}
