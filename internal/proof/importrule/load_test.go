package importrule_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"onefold/internal/proof/importrule"
)

func TestLoadReadsEveryPlatformAndKeepsTestsApart(t *testing.T) {
	t.Parallel()
	packages, err := importrule.Load(fstest.MapFS{
		"go.mod":                    {Data: []byte("module onefold\n")},
		"internal/a/a.go":           {Data: []byte("package a\n\nimport \"strings\"\n\nvar _ = strings.ToUpper\n")},
		"internal/a/a_windows.go":   {Data: []byte("package a\n\nimport \"os\"\n")},
		"internal/a/a_test.go":      {Data: []byte("package a_test\n\nimport \"testing\"\n")},
		"internal/a/testdata/x.go":  {Data: []byte("no go")},
		"internal/a/_old/x.go":      {Data: []byte("no go")},
		".venv/x.go":                {Data: []byte("no go")},
		"infra/node_modules/b/x.go": {Data: []byte("no go")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 1 || packages[0].Path != "internal/a" {
		t.Fatalf("packages %+v, want internal/a alone", packages)
	}
	a := packages[0]
	if want := []string{"os", "strings"}; !slices.Equal(a.Imports, want) {
		t.Errorf("imports %v, want %v", a.Imports, want)
	}
	if want := []string{"testing"}; !slices.Equal(a.TestImports, want) {
		t.Errorf("test imports %v, want %v", a.TestImports, want)
	}
	if want := []importrule.Symbol{{Name: "strings.ToUpper", Pos: "internal/a/a.go:5"}}; !slices.Equal(a.Symbols, want) {
		t.Errorf("symbols %v, want %v", a.Symbols, want)
	}
	if len(a.Files) != 3 {
		t.Errorf("%d files, want 3", len(a.Files))
	}
}

func TestLoadReportsAFileThatIsNotGo(t *testing.T) {
	t.Parallel()
	if _, err := importrule.Load(fstest.MapFS{"internal/a/a.go": {Data: []byte("no go")}}); err == nil {
		t.Error("a file that does not parse was taken")
	}
}
