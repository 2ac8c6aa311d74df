package emf

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onefold/internal/schema"
)

// TestEveryKeyThatTheModuleLogsIsReviewed reads the source: a key that is not a
// word in it cannot be reviewed, and one that is reviewed and used nowhere is
// an open door.
func TestEveryKeyThatTheModuleLogsIsReviewed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, file := range sources(t) {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				if name(n.Type) == "slog.Attr" && len(n.Elts) > 0 {
					t.Errorf("%s: an attribute is made by slog's functions or package metric", set.Position(n.Pos()))
				}
			case *ast.CallExpr:
				key, makes := keyOf(n)
				if !makes {
					return true
				}
				word, err := strconv.Unquote(key)
				if err != nil || word != "" && !shown(word) {
					t.Errorf("%s: key %s is not reviewed: see reviewed()", set.Position(n.Pos()), key)
				}
				used[word] = true
			}
			return true
		})
	}
	for _, k := range reviewed() {
		if !used[k] {
			t.Errorf("%q is reviewed and nobody uses it", k)
		}
	}
}

// keyOf is the key, as written, of a call that makes an attribute, or ? where
// it logs attributes in pairs, which this cannot read.
func keyOf(call *ast.CallExpr) (string, bool) {
	fun := name(call.Fun)
	switch pkg, word, _ := strings.Cut(fun, "."); {
	case pkg == "slog" && slices.Contains([]string{"String", "Int", "Int64", "Uint64", "Float64", "Bool", "Time", "Duration", "Any", "Group", "GroupAttrs"}, word):
		if lit, ok := call.Args[0].(*ast.BasicLit); ok {
			return lit.Value, true
		}
		return "?", true
	case strings.HasSuffix(strings.ToLower(fun[:max(strings.LastIndex(fun, "."), 0)]), "log"):
		last := fun[strings.LastIndex(fun, ".")+1:]
		if slices.Contains([]string{"Debug", "Info", "Warn", "Error", "DebugContext", "InfoContext", "WarnContext", "ErrorContext", "Log", "With"}, last) {
			return "?", true
		}
	}
	return "", false
}

func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return name(e.X) + "." + e.Sel.Name
	}
	return ""
}

// sources are the files of the functions and of what they are made of.
func sources(t *testing.T) []string {
	t.Helper()
	var files []string
	root := filepath.Join("..", "..", "..")
	for _, folder := range []string{"internal", "functions"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			// package metric is how a reading is made.
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") &&
				filepath.Base(filepath.Dir(path)) != "metric" {
				files = append(files, path)
			}
			return nil // a folder that is not there has no keys
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 100 {
		t.Fatalf("only %d files", len(files))
	}
	return files
}

func TestNoReviewedKeyIsTheHandlersOrAMetric(t *testing.T) {
	t.Parallel()
	for _, k := range reviewed() {
		if _, isMetric := schema.MetricOf(k); reserved(k) || isMetric || presentable(k) != k {
			t.Errorf("%q would be left out, or mistaken", k)
		}
	}
	for _, m := range schema.Metrics() {
		if reserved(m.Name) || shown(m.Name) {
			t.Errorf("metric %q has the name of something else", m.Name)
		}
	}
}
