package tenant

import (
	"encoding/json"
	"errors"
	"strings"
	"time"
)

// Std is the duration as the standard library has it.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String is the short form, without parts that are zero: "72h", "1h30m".
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalJSON writes the short form.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads a text that time.ParseDuration takes. Bounds are
// Parse's matter. The error names no part of the input.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return errors.New(`tenant: a duration is a text such as "72h"`)
	}
	parsed, err := time.ParseDuration(s)
	if err != nil {
		return errors.New(`tenant: a duration is a text such as "72h"`)
	}
	*d = Duration(parsed)
	return nil
}
