package idempotency_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/idempotency"
)

func print(t *testing.T, payload string, pointers ...string) string {
	t.Helper()
	got, err := idempotency.Fingerprint([]byte(payload), pointers...)
	if err != nil {
		t.Fatalf("%s %v: %v", payload, pointers, err)
	}
	if len(got) != 64 {
		t.Fatalf("%s: fingerprint %q", payload, got)
	}
	return got
}

func TestTheWayOfWritingDoesNotCount(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{`{"a":1,"b":{"c":true,"d":null}}`, `{"b":{"d":null,"c":true},"a":1}`, "{ \"b\" : {\"d\":null,\n\"c\":true},\t\"a\":1 }\n"},
		{`1`, `1.0`, `1e0`, `10e-1`, `0.1E+1`, `1.00000`},
		{`0`, `-0`, `0.0`, `-0e9`, `0e-400`},
		{`120`, `1.2e2`, `12E1`, `120.0`},
		{`-0.5`, `-5e-1`},
		{`"é/A"`, `"\u00e9\/\u0041"`},
		{`[]`, ` [ ] `},
	} {
		for _, other := range same[1:] {
			if print(t, same[0]) != print(t, other) {
				t.Errorf("%s and %s are the same", same[0], other)
			}
		}
	}
}

func TestWhatIsSaidCounts(t *testing.T) {
	t.Parallel()
	different := []string{
		`1`, `"1"`, `[1]`, `{"1":1}`, `true`, `"true"`, `null`, `"null"`, `""`, `{}`, `[]`, `[null]`, `[[]]`, `[{}]`, `0`, `-1`, `10`, `0.1`, `false`,
		`[1,2]`, `[2,1]`, `[12]`, `["1,2"]`, `{"a":1}`, `{"a":1,"b":null}`, `{"b":1}`, `{"a":{"b":1}}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`, `"a"`, `"A"`, `"a "`,
		// The same as float64, and not the same number (Twitter's and Stripe's kind of ID).
		`9007199254740992`, `9007199254740993`, `10765432100123456789`, `10765432100123456788`, `0.1000000000000000055511151231257827`,
	}
	seen := map[string]string{}
	for _, payload := range different {
		p := print(t, payload)
		if other, twice := seen[p]; twice {
			t.Errorf("%s and %s are not the same", payload, other)
		}
		seen[p] = payload
	}
}

func TestOnlyTheChosenPartsCount(t *testing.T) {
	t.Parallel()
	const first = `{"user":{"id":7,"name":"A"},"items":[{"sku":"x"},{"sku":"y"}],"sent_at":"10:00"}`
	const again = `{"sent_at":"10:05","items":[{"sku":"x"},{"sku":"y"}],"user":{"name":"B","id":7.0}}`
	const other = `{"user":{"id":8,"name":"A"},"items":[{"sku":"x"},{"sku":"y"}],"sent_at":"10:00"}`
	chosen := []string{"/user/id", "/items"}
	if print(t, first, chosen...) != print(t, again, chosen...) {
		t.Error("a part that was not chosen counted")
	}
	if print(t, first, chosen...) == print(t, other, chosen...) {
		t.Error("a chosen part did not count")
	}
	if print(t, first, chosen...) != print(t, first, "/items", "/user/id", "/items") {
		t.Error("the order of the pointers counted")
	}
	for name, pair := range map[string][2]string{
		"whole or chosen":  {print(t, first), print(t, first, "")},
		"another choice":   {print(t, `{"a":1}`, "/a"), print(t, `{"b":1}`, "/b")},
		"null or absent":   {print(t, `{"a":1,"b":null}`, "/a", "/b"), print(t, `{"a":1}`, "/a", "/b")},
		"wider choice":     {print(t, `{"a":1}`, "/a"), print(t, `{"a":1}`, "/a", "/b")},
		"swapped values":   {print(t, `{"a":1,"b":2}`, "/a", "/b"), print(t, `{"a":2,"b":1}`, "/a", "/b")},
		"order of a array": {print(t, `{"a":[1,2]}`, "/a"), print(t, `{"a":[2,1]}`, "/a")},
	} {
		if pair[0] == pair[1] {
			t.Errorf("%s: the same", name)
		}
	}
}

// TestPointersAreThoseOfRFC6901: the examples of its section 5.
func TestPointersAreThoseOfRFC6901(t *testing.T) {
	t.Parallel()
	const doc = `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"~1":9}`
	for pointer, value := range map[string]string{
		"": doc, "/foo": `["bar","baz"]`, "/foo/0": `"bar"`, "/": "0", "/a~1b": "1", "/c%d": "2", "/e^f": "3", "/g|h": "4",
		"/i\\j": "5", "/k\"l": "6", "/m~0n": "8", "/~01": "9",
		"/ ": "7", //nolint:gocritic // a blank is the name
	} {
		// A document that has at the same place nothing but the value.
		if print(t, doc, pointer) != print(t, strings.Replace(doc, `"":0`, `"":0,"more":`+value, 1), pointer) && pointer != "" {
			t.Errorf("%q: a member elsewhere counted", pointer)
		}
		if pointer != "" && print(t, doc, pointer) == print(t, changed(t, doc, value), pointer) {
			t.Errorf("%q does not lead to %s", pointer, value)
		}
	}
	for _, nowhere := range []string{"/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/-1", "/foo/0/x", "/foo/1e0", "/a/b"} {
		if _, err := idempotency.Fingerprint([]byte(doc), nowhere); !errors.Is(err, idempotency.ErrNothingSelected) {
			t.Errorf("%q: %v, want ErrNothingSelected", nowhere, err)
		}
	}
	if _, err := idempotency.Fingerprint([]byte(doc), "foo"); err == nil || errors.Is(err, idempotency.ErrPayload) {
		t.Errorf("a pointer without its slash: %v", err)
	}
}

// changed is the document with one value replaced.
func changed(t *testing.T, doc, value string) string {
	t.Helper()
	out := strings.Replace(doc, ":"+value, `:"changed"`, 1)
	if out == doc {
		out = strings.Replace(doc, value, `"changed"`, 1)
	}
	if out == doc || !json.Valid([]byte(out)) {
		t.Fatalf("%s is not a value of the document", value)
	}
	return out
}

func TestAPayloadThatTwoReadersTakeDifferentlyIsRefused(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{
		"nothing": "", "space": " ", "cut off": `{"a":`, "cut off in an array": `[1,`, "trailing": `{} {}`, "trailing comma": `[1,]`, "no JSON": `{a:1}`,
		"one name twice": `{"a":1,"a":1}`, "one name twice, escaped": `{"a":1,"\u0061":2}`, "twice within": `[{"b":{"a":1,"a":2}}]`,
		"not UTF-8": "\"\xff\"", "an array closed as an object": `[1}`, "NaN": `NaN`, "hexadecimal": `0x1`, "leading zero": `01`,
		"a number beyond use": `1e401`, "far beyond": `1e99999999999999999999`, "too deep": strings.Repeat("[", 70) + strings.Repeat("]", 70),
	} {
		got, err := idempotency.Fingerprint([]byte(payload))
		if !errors.Is(err, idempotency.ErrPayload) || got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err != nil && len(payload) > 3 && strings.Contains(err.Error(), payload[1:4]) && name != "too deep" {
			t.Errorf("%s: the error quotes the payload: %v", name, err)
		}
	}
}

// TestEncodingAgainDoesNotChangeTheFingerprint: any value that was read and
// written again, with its members in another order, is the same.
func TestEncodingAgainDoesNotChangeTheFingerprint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := anyValue(3).Draw(t, "value")
		plain, err := json.Marshal(v)
		if err != nil {
			t.Skip("no JSON")
		}
		indented, _ := json.MarshalIndent(v, "", "  ")
		a, errA := idempotency.Fingerprint(plain)
		b, errB := idempotency.Fingerprint(indented)
		if errA != nil || errB != nil || a != b {
			t.Fatalf("%s: %v %v", plain, errA, errB)
		}
		other := anyValue(3).Draw(t, "other")
		text, _ := json.Marshal(other)
		if c, _ := idempotency.Fingerprint(text); (c == a) != (string(text) == string(plain)) {
			t.Fatalf("%s and %s", plain, text)
		}
	})
}

func anyValue(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.String().AsAny(),
		rapid.SampledFrom([]string{"", "a", "1", "null", "\"", "\\", "{}"}).AsAny(),
	}
	if depth > 0 {
		inner := anyValue(depth - 1)
		leaves = append(leaves, rapid.SliceOfN(inner, 0, 3).AsAny(), rapid.MapOfN(rapid.StringN(0, 3, 6), inner, 0, 3).AsAny())
	}
	return rapid.OneOf(leaves...)
}

func FuzzFingerprint(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,-0e1],"b":{"c":"\u00e9"}}`, `[`, `{"a":1,"a":2}`, `1e400`, `"\ud800"`} {
		f.Add([]byte(seed), "/a")
	}
	f.Fuzz(func(t *testing.T, payload []byte, pointer string) {
		whole, err := idempotency.Fingerprint(payload)
		if err == nil && !json.Valid(payload) || err != nil && !errors.Is(err, idempotency.ErrPayload) {
			t.Fatalf("%q: %v", payload, err)
		}
		if err == nil {
			// White space around the value is never part of it.
			if again, _ := idempotency.Fingerprint([]byte(" " + string(payload) + "\n")); again != whole {
				t.Fatalf("%q: white space counted", payload)
			}
		}
		_, _ = idempotency.Fingerprint(payload, pointer)
	})
}

func TestWhatIsVolatileDoesNotCount(t *testing.T) {
	t.Parallel()
	without := func(payload string, volatile ...string) string {
		t.Helper()
		fp, err := idempotency.FingerprintWithout([]byte(payload), volatile...)
		if err != nil {
			t.Fatal(err)
		}
		return fp
	}
	const first = `{"id":1,"try":{"n":1,"of":3},"a/b":"x"}`
	whole, err := idempotency.Fingerprint([]byte(first))
	if err != nil || without(first) != whole {
		t.Errorf("with nothing volatile it is another fingerprint: %v", err)
	}
	for _, c := range []struct {
		payload, volatile string
		same              bool
	}{
		{`{"try":{"of":3,"n":2},"id":1,"a/b":"x"}`, "/try/n", true},
		{`{"try":{"of":3},"id":1,"a/b":"x"}`, "/try/n", true},
		{`{"id":1,"a/b":"x"}`, "/try", true},
		{`{"id":1,"try":{"n":1,"of":3}}`, "/a~1b", true},
		{`{"try":{"of":4,"n":1},"id":1,"a/b":"x"}`, "/try/n", false},
		{`{"id":2,"try":{"n":1,"of":3},"a/b":"x"}`, "/try", false},
		{`{"id":2,"try":{"n":1,"of":3},"a/b":"x"}`, "/none/at/all", false},
	} {
		if got := without(c.payload, c.volatile) == without(first, c.volatile); got != c.same {
			t.Errorf("%s without %s is the same: %t", c.payload, c.volatile, got)
		}
	}
	for _, bad := range []string{"", "id"} {
		if _, err := idempotency.FingerprintWithout([]byte(first), bad); err == nil {
			t.Errorf("%q was taken for a pointer to a member", bad)
		}
	}
}
