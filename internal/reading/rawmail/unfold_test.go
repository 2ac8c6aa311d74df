package rawmail_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/rawmail"
)

// fastest is the best of five readings, so that a busy machine does not count.
func fastest(raw []byte) time.Duration {
	best := time.Hour
	for range 5 {
		began := time.Now()
		rawmail.Parse(raw, nil)
		best = min(best, time.Since(began))
	}
	return best
}

// TestUnfoldingIsLinear: four times the lines cost sixteen times as much where
// each line makes the value anew. The bound lies between the two, and a header
// of a megabyte is read in less than a second whatever the machine.
func TestUnfoldingIsLinear(t *testing.T) {
	for name, line := range map[string]string{"short lines": "\n x", "blank lines": "\n ", "long lines": "\n " + strings.Repeat("y", 60)} {
		header := func(n int) []byte {
			return []byte("From: ann@example.com\nX-Long: a" + strings.Repeat(line, n) + "\nSubject: after\n\nHello\n")
		}
		one, four := fastest(header(4_000)), fastest(header(16_000))
		if four > 8*one+20*time.Millisecond {
			t.Errorf("%s: 4 times the lines took %v instead of %v", name, four, one)
		}
		if took := fastest(header(1 << 20 / len(line))); took > time.Second {
			t.Errorf("%s: a megabyte took %v", name, took)
		}
	}
}

func TestContinuationLinesAreBounded(t *testing.T) {
	t.Parallel()
	m := parse("From: ann@example.com\nX-Long: a" + strings.Repeat("\n ", 400_000) + "\nSubject: after\n\nHello\n")
	if !slices.Contains(m.Warnings, "header_truncated") || m.Subject != "after" || m.Text != "Hello\n" && m.Text != "Hello" {
		t.Errorf("warnings %v, subject %q, text %q", m.Warnings, m.Subject, m.Text)
	}
}

func TestFoldedValuesAreJoinedByASpace(t *testing.T) {
	t.Parallel()
	m := parse("From: ann@example.com\nSubject: one\n two\r\n\tthree  \nReferences: <a@x.example>\n <b@x.example>\n\nHi\n")
	if m.Subject != "one two three" || !slices.Equal(m.References, []string{"a@x.example", "b@x.example"}) {
		t.Errorf("%q %v", m.Subject, m.References)
	}
	if m := parse("From: ann@example.com\nSubject: last\n line"); m.Subject != "last line" {
		t.Errorf("%q", m.Subject)
	}
}
