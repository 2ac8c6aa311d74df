package followup_test

import (
	"strings"
	"testing"

	"onefold/internal/digest"
	"onefold/internal/record/followup"
)

func TestOnlyAMarkThatWeMadeIsOurs(t *testing.T) {
	t.Parallel()
	key := func(secret string) digest.Key {
		k, err := digest.NewKey([]byte(strings.Repeat(secret, 32)))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	ids := key("a")
	mark := followup.Mark(ids, "demo", "i1")
	if !followup.IsMark(ids, "demo", mark) {
		t.Fatalf("%q is not taken", mark)
	}
	if len(mark) > 100 || strings.ContainsAny(mark, " \t\r\n") {
		t.Errorf("%q is no short word", mark)
	}
	_, hash, _ := strings.Cut(mark, ".")
	for name, value := range map[string]string{
		"the bare ID of an intent": "i1", "no ID": "." + hash, "no hash": "i1.", "nothing": "", "another intent": "i2." + hash,
		"cut": mark[:len(mark)-1], "longer": mark + "a", "another case": strings.ToUpper(mark), "the ID twice": "i1." + mark,
		"another tenant's": followup.Mark(ids, "other", "i1"), "another key's": followup.Mark(key("b"), "demo", "i1"),
	} {
		if followup.IsMark(ids, "demo", value) {
			t.Errorf("%s: %q is taken", name, value)
		}
	}
}
