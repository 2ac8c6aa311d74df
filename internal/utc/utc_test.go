package utc_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/utc"
)

func TestTheStoredFormHasOneWidth(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("CET", 3600)
	for want, in := range map[string]time.Time{
		"2026-01-02T03:04:05.000Z": time.Date(2026, 1, 2, 4, 4, 5, 0, berlin),
		"2026-01-02T03:04:05.006Z": time.Date(2026, 1, 2, 3, 4, 5, 6_999_999, time.UTC), // cut, not rounded
		"":                         {},
	} {
		if got := utc.At(in).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, bad := range []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.1Z", "2026-01-02T04:04:05.000+01:00", "2026-13-02T03:04:05.000Z", "x"} {
		if _, err := utc.Parse(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// TestTextsSortAsTimesDo: conditions in the ledger compare the texts.
func TestTextsSortAsTimesDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		moment := rapid.Map(rapid.Int64Range(0, 4_102_444_800_000), func(ms int64) utc.Time { return utc.At(time.UnixMilli(ms)) })
		a, b := moment.Draw(t, "a"), moment.Draw(t, "b")
		if a.Before(b) != (a.String() < b.String()) || a.After(b) != (a.String() > b.String()) {
			t.Fatalf("%s and %s", a, b)
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back utc.Time
		if err := json.Unmarshal(text, &back); err != nil || back != a {
			t.Fatalf("%s came back as %s: %v", a, back, err)
		}
		d := time.Duration(rapid.Int64Range(-1e9, 1e9).Draw(t, "ms")) * time.Millisecond
		if a.Add(d).Sub(a) != d {
			t.Fatalf("%s and %s", a, d)
		}
	})
}
