package emf_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"onefold/internal/metric"
	"onefold/internal/schema"
)

// secret stands for what is in no reviewed attribute.
const secret = "Zebulon-Quux"

func TestAKeyThatNobodyReviewedShowsNothing(t *testing.T) {
	t.Parallel()
	root := wrote(t, nil,
		slog.String("subject", secret), slog.String("ann@example.org", "x"), slog.Group("person", slog.String("intent", secret)),
		slog.Group("event", slog.String("body", secret), slog.Int("attempt", 1)), slog.Any("payload", struct{ Name string }{secret}),
		slog.Any("error", struct{ Name string }{secret}), slog.String("", secret), slog.String(secret, secret))
	same(t, root, map[string]any{
		"subject": "[dropped]", "person": "[dropped]", "payload": "[dropped]", "error": "[dropped]", "unnamed": "[dropped]",
		"event": map[string]any{"body": "[dropped]", "attempt": 1},
	})
	if all := fmt.Sprint(root); strings.Contains(all, secret) || strings.Contains(all, "@") {
		t.Errorf("it got out: %s", all)
	}
}

func TestNoTextQuotesAnAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"550 <ann@example.org>: no such user":                     "550 <[address]>: no such user",
		`Get "https://crm.example/c?email=ann%40example.org&x=1"`: `Get "https://crm.example/c?email=[address]&x=1"`,
		"mail to Ann@Example.org,bob+x@example.net failed":        "mail to [address],[address] failed",
		"rules@1": "[address]",
		"none":    "none",
	} {
		root := wrote(t, nil, slog.Any("error", errors.New(text)), slog.Any("reasons", []string{text}))
		same(t, root, map[string]any{"error": want, "reasons": []string{want}})
	}
}

func TestAnAttributeCannotPoseAsTheHandler(t *testing.T) {
	t.Parallel()
	root := wrote(t, nil, slog.String("stage", "prod"), slog.String("level", "DEBUG"), slog.String("_aws", "x"), slog.Int("SendsAccepted", 99),
		metric.Count(schema.SendsAccepted, 1))
	same(t, root, map[string]any{"stage": "test", "level": "INFO", "SendsAccepted": 1})
	if got, err := embedded(root); err != nil || got["SendsAccepted"][0] != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestALongRecordStaysOneEvent(t *testing.T) {
	t.Parallel()
	var attrs []slog.Attr
	for _, k := range []string{"error", "reason", "event", "intent", "task", "contact", "kind", "type", "state", "step"} {
		list := make([]string, 100)
		for i := range list {
			list[i] = strings.Repeat("\x01", 5000)
		}
		attrs = append(attrs, slog.Any(k, list))
	}
	// parsed, by wrote, refuses what is too long.
	root := wrote(t, nil, append(attrs, metric.Count(schema.SendsAccepted, 1))...)
	if got, err := embedded(root); err != nil || got["SendsAccepted"] == nil || fmt.Sprint(root["attributes_left_out"]) != "10" {
		t.Errorf("%v, %v, %v", got, err, root["attributes_left_out"])
	}
}

type rude struct{}

func (*rude) Error() string          { panic(secret) }
func (rude) LogValue() slog.Value    { panic(secret) }
func (r *rude) pointer() (err error) { return r }

type mirror struct{}

func (mirror) LogValue() slog.Value { return slog.GroupValue(slog.Any("event", mirror{})) }

func TestAValueThatMisbehavesEndsNothing(t *testing.T) {
	t.Parallel()
	var none *rude
	root := wrote(t, nil, slog.Any("error", none.pointer()), slog.Any("event", mirror{}), slog.Float64("bytes", math.NaN()), metric.Amount(schema.ReaderCost, math.Inf(1)))
	if got, err := embedded(root); err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
	if strings.Contains(fmt.Sprint(root), secret) {
		t.Errorf("it got out: %v", root)
	}
}

// TestEachLineIsOneObjectWhateverTheAttributes: and holds every metric once.
func TestEachLineIsOneObjectWhateverTheAttributes(t *testing.T) {
	t.Parallel()
	keys := rapid.OneOf(rapid.SampledFrom([]string{"event", "intent", "error", "reason", "stage", "level", "_aws", "SendsAccepted", "attributes_left_out", ""}), rapid.String())
	metrics := rapid.SampledFrom(schema.Metrics())
	var attr func(depth int) *rapid.Generator[slog.Attr]
	attr = func(depth int) *rapid.Generator[slog.Attr] {
		return rapid.Custom(func(t *rapid.T) slog.Attr {
			k := keys.Draw(t, "key")
			top := 9
			if depth > 3 {
				top = 8
			}
			switch rapid.IntRange(0, top).Draw(t, "kind") {
			case 0:
				return slog.String(k, rapid.String().Draw(t, "text"))
			case 1:
				return slog.String(k, string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")))
			case 2:
				return slog.Float64(k, rapid.Float64().Draw(t, "float"))
			case 3:
				return slog.Duration(k, time.Duration(rapid.Int64().Draw(t, "duration")))
			case 4:
				return slog.Time(k, time.Unix(rapid.Int64Range(-1e11, 1e12).Draw(t, "time"), 0))
			case 5:
				return slog.Any(k, errors.New(rapid.String().Draw(t, "error")))
			case 6:
				return slog.Any(k, rapid.SampledFrom([]any{nil, rude{}, []string{"\xff"}, map[string]any{"a": secret}, struct{}{}, mirror{}, later("x")}).Draw(t, "any"))
			case 7:
				return metric.Count(metrics.Draw(t, "metric").Name, rapid.IntRange(0, 3).Draw(t, "n"))
			case 8:
				return metric.Amount(metrics.Draw(t, "metric").Name, rapid.Float64().Draw(t, "amount"))
			}
			return slog.Attr{Key: k, Value: slog.GroupValue(rapid.SliceOfN(attr(depth+1), 0, 4).Draw(t, "group")...)}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		var out lines
		var h slog.Handler = newHandler(&out, nil)
		for range rapid.IntRange(0, 3).Draw(t, "scopes") {
			if rapid.Bool().Draw(t, "group") {
				h = h.WithGroup(keys.Draw(t, "name"))
			} else {
				h = h.WithAttrs(rapid.SliceOfN(attr(2), 0, 3).Draw(t, "with"))
			}
		}
		r := slog.NewRecord(time.Unix(rapid.Int64Range(-1e11, 1e12).Draw(t, "at"), 0), slog.Level(rapid.IntRange(0, 12).Draw(t, "level")), rapid.String().Draw(t, "message"), 0)
		r.AddAttrs(rapid.SliceOfN(attr(0), 0, 12).Draw(t, "attrs")...)
		if err := h.Handle(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if len(out.all) != 1 {
			t.Fatalf("%d lines", len(out.all))
		}
		root, err := parsed(out.all[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := embedded(root); err != nil {
			t.Fatal(err)
		}
		if root["stage"] != "test" || strings.Contains(string(out.all[0]), secret) || strings.Contains(string(out.all[0]), "@") {
			t.Fatalf("%s", out.all[0])
		}
	})
}
