package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What docs/architecture.md says is in a file is there: a function, method or
// type of that name.
func TestWhatTheArchitectureNamesIsThere(t *testing.T) {
	t.Parallel()
	page := documents(t)["docs/architecture.md"]
	named := regexp.MustCompile("`(internal/[a-z_/]+\\.go)`((?: `[A-Za-z]+`)*)").FindAllStringSubmatch(page, -1)
	if len(named) < 20 {
		t.Fatalf("%d files are named", len(named))
	}
	words, found := regexp.MustCompile("`([A-Za-z]+)`"), 0
	for _, n := range named {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, n[1]), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", n[1], err)
			continue
		}
		for _, w := range words.FindAllStringSubmatch(n[2], -1) {
			found++
			if !declares(file, w[1]) {
				t.Errorf("%s has no %s", n[1], w[1])
			}
		}
	}
	if found < 15 {
		t.Errorf("%d names are given", found)
	}
	// The folders of internal that the page lists are those that there are.
	entries, err := os.ReadDir(filepath.Join(root, "internal"))
	if err != nil {
		t.Fatal(err)
	}
	tree := page[strings.Index(page, "## The tree"):strings.Index(page, "## Glossary")]
	for _, e := range entries {
		if !regexp.MustCompile(`\b` + e.Name() + `\b`).MatchString(tree) {
			t.Errorf("the tree does not name internal/%s", e.Name())
		}
	}
}

func declares(file *ast.File, name string) bool {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Name == name {
					return true
				}
			}
		}
	}
	return false
}
