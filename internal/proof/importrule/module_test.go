package importrule_test

import (
	"os"
	"path"
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

// What a reader can hold of the tree: packages of at most maxPackageLines and
// maxPackageFiles of production code, and at most maxRooms rooms with maxArrows
// imports between them. A room is a folder of internal, functions, infra or
// events, with all that is below it.
const (
	maxPackageLines = 4000
	maxPackageFiles = 40
	maxRooms        = 40
	maxArrows       = 230
)

func TestPackagesAreSmall(t *testing.T) {
	t.Parallel()
	for _, p := range loadModule(t) {
		lines, files := 0, 0
		for _, f := range p.Files {
			if !strings.HasSuffix(f.Path, "_test.go") {
				lines, files = lines+f.Lines, files+1
			}
		}
		if lines > maxPackageLines || files > maxPackageFiles {
			t.Errorf("%s has %d lines in %d files, at most %d in %d", p.Path, lines, files, maxPackageLines, maxPackageFiles)
		}
	}
}

// A wing holds packages and is none itself; decide is the one that is named as
// what it does.
func TestAWingHoldsPackages(t *testing.T) {
	t.Parallel()
	below := map[string]int{}
	for _, p := range loadModule(t) {
		for _, wing := range []string{"record", "policy", "reading", "operate", "proof"} {
			switch {
			case p.Path == "internal/"+wing:
				t.Errorf("%s has Go files of its own", p.Path)
			case strings.HasPrefix(p.Path, "internal/"+wing+"/"):
				below[wing]++
			}
		}
	}
	for _, wing := range []string{"record", "policy", "reading", "operate", "proof"} {
		if below[wing] < 2 {
			t.Errorf("wing %s holds %d packages", wing, below[wing])
		}
	}
}

func TestRoomsAreFewAndInNoCircle(t *testing.T) {
	t.Parallel()
	arrows := map[string]map[string]bool{}
	for _, p := range loadModule(t) {
		from := room(p.Path)
		if arrows[from] == nil {
			arrows[from] = map[string]bool{}
		}
		for _, imported := range p.Imports {
			own, inside := strings.CutPrefix(imported, "onefold/")
			if to := room(own); inside && to != from {
				arrows[from][to] = true
			}
		}
	}
	count := 0
	for _, to := range arrows {
		count += len(to)
	}
	t.Logf("%d rooms, %d arrows", len(arrows), count)
	if len(arrows) > maxRooms || count > maxArrows {
		t.Errorf("%d rooms with %d arrows, at most %d with %d", len(arrows), count, maxRooms, maxArrows)
	}
	// What imports nothing that is left is taken out; a circle stays.
	for taken := true; taken; {
		taken = false
		for from, all := range arrows {
			open := false
			for to := range all {
				_, still := arrows[to]
				open = open || still
			}
			if !open {
				delete(arrows, from)
				taken = true
			}
		}
	}
	for from := range arrows {
		t.Errorf("room %s is in a circle of imports, or above one", from)
	}
}

// room is the folder that a package is in, as a reader sees the tree.
func room(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	if parts[0] == "internal" && len(parts) > 1 {
		return path.Join(parts[0], parts[1])
	}
	return parts[0]
}
