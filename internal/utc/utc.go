// Package utc holds the one form of time that Onefold stores: UTC, whole
// milliseconds, in a fixed-width text that sorts as the time does.
//
// Fixed width is the reason the package exists: conditions in the ledger
// compare times as text, so 2026-01-02T03:04:05.000Z must never be written as
// 2026-01-02T03:04:05Z.
package utc

import (
	"encoding/json"
	"fmt"
	"time"
)

// Layout is the stored form, 24 bytes, always UTC, always three decimals.
const Layout = "2006-01-02T15:04:05.000Z"

// Time is a moment in UTC at millisecond precision. The zero value means
// "none" and encodes as an empty text; with the json option omitzero the
// attribute is left out.
type Time struct{ t time.Time }

// At converts a time, dropping what is finer than a millisecond.
func At(t time.Time) Time {
	if t.IsZero() {
		return Time{}
	}
	return Time{t.UTC().Truncate(time.Millisecond)}
}

// Parse reads the stored form. Any other form is an error.
func Parse(s string) (Time, error) {
	if s == "" {
		return Time{}, nil
	}
	t, err := time.Parse(Layout, s)
	if err != nil {
		return Time{}, fmt.Errorf("read stored time: %w", err)
	}
	return Time{t.UTC()}, nil
}

// String is the stored form; of the zero value, "".
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return t.t.Format(Layout)
}

// IsZero tells whether there is no time.
func (t Time) IsZero() bool { return t.t.IsZero() }

// Std is the time as the standard library has it.
func (t Time) Std() time.Time { return t.t }

// Add moves the time by d, at millisecond precision.
func (t Time) Add(d time.Duration) Time { return At(t.t.Add(d)) }

// Sub is t − u.
func (t Time) Sub(u Time) time.Duration { return t.t.Sub(u.t) }

// Before tells whether t is earlier than u.
func (t Time) Before(u Time) bool { return t.t.Before(u.t) }

// After tells whether t is later than u.
func (t Time) After(u Time) bool { return t.t.After(u.t) }

// MarshalJSON writes the stored form.
func (t Time) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// UnmarshalJSON reads the stored form.
func (t *Time) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("read stored time: %w", err)
	}
	parsed, err := Parse(s)
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}
