package planted

import (
	"encoding/json"
	"reflect"
)

// failer is what Same needs of a test.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// Same fails a test for each part of a truth that was not found as planted.
func Same(t failer, planted, found Truth) {
	t.Helper()
	want, got := partsOf(planted), partsOf(found)
	for name := range want {
		compare(t, name, want[name], got[name])
	}
}

// compare names what one list has and the other has not.
func compare(t failer, name string, want, got any) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return
	}
	w, isList := want.([]any)
	g, both := got.([]any)
	if !isList && want != nil || !both && got != nil {
		t.Errorf("%s: planted %v, found %v", name, want, got)
		return
	}
	for _, x := range without(w, g) {
		t.Errorf("%s: planted and not found: %v", name, x)
	}
	for _, x := range without(g, w) {
		t.Errorf("%s: found and not planted: %v", name, x)
	}
	if len(without(w, g))+len(without(g, w)) == 0 {
		t.Errorf("%s: planted %v, found %v", name, want, got)
	}
}

// without is what a list has more of than another.
func without(list, other []any) []any {
	var rest []any
	used := make([]bool, len(other))
next:
	for _, x := range list {
		for i, y := range other {
			if !used[i] && reflect.DeepEqual(x, y) {
				used[i] = true
				continue next
			}
		}
		rest = append(rest, x)
	}
	return rest
}

// partsOf is a truth as JSON has it, by property. It has no other values than
// JSON's, so nothing can go wrong.
func partsOf(t Truth) map[string]any {
	b, err := json.Marshal(t)
	if err != nil {
		return nil
	}
	var parts map[string]any
	if json.Unmarshal(b, &parts) != nil {
		return nil
	}
	return parts
}
