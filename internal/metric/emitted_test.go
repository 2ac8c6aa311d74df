package metric_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"onefold/internal/schema"
)

// row is something that happens, and what the log measures of it: function,
// metric and number, of counts the sum and of levels the latest.
type row struct {
	name string
	do   func(w *world)
	want []string
}

// TestEachMetricIsEmittedByWhatItCounts: and a metric that nothing emits, a
// function that does not emit what the catalogue says it does, or one that
// emits what the catalogue does not know, fails.
func TestEachMetricIsEmittedByWhatItCounts(t *testing.T) {
	t.Parallel()
	listed := map[emission]bool{}
	for _, r := range slices.Concat(inboundRows(), decisionRows(), sendRows(), feedbackRows(), crmRows(), peopleRows(), sweepRows(), batchRows()) {
		for _, want := range r.want {
			f := strings.Fields(want)
			listed[emission{schema.Function(f[0]), f[1]}] = true
		}
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r.do(w)
			for _, want := range r.want {
				f := strings.Fields(want)
				w.measured(emission{schema.Function(f[0]), f[1]}, f[2])
			}
			for at, s := range w.seen {
				m, known := schema.MetricOf(at.metric)
				if !known || !slices.Contains(m.By, at.by) || s.unit != string(m.Unit) {
					t.Errorf("%s emits %s in %s: not as catalogued", at.by, at.metric, s.unit)
				}
			}
		})
	}
	for _, m := range schema.Metrics() {
		for _, f := range m.By {
			if !listed[emission{f, m.Name}] {
				t.Errorf("%s of %s is emitted in no row", m.Name, f)
			}
		}
	}
}

func (w *world) measured(at emission, want string) {
	w.t.Helper()
	s := w.seen[at]
	if s == nil {
		w.t.Errorf("%s does not emit %s; seen %v", at.by, at.metric, w.names(at.by))
		return
	}
	n := s.total
	if m, _ := schema.MetricOf(at.metric); m.Gauge {
		n = s.last
	}
	if fmt.Sprint(n) != want {
		w.t.Errorf("%s of %s is %v, want %s", at.metric, at.by, n, want)
	}
}

func (w *world) names(by schema.Function) []string {
	var names []string
	for at, s := range w.seen {
		if at.by == by {
			names = append(names, fmt.Sprint(at.metric, " ", s.total))
		}
	}
	slices.Sort(names)
	return names
}
