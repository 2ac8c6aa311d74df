package importrule_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A misspelt attribute in a condition that it is absent always holds, and no
// stop is seen. So conditions name attributes by constants, and each constant
// of record is a word that some row there is stored with.
func TestConditionsNameAttributesByConstants(t *testing.T) {
	t.Parallel()
	conditions := []string{"Absent", "Present", "Is", "AtMost", "AtLeast", "Less", "More", "OneOf"}
	constants := map[string]string{} // of record: the word of each
	stored := map[string]bool{}      // of record: the words of rows
	fset := token.NewFileSet()
	seen := 0
	err := fs.WalkDir(os.DirFS("../../.."), "internal", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/ledger/ledgertest/") {
			return err
		}
		file, err := parser.ParseFile(fset, "../../../"+name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		record := strings.HasPrefix(name, "internal/record/")
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				cond, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || !slices.Contains(conditions, cond.Sel.Name) || !isSelector(cond, "ledger", cond.Sel.Name) || len(n.Args) == 0 {
					return true
				}
				if seen++; len(literals(n.Args[0])) > 0 {
					t.Errorf("%s: name the attribute by a constant", fset.Position(n.Pos()))
				}
			case *ast.ValueSpec:
				for i, v := range n.Values {
					if words := literals(v); record && strings.HasSuffix(n.Names[i].Name, "Attr") && len(words) == 1 {
						constants[name+": "+n.Names[i].Name] = words[0]
					}
				}
			case *ast.Field:
				if record && n.Tag != nil {
					tag, _ := strconv.Unquote(n.Tag.Value)
					word, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
					stored[word] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 60 {
		t.Fatalf("%d conditions seen: %v", seen, err)
	}
	for name, word := range constants {
		if !stored[word] {
			t.Errorf("%s: no row is stored with %q", name, word)
		}
	}
	if len(constants) < 30 {
		t.Errorf("only %d constants seen", len(constants))
	}
}

// literals are the texts that an expression spells out.
func literals(e ast.Expr) []string {
	var words []string
	ast.Inspect(e, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			word, _ := strconv.Unquote(l.Value)
			words = append(words, word)
		}
		return true
	})
	return words
}
