package mutation

import (
	"reflect"
	"strings"
	"testing"
)

const oneEntry = "== a-name\nwrong: harm\nfile: internal/a/a.go\ncaught: a b\n-- old\n\tx()\n\ty()\n-- new\n\ty()\n"

func TestAnEntryIsReadToTheLetter(t *testing.T) {
	t.Parallel()
	second := strings.Replace(oneEntry, "a-name", "b-name", 1)
	second = strings.Replace(second, "caught: a b\n", "caught: a\nrun: One|Two\nschedules: see it\n", 1)
	second = strings.Replace(second, "\ty()\n-- new\n\ty()\n", "\ty()\n\n-- new\n\n", 1)
	got, err := parse("# What they are.\n\n" + oneEntry + second)
	if err != nil {
		t.Fatal(err)
	}
	want := []entry{
		{Breakage{Name: "a-name", Wrong: "harm", File: "internal/a/a.go", Old: "\tx()\n\ty()", New: "\ty()", Caught: []string{"a", "b"}}, false},
		{Breakage{Name: "b-name", Wrong: "harm", File: "internal/a/a.go", Old: "\tx()\n\ty()\n", New: "", Caught: []string{"a"}, Run: "One|Two"}, true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
}

func TestAnEntryThatIsNotWholeIsRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string][2]string{
		"no wrong":             {"wrong: harm\n", ""},
		"no file":              {"file: internal/a/a.go\n", ""},
		"nobody is to notice":  {"caught: a b\n", ""},
		"a field twice":        {"wrong: harm\n", "wrong: harm\nwrong: more\n"},
		"a field without word": {"wrong: harm\n", "wrong: \n"},
		"an unknown field":     {"wrong: harm\n", "wrong: harm\nright: none\n"},
		"no old":               {"-- old\n\tx()\n\ty()\n", ""},
		"an empty old":         {"-- old\n\tx()\n\ty()\n", "-- old\n\n"},
		"no new":               {"-- new\n\ty()\n", ""},
		"text before it":       {"== a-name", "text\n== a-name"},
		"the name twice":       {"== a-name", oneEntry + "== a-name"},
	} {
		if got, err := parse(strings.Replace(oneEntry, spoil[0], spoil[1], 1)); err == nil {
			t.Errorf("%s: read as %+v", name, got)
		}
	}
}
