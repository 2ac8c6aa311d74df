package scenario_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheFailureModelIsComplete compares docs/failure-model.md with the
// enumeration: every write and effect that some scenario makes has a row, every
// row is of one that some scenario makes, and the test that a row names exists.
func TestTheFailureModelIsComplete(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, k := range knownScenarios(t) {
		for _, p := range k.clean.trace {
			if p.kind != "write" && p.kind != "effect" {
				continue
			}
			label, _, _ := strings.Cut(p.name, " #")
			found[label] = true
		}
	}
	page, err := os.ReadFile("../../../docs/failure-model.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t, "../../..")
	rows := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 5 || strings.HasPrefix(line, "| crash point") {
			continue
		}
		label := strings.TrimPrefix(cells[0], "| ")
		rows[label] = true
		if !found[label] {
			t.Errorf("the page has %q, which no scenario makes", label)
		}
		for _, cell := range cells[1:4] {
			if strings.TrimSpace(cell) == "" {
				t.Errorf("%q leaves a cell empty", label)
			}
		}
		if name := strings.TrimSuffix(strings.TrimSpace(cells[4]), " |"); !tests[name] {
			t.Errorf("%q names the test %s, which does not exist", label, name)
		}
	}
	for label := range found {
		if !rows[label] {
			t.Errorf("the page lacks %q", label)
		}
	}
}

var testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testNames lists the tests of the module.
func testNames(t *testing.T, root string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
