// Package metric lets a log line measure what it tells: an attribute made here
// is a number in the log and, where the handler knows it, a metric.
//
// Its invariant: what is counted and what is told are one line, so neither is
// lost without the other. It names no metric itself (schema does), keeps no
// sums, and carries no dimension: whose mail it was stands in the line alone.
package metric

import (
	"log/slog"
	"time"

	"onefold/internal/schema"
)

// Reading is one number that a log record measures. To a handler that does not
// know it, it is that number.
type Reading struct {
	name string
	unit schema.Unit
	n    float64
}

// Name is the metric's, of the catalogue in schema.
func (r Reading) Name() string { return r.name }

// Unit is CloudWatch's word.
func (r Reading) Unit() string { return string(r.unit) }

// Number is the value in that unit.
func (r Reading) Number() float64 { return r.n }

// LogValue implements slog.LogValuer.
func (r Reading) LogValue() slog.Value {
	if n := int64(r.n); float64(n) == r.n {
		return slog.Int64Value(n)
	}
	return slog.Float64Value(r.n)
}

// Count says that something happened n times. Of nothing it is the empty
// attribute, which handlers leave out: what is idle costs nothing.
//
// Whoever counts does so after the commit by which it happened, so that a
// repeated attempt does not count twice. A commit whose answer is lost counts
// for nobody: a count may be too low after a fault and is never too high,
// except that CloudWatch itself may deliver a line twice.
func Count(name string, n int) slog.Attr {
	if n == 0 {
		return slog.Attr{}
	}
	return reading(name, schema.Count, float64(n))
}

// Level says how many there are now; none too.
func Level(name string, n int) slog.Attr { return reading(name, schema.Count, float64(n)) }

// Seconds says how long, for what takes seconds or longer. A clock that was put
// back meanwhile makes it 0, as in Milliseconds.
func Seconds(name string, d time.Duration) slog.Attr {
	return reading(name, schema.Seconds, max(d, 0).Seconds())
}

// Milliseconds says how long, for what takes less.
func Milliseconds(name string, d time.Duration) slog.Attr {
	return reading(name, schema.Milliseconds, float64(max(d, 0))/float64(time.Millisecond))
}

// Amount is a number without a unit of CloudWatch, such as money; nothing of
// it is the empty attribute.
func Amount(name string, n float64) slog.Attr {
	if n == 0 {
		return slog.Attr{}
	}
	return reading(name, schema.NoUnit, n)
}

func reading(name string, u schema.Unit, n float64) slog.Attr {
	return slog.Any(name, Reading{name, u, n})
}

// Of is the reading in an attribute, if it is one.
func Of(a slog.Attr) (Reading, bool) {
	if a.Value.Kind() != slog.KindLogValuer {
		return Reading{}, false
	}
	r, ok := a.Value.Any().(Reading)
	return r, ok
}
