package emf_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/metric"
	"onefold/internal/metric/emf"
	"onefold/internal/schema"
)

// lines keeps each Write apart.
type lines struct {
	mu  sync.Mutex
	all [][]byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, append([]byte(nil), p...))
	return len(p), nil
}

var then = time.Date(2026, 3, 2, 10, 0, 0, 5e6, time.FixedZone("", 3600))

func newHandler(out *lines, change func(*emf.Config)) *emf.Handler {
	c := emf.Config{Out: out, Level: slog.LevelInfo, Stage: "test", Service: "send", Now: func() time.Time { return then }}
	if change != nil {
		change(&c)
	}
	return emf.New(c)
}

// wrote hands a record to a handler and reads the one line of it.
func wrote(t *testing.T, change func(*emf.Config), attrs ...slog.Attr) map[string]any {
	t.Helper()
	var out lines
	r := slog.NewRecord(then, slog.LevelInfo, "it happened", 0)
	r.AddAttrs(attrs...)
	if err := newHandler(&out, change).Handle(t.Context(), r); err != nil || len(out.all) != 1 {
		t.Fatalf("%v, %d lines", err, len(out.all))
	}
	root, err := parsed(out.all[0])
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func same(t *testing.T, root map[string]any, want map[string]any) {
	t.Helper()
	for k, v := range want {
		if got := fmt.Sprint(root[k]); got != fmt.Sprint(v) {
			t.Errorf("%s is %v, want %v", k, got, v)
		}
	}
}

func TestTheMembersHaveTheNamesOfPowertools(t *testing.T) {
	t.Parallel()
	root := wrote(t, func(c *emf.Config) {
		c.Function = "onefold-test-send"
		c.Invocation = func(context.Context) emf.Invocation {
			return emf.Invocation{RequestID: "r1", TraceID: "1-5759e988", ColdStart: true}
		}
	}, slog.String("intent", "i1"))
	want := map[string]any{
		"level": "INFO", "message": "it happened", "timestamp": "2026-03-02T09:00:00.005Z", "service": "send", "cold_start": true,
		"function_name": "onefold-test-send", "function_request_id": "r1", "xray_trace_id": "1-5759e988", "intent": "i1", "stage": "test",
	}
	same(t, root, want)
	if len(root) != len(want) {
		t.Errorf("%v", root)
	}
}

func TestOutsideOfACallNothingIsSaidOfOne(t *testing.T) {
	t.Parallel()
	for _, f := range []func(context.Context) emf.Invocation{nil, func(context.Context) emf.Invocation { return emf.Invocation{} }} {
		root := wrote(t, func(c *emf.Config) { c.Invocation = f })
		for _, k := range []string{"cold_start", "function_request_id", "xray_trace_id", "function_name", "_aws"} {
			if _, has := root[k]; has {
				t.Errorf("%s is said", k)
			}
		}
	}
}

func TestARecordWithReadingsIsAMetricDocument(t *testing.T) {
	t.Parallel()
	root := wrote(t, nil, slog.String("intent", "i1"), metric.Count(schema.SendsAccepted, 1), metric.Seconds(schema.FeedAge, time.Minute),
		slog.Group("", metric.Count(schema.SendsAccepted, 2)), metric.Count(schema.SendsRejected, 0), metric.Level(schema.RowsDue, 0))
	got, err := embedded(root)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string][]float64{"SendsAccepted": {1, 2}, "FeedAge": {60}, "RowsDue": {0}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	aws := fmt.Sprint(root["_aws"])
	for _, part := range []string{"Namespace:Onefold", "Dimensions:[[stage]]", "Name:FeedAge Unit:Seconds", "Timestamp:1772442000005"} {
		if !strings.Contains(aws, part) {
			t.Errorf("no %s in %s", part, aws)
		}
	}
	same(t, root, map[string]any{"stage": "test", "intent": "i1", "message": "it happened"})
}

// The format has its targets at the root, wherever a reading was logged.
func TestAReadingInAGroupIsMeasuredAndOneOfTheLoggerIsNot(t *testing.T) {
	t.Parallel()
	var out lines
	log := slog.New(newHandler(&out, nil)).With(metric.Count(schema.Bounces, 7)).WithGroup("event")
	log.LogAttrs(t.Context(), slog.LevelInfo, "m", metric.Count(schema.SendsAccepted, 1), slog.Group("intent", metric.Count(schema.Complaints, 2)), slog.Int("attempt", 4))
	root, err := parsed(out.all[0])
	if err != nil {
		t.Fatal(err)
	}
	got, err := embedded(root)
	if want := map[string][]float64{"SendsAccepted": {1}, "Complaints": {2}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	same(t, root, map[string]any{"Bounces": 7, "event": map[string]any{"attempt": 4}})
}

func TestMoreThanADocumentHoldsBecomesFurtherLines(t *testing.T) {
	t.Parallel()
	var out lines
	r := slog.NewRecord(then, slog.LevelInfo, "m", 0)
	for n := range 205 {
		r.AddAttrs(metric.Count(fmt.Sprintf("M%d", n), n+1), metric.Count("Often", 1))
	}
	r.AddAttrs(slog.String("intent", "i1"))
	if err := newHandler(&out, nil).Handle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	seen, often := map[string]bool{}, 0.0
	for n, l := range out.all {
		root, err := parsed(l)
		if err != nil {
			t.Fatal(err)
		}
		got, err := embedded(root)
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range got {
			if name == "Often" {
				often += float64(len(values))
				continue
			}
			if seen[name] {
				t.Errorf("%s is measured twice", name)
			}
			seen[name] = true
		}
		if _, has := root["intent"]; has != (n == 0) {
			t.Errorf("line %d: facts are in the first line alone", n)
		}
	}
	if len(seen) != 205 || often != 205 {
		t.Errorf("%d metrics and %v values, want 205 of each", len(seen), often)
	}
}

func TestValuesHaveOneForm(t *testing.T) {
	t.Parallel()
	type word string
	root := wrote(t, nil,
		slog.Duration("attempt", 1500*time.Microsecond), slog.Time("event", then), slog.Any("error", fmt.Errorf("claim: %w", errors.New("gone"))),
		slog.Any("reasons", []string{"a", "b"}), slog.Any("outcome", word("done")), slog.Uint64("bytes", 1<<63), slog.Bool("state", true),
		slog.Float64("records", 0.5), slog.Any("kind", nil), slog.Any("entity", map[string]string{"x": "y"}),
		slog.Any("reason", slog.AnyValue(later("seen"))), slog.Int("attempt", 2), slog.String("task", "one"), slog.String("task", "two"))
	same(t, root, map[string]any{
		"attempt_ms": 1.5, "attempt": 2, "event": "2026-03-02T09:00:00.005Z", "error": "claim: gone", "reasons": "[a b]", "outcome": "done",
		"bytes": "9223372036854775808", "state": true, "records": 0.5, "kind": nil, "entity": "[dropped]", "reason": "seen", "task": "two",
	})
}

type later string

func (l later) LogValue() slog.Value { return slog.StringValue(string(l)) }

func TestLevels(t *testing.T) {
	t.Parallel()
	var out lines
	level := new(slog.LevelVar)
	log := slog.New(newHandler(&out, func(c *emf.Config) { c.Level = level }))
	level.Set(slog.LevelWarn)
	log.Info("no")
	log.Warn("yes")
	log.LogAttrs(t.Context(), slog.LevelInfo, "no", metric.Count(schema.SendsAccepted, 0))
	log.LogAttrs(t.Context(), slog.LevelInfo, "yes: it is a metric", metric.Count(schema.SendsAccepted, 1))
	level.Set(slog.LevelDebug - 4)
	for _, l := range []slog.Level{slog.LevelDebug - 4, slog.LevelDebug, slog.LevelInfo, slog.LevelInfo + 1, slog.LevelError, slog.LevelError + 4} {
		log.Log(t.Context(), l, "m")
	}
	var got []string
	for _, l := range out.all {
		root, err := parsed(l)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, root["level"].(string))
	}
	if want := "WARN INFO DEBUG DEBUG INFO INFO ERROR ERROR"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestARecordWithoutTimeHasTheTimeOfNow(t *testing.T) {
	t.Parallel()
	var out lines
	r := slog.NewRecord(time.Time{}, slog.LevelInfo, "m", 0)
	if err := newHandler(&out, nil).Handle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if root, err := parsed(out.all[0]); err != nil || root["timestamp"] != "2026-03-02T09:00:00.005Z" {
		t.Errorf("%v, %v", root, err)
	}
}

func TestLinesOfManyAtOnceAreWhole(t *testing.T) {
	t.Parallel()
	var out lines
	log := slog.New(newHandler(&out, nil)).With("tenant", "demo")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				log.With("intent", "i").LogAttrs(t.Context(), slog.LevelInfo, "m", metric.Count(schema.SendsAccepted, 1), slog.Group("event", slog.Int("attempt", 1)))
			}
		})
	}
	all.Wait()
	if len(out.all) != 400 {
		t.Fatalf("%d lines", len(out.all))
	}
	for _, l := range out.all {
		root, err := parsed(l)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := embedded(root); err != nil || len(got) != 1 || root["intent"] != "i" {
			t.Fatalf("%v, %v", got, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestAWriterThatFailsIsReported(t *testing.T) {
	t.Parallel()
	h := newHandler(nil, func(c *emf.Config) { c.Out = full{} })
	if err := h.Handle(t.Context(), slog.NewRecord(then, slog.LevelInfo, "m", 0)); err == nil {
		t.Error("nothing was written and nothing said")
	}
}
