package dynamo_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/ledger"
	"onefold/internal/ledger/dynamo"
)

// The shape is that of the sample in the Lambda Developer Guide, "Process
// Amazon DynamoDB records with Lambda" (read 2026-11); keys and attributes are
// ours.
const pushed = `{
  "eventID": "7f1f4b0c",
  "eventVersion": "1.1",
  "dynamodb": {
    "ApproximateCreationDateTime": 1479499740,
    "Keys": {"pk": {"S": "acme#operation#op1"}, "sk": {"S": "operation"}},
    "NewImage": IMAGE,
    "SequenceNumber": "13021600000000001596893679",
    "SizeBytes": 112,
    "StreamViewType": "NEW_IMAGE"
  },
  "awsRegion": "us-east-1",
  "eventName": "MODIFY",
  "eventSourceARN": "arn:aws:dynamodb:us-east-1:123456789012:table/onefold-test-outbox/stream/2026-11-29T00:00:00.000",
  "eventSource": "aws:dynamodb"
}`

func record(image string) []byte { return []byte(strings.Replace(pushed, "IMAGE", image, 1)) }

func TestAPushedRecordIsReadExactly(t *testing.T) {
	t.Parallel()
	got, err := dynamo.ChangeOf(record(`{
		"pk": {"S": "acme#operation#op1"}, "sk": {"S": "operation"}, "entity": {"S": "operation"},
		"big": {"N": "9007199254740993"}, "least": {"N": "-9223372036854775808"}, "yes": {"BOOL": true}, "no": {"BOOL": false},
		"list": {"L": [{"S": "a"}, {"N": "1"}, {"L": []}]}, "map": {"M": {"S": {"S": ""}, "inner": {"M": {}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := ledger.Change{
		Position: "13021600000000001596893679",
		Key:      ledger.Key{Entity: ledger.Operation, Tenant: "acme", ID: "op1"},
		Item: ledger.Item{
			"entity": "operation", "big": int64(9007199254740993), "least": int64(math.MinInt64), "yes": true, "no": false,
			"list": []any{"a", int64(1), []any{}}, "map": map[string]any{"S": "", "inner": map[string]any{}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
}

func TestARemovalHasNoItem(t *testing.T) {
	t.Parallel()
	for _, image := range []string{"null", "{}"} {
		got, err := dynamo.ChangeOf(record(image))
		if err != nil || got.Item != nil || got.Key.ID != "op1" {
			t.Errorf("%s: %+v, %v", image, got, err)
		}
	}
}

// The words in the values stand for personal ones.
func TestAStrangersRecordIsDamagedAndNotShown(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no record":         `[]`,
		"no content":        `{"eventName":"INSERT"}`,
		"binary":            string(record(`{"a": {"B": "cGVyc29uYWw="}}`)),
		"a set":             string(record(`{"a": {"SS": ["personal"]}}`)),
		"null":              string(record(`{"a": {"NULL": true}}`)),
		"a fraction":        string(record(`{"a": {"N": "1.5"}}`)),
		"a number as such":  string(record(`{"a": {"N": 1}}`)),
		"a text of null":    string(record(`{"a": {"S": null}}`)),
		"two types":         string(record(`{"a": {"S": "personal", "N": "1"}}`)),
		"lower-case type":   string(record(`{"a": {"s": "personal"}}`)),
		"no type":           string(record(`{"a": {}}`)),
		"plain text":        string(record(`{"a": "personal"}`)),
		"damage in a list":  string(record(`{"a": {"L": [{"B": "cGVyc29uYWw="}]}}`)),
		"damage in a map":   string(record(`{"a": {"M": {"b": {"S": ["personal"]}}}}`)),
		"a list of nothing": string(record(`{"a": {"L": "personal"}}`)),
		"another key":       strings.ReplaceAll(string(record("{}")), "acme#operation#op1", "personal"),
		"no keys":           strings.ReplaceAll(string(record("{}")), `"Keys"`, `"Cays"`),
	} {
		_, err := dynamo.ChangeOf([]byte(text))
		if !errors.Is(err, ledger.ErrDamaged) || strings.Contains(err.Error(), "personal") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// typed writes a value in DynamoDB's JSON, by the API Reference alone.
func typed(v any) any {
	switch v := v.(type) {
	case string:
		return map[string]any{"S": v}
	case int64:
		return map[string]any{"N": strconv.FormatInt(v, 10)}
	case bool:
		return map[string]any{"BOOL": v}
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = typed(e)
		}
		return map[string]any{"L": list}
	case map[string]any:
		return map[string]any{"M": typedMap(v)}
	}
	panic("no such value")
}

func typedMap(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = typed(v)
	}
	return out
}

func value(depth int) *rapid.Generator[any] {
	plain := []*rapid.Generator[any]{rapid.String().AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny()}
	if depth == 0 {
		return rapid.OneOf(plain...)
	}
	list := rapid.SliceOfN(value(depth-1), 0, 3).AsAny()
	m := rapid.MapOfN(rapid.StringN(1, 8, -1), value(depth-1), 0, 3).AsAny()
	return rapid.OneOf(append(plain, list, m)...)
}

func TestEveryItemComesBackFromItsRecord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// The place in the table is the store's own and no attribute.
		name := rapid.StringMatching(`[a-z_]{3,12}`)
		it := rapid.MapOfN(name, value(3), 1, 6).Draw(t, "item")
		image, err := json.Marshal(typedMap(it))
		if err != nil {
			t.Fatal(err)
		}
		got, err := dynamo.ChangeOf(record(string(image)))
		if err != nil || !reflect.DeepEqual(map[string]any(got.Item), it) {
			t.Fatalf("%#v came back as %#v (%v)", it, got.Item, err)
		}
	})
}

func FuzzAnyRecordIsAChangeOrDamage(f *testing.F) {
	f.Add(record(`{"a": {"L": [{"M": {"b": {"N": "1"}}}]}}`))
	f.Add(record(`{"a": {"S": 1}}`))
	f.Add([]byte(`{"dynamodb":{"Keys":{"pk":{"S":"##"},"sk":{"S":""}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := dynamo.ChangeOf(text); err != nil && !errors.Is(err, ledger.ErrDamaged) {
			t.Error(err)
		}
	})
}
