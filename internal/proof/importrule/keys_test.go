package importrule_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// A key is named by its entity (ledger.Event.At), so that no part of it can be
// left out or exchanged. Stores build keys of what they have read. And contact
// keys, on which rests that a person is one contact, are put in one place.
func TestKeysAreNamedByTheirEntity(t *testing.T) {
	t.Parallel()
	seen := 0
	err := fs.WalkDir(os.DirFS("../../.."), "internal", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/ledger/") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "../../../"+name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				create, ok := n.Fun.(*ast.SelectorExpr)
				if ok && create.Sel.Name == "Create" && len(n.Args) == 3 && name != "internal/decide/contactkey.go" {
					ast.Inspect(n.Args[1], func(inner ast.Node) bool {
						if e, ok := inner.(ast.Expr); ok && isSelector(e, "ledger", "ContactKey") {
							t.Errorf("%s: use decide.PutContactKey", fset.Position(n.Pos()))
						}
						return true
					})
				}
			case *ast.CompositeLit:
				for _, key := range spelt(n) {
					t.Errorf("%s: use the entity's At or Under", fset.Position(key.Pos()))
				}
			case *ast.SelectorExpr:
				if n.Sel.Name == "At" || n.Sel.Name == "Under" {
					seen++
				}
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 100 {
		t.Fatalf("%d keys seen: %v", seen, err)
	}
}

// spelt are the keys that a literal spells out: itself, or the elements of a
// list of keys, which need not name the type.
func spelt(n *ast.CompositeLit) (keys []ast.Expr) {
	if list, ok := n.Type.(*ast.ArrayType); ok && isSelector(list.Elt, "ledger", "Key") {
		for _, e := range n.Elts {
			if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
				keys = append(keys, lit)
			}
		}
	}
	if isSelector(n.Type, "ledger", "Key") && len(n.Elts) > 0 {
		keys = append(keys, n)
	}
	return keys
}

func isSelector(e ast.Expr, x, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == x
}
