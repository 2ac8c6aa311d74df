package ledger_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/utc"
)

type state string

type loud string

func (loud) String() string { return "not this" }

type coded string

func (c coded) MarshalText() ([]byte, error) { return []byte("code:" + c), nil }

type pair struct {
	A string `json:"a"`
	N int    `json:"n"`
}

// TestNormalAgreesWithEncode: an attribute must have one form, whether it came
// with the creation (Encode) or with an update (Normal).
func TestNormalAgreesWithEncode(t *testing.T) {
	t.Parallel()
	at := utc.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	for name, c := range map[string]struct{ value, want any }{
		"text":            {"x", "x"},
		"bad UTF-8":       {"a\xff\xfeb", "a\ufffd\ufffdb"},
		"int":             {3, int64(3)},
		"bool":            {true, true},
		"named text":      {state("open"), "open"},
		"text with words": {loud("x"), "x"},
		"marshalled text": {coded("x"), "code:x"},
		"duration":        {time.Second, int64(1_000_000_000)},
		"time":            {at, "2026-01-02T03:04:05.000Z"},
		"texts":           {[]string{"a", "b\xff"}, []any{"a", "b\ufffd"}},
		"named texts":     {[]state{"a"}, []any{"a"}},
		"struct":          {pair{"x", 2}, map[string]any{"a": "x", "n": int64(2)}},
		"pointer":         {&pair{"x", 2}, map[string]any{"a": "x", "n": int64(2)}},
		"structs":         {[]pair{{"x", 2}}, []any{map[string]any{"a": "x", "n": int64(2)}}},
		"map":             {map[string]int{"k": 1}, map[string]any{"k": int64(1)}},
	} {
		it, err := ledger.Encode(map[string]any{"v": c.value})
		if err != nil || !reflect.DeepEqual(it["v"], c.want) {
			t.Errorf("%s: Encode gives %#v, %v", name, it["v"], err)
		}
		if got, err := ledger.Normal(c.value); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: Normal gives %#v, %v", name, got, err)
		}
	}
}

func TestNormalRefusesWhatIsNoValue(t *testing.T) {
	t.Parallel()
	for _, v := range []any{1.5, []any{1.5}, map[string]any{"a": 1e300}, make(chan int), func() {}, fmt.Errorf} {
		if got, err := ledger.Normal(v); !errors.Is(err, ledger.ErrInvalid) {
			t.Errorf("%T: got %#v, %v, want ErrInvalid", v, got, err)
		}
	}
}

// TestNotWrittenIsTrueOnlyOfProof: whatever does not prove that nothing was
// written means unknown.
func TestNotWrittenIsTrueOnlyOfProof(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		ledger.ErrContention: true, ledger.ErrUnavailable: true, ledger.ErrInvalid: true, &ledger.Refused{}: true,
		ledger.ErrUnknown: false, ledger.ErrDamaged: false, ledger.ErrInUse: false, errors.New("other"): false,
	} {
		if got := ledger.NotWritten(fmt.Errorf("commit: %w", err)); got != want {
			t.Errorf("%v: got %t", err, got)
		}
	}
}
