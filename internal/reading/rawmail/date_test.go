package rawmail_test

import (
	"testing"
	"time"

	"onefold/internal/reading/rawmail"
)

// The names are those of RFC 5322 section 4.3; all others are -0000 there.
func TestAZonesNameIsReadAsTheStandardHasIt(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 1, 5, 15, 0, 0, 0, time.UTC)
	for _, date := range []string{
		"Mon, 5 Jan 2026 15:00:00 GMT", "Mon, 5 Jan 2026 15:00:00 UT", "Mon, 5 Jan 2026 15:00:00 Z",
		"Mon, 5 Jan 2026 10:00:00 EST", "Mon, 5 Jan 2026 11:00:00 EDT", "Mon, 5 Jan 2026 09:00:00 CST", "Mon, 5 Jan 2026 10:00:00 CDT",
		"5 Jan 2026 08:00:00 MST", "5 Jan 2026 09:00 MDT", "Mon, 5 Jan 2026 07:00:00 PST", "Mon, 5 Jan 2026 08:00:00 pdt (Pacific)",
		"Mon, 5 Jan 2026 15:00:00 CET", "Monday, 05-Jan-26 10:00:00 EST", "Mon, 5 Jan 2026 16:00:00 +0100 (CET)", "Mon, 5 Jan 2026 15:00:00",
	} {
		m := rawmail.Parse([]byte("From: ann@example.com\nDate: "+date+"\nSubject: Huts\n\nHello\n"), nil)
		if !m.Date.Equal(want) {
			t.Errorf("%s: %v, warnings %v", date, m.Date, m.Warnings)
		}
	}
}
