package importrule_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"onefold/internal/proof/importrule"
)

// Lengths that a reader can hold: no file above maxLines, half of them at most
// medianLines, a function's main at most mainLines.
const (
	maxLines    = 500
	medianLines = 150
	mainLines   = 40
)

func loadModule(t *testing.T) []importrule.Package {
	t.Helper()
	packages, err := importrule.Load(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) == 0 {
		t.Fatal("the module has no packages: wrong folder")
	}
	return packages
}

func TestTheModuleKeepsItsShape(t *testing.T) {
	t.Parallel()
	found := importrule.Check("onefold", loadModule(t), importrule.Rules(), importrule.Places())
	for _, fault := range found {
		t.Error(fault)
	}
}

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	var lengths []int
	for _, p := range loadModule(t) {
		for _, file := range p.Files {
			lengths = append(lengths, file.Lines)
			limit := maxLines
			if strings.HasPrefix(file.Path, "functions/") && strings.HasSuffix(file.Path, "/main.go") {
				limit = mainLines
			}
			if file.Lines > limit {
				t.Errorf("%s has %d lines, at most %d", file.Path, file.Lines, limit)
			}
		}
	}
	slices.Sort(lengths)
	median := lengths[len(lengths)/2]
	t.Logf("%d files, median %d lines, longest %d", len(lengths), median, lengths[len(lengths)-1])
	if median > medianLines {
		t.Errorf("the median file has %d lines, at most %d", median, medianLines)
	}
}
