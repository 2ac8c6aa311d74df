package tenant_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

// Documents made to cost far more than their size. What is asserted is that
// they are refused; that it takes no noticeable time shows in the test's own,
// which the test binary's timeout bounds.
func TestHostileDocumentsAreRefusedCheaply(t *testing.T) {
	t.Parallel()
	nest := func(inner string) string {
		return `{"x":` + strings.Repeat(`{"a":`, 5_000) + inner + strings.Repeat("}", 5_001)
	}
	var many strings.Builder
	for i := range 15_000 {
		fmt.Fprintf(&many, `"k%d": 1,`, i)
	}
	for name, doc := range map[string]string{
		"deep and repeated":        nest(`{` + strings.Repeat(`"b":1,`, 30_000) + `"b":1}`),
		"deep and many numbers":    nest(`[` + strings.Repeat(`1e9999999,`, 20_000) + `1]`),
		"too deep":                 strings.Repeat("[", 200_000),
		"many unknown properties":  "{" + many.String() + `"z": 1}`,
		"one very long property":   `{"` + strings.Repeat("sender", 40_000) + `": 1}`,
		"many endpoints":           `{"endpoints": [` + strings.Repeat(`{},`, 60_000) + `{}]}`,
		"many addresses":           `{"own_addresses": [` + strings.Repeat(`"a@b.example",`, 15_000) + `"@"]}`,
		"template of parentheses":  strings.Replace(minimal, "Hi", "{{"+strings.Repeat("(", 15_000)+"}}", 1),
		"template of nested if":    strings.Replace(minimal, "Hi", strings.Repeat("{{if .Name}}", 1_300), 1),
		"template of nested with":  strings.Replace(minimal, "Hi", strings.Repeat("{{with .Name}}{{.}}", 300)+strings.Repeat("{{end}}", 299), 1),
		"text far over its bounds": strings.Replace(minimal, "Hi", strings.Repeat("é", 100_000), 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tenant.Parse([]byte(doc))
			var invalid *tenant.InvalidError
			if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
				t.Fatalf("Parse = %v, want *InvalidError", err)
			}
		})
	}
}
