package metric_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"onefold/internal/metric"
	"onefold/internal/schema"
)

func TestToAHandlerThatKnowsNoMetricsAReadingIsANumber(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	log.LogAttrs(t.Context(), slog.LevelInfo, "m",
		metric.Count(schema.SendsAccepted, 3), metric.Count(schema.SendsRejected, 0), metric.Level(schema.RowsDue, 0),
		metric.Seconds(schema.FeedAge, 90*time.Second), metric.Milliseconds(schema.ReaderTime, 1500*time.Microsecond),
		metric.Amount(schema.ReaderCost, 0.25), metric.Amount(schema.ReaderCost, 0))
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	delete(got, "time")
	want := map[string]any{
		"level": "INFO", "msg": "m",
		"SendsAccepted": 3.0, "RowsDue": 0.0, "FeedAge": 90.0, "ReaderTime": 1.5, "ReaderCost": 0.25,
	}
	if len(got) != len(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %v, want %v", k, got[k], v)
		}
	}
}

func TestAReadingKnowsNameUnitAndNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		attr slog.Attr
		name string
		unit string
		n    float64
	}{
		{metric.Count("A", 2), "A", "Count", 2},
		{metric.Level("B", 0), "B", "Count", 0},
		{metric.Seconds("C", 1500*time.Millisecond), "C", "Seconds", 1.5},
		{metric.Seconds("C", -time.Second), "C", "Seconds", 0},
		{metric.Milliseconds("D", -time.Second), "D", "Milliseconds", 0},
		{metric.Milliseconds("D", 2*time.Second), "D", "Milliseconds", 2000},
		{metric.Amount("E", 0.5), "E", "None", 0.5},
	} {
		r, ok := metric.Of(c.attr)
		if !ok || c.attr.Key != c.name || r.Name() != c.name || r.Unit() != c.unit || r.Number() != c.n {
			t.Errorf("%v: got %q %q %v", c.attr, r.Name(), r.Unit(), r.Number())
		}
	}
	for _, a := range []slog.Attr{{}, slog.Int("A", 1), metric.Count("A", 0), metric.Amount("A", 0), slog.Any("A", struct{}{})} {
		if _, ok := metric.Of(a); ok {
			t.Errorf("%v is taken for a reading", a)
		}
	}
}
