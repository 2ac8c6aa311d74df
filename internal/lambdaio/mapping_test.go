package lambdaio_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// kinds are the kinds of operations, as the outbox declares them.
func kinds(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../record/outbox/operation.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST || g.Specs[0].(*ast.ValueSpec).Names[0].Name != "SendIntent" {
			continue
		}
		for _, s := range g.Specs {
			text, err := strconv.Unquote(s.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, text)
		}
	}
	if len(all) < 5 {
		t.Fatalf("the kinds of operations were not found: %v", all)
	}
	return all
}

// An operation of a kind that no mapping lets through would wait for ever; of
// two, it would be done by one that does not know it.
func TestEachKindOfOperationPassesOneMapping(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds(t) {
		readers := 0
		for _, m := range schema.StreamMappings() {
			for _, w := range m.Where {
				if m.Table == schema.Outbox && w.Attribute == schema.Kind && slices.Contains(w.Texts, kind) {
					readers++
				}
			}
		}
		if readers != 1 {
			t.Errorf("%d mappings read operations of the kind %s", readers, kind)
		}
	}
}

// What a filter asks for is what items of the table have.
func TestEachMappingReadsAnEntityOfItsTable(t *testing.T) {
	t.Parallel()
	for _, m := range schema.StreamMappings() {
		found := false
		for _, w := range m.Where {
			if w.Attribute != schema.Entity {
				continue
			}
			for _, e := range w.Texts {
				found = true
				if ledger.Entity(e).Table() != m.Table {
					t.Errorf("%s reads %s from the table %s, where there are none", m.Function, e, m.Table)
				}
			}
		}
		if !found || !ledger.HasStream(m.Table) {
			t.Errorf("%s reads everything of %s, or it has no stream", m.Function, m.Table)
		}
	}
}
