package local_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"onefold/internal/local"
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
