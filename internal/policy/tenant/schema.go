package tenant

import (
	_ "embed" // the schema
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

//go:embed policy.schema.json
var schemaText string

// Schema is the JSON Schema (draft 2020-12) of the document, for editors and
// the documentation. Parse checks more than it can say.
func Schema() []byte { return []byte(schemaText) }

// compiled is made on first use and never changes.
type compiled struct {
	schema *jsonschema.Schema
	source any // the schema as JSON, for its descriptions
}

var compiledSchema = sync.OnceValues(func() (compiled, error) {
	source, err := jsonschema.UnmarshalJSON(strings.NewReader(schemaText))
	if err != nil {
		return compiled{}, fmt.Errorf("read policy schema: %w", err)
	}
	const location = "https://onefold.example/policy.schema.json"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(location, source); err != nil {
		return compiled{}, fmt.Errorf("add policy schema: %w", err)
	}
	schema, err := c.Compile(location)
	if err != nil {
		return compiled{}, fmt.Errorf("compile policy schema: %w", err)
	}
	return compiled{schema, source}, nil
})

// maxUnknown bounds what is said about unknown properties of one object.
const maxUnknown = 20

// shape reports everything in which the tree does not have the schema's shape
// and prunes it, so that what is left can be decoded and checked further. It
// tells whether anything is left.
func (c compiled) shape(tree any, found *problems) bool {
	err := c.schema.Validate(tree)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return true
	}
	whole := true
	for _, leaf := range leaves(invalid) {
		at := leaf.InstanceLocation
		stated := c.along(at)
		schema := c.resolve(stated)
		note := func(message string, more ...string) {
			found.list = append(found.list, Problem{Path: pointer(append(slices.Clone(at), more...)...), Message: message})
		}
		switch k := leaf.ErrorKind.(type) {
		case *kind.Required:
			for _, name := range k.Missing {
				note("is missing: it must be "+c.describe(property(schema, name)), name)
			}
		case *kind.AdditionalProperties:
			slices.Sort(k.Properties)
			for i, name := range k.Properties {
				if i < maxUnknown {
					note(unknownProperty(name, schema), name)
				}
				prune(tree, append(slices.Clone(at), name))
			}
		case *kind.UniqueItems:
			note("repeats an entry before it: each may stand once", strconv.Itoa(k.Duplicates[1]))
		case *kind.Enum:
			words := make([]string, len(k.Want))
			for i, w := range k.Want {
				words[i] = fmt.Sprintf("%q", w)
			}
			note("must be one of " + strings.Join(words, ", "))
			prune(tree, at)
		case *kind.MaxItems, *kind.MinItems:
			note("must be " + c.describe(stated))
		default:
			note("must be " + c.describe(stated))
			whole = whole && len(at) > 0
			prune(tree, at)
		}
	}
	return whole
}

func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// along finds the schema of the value at a path, as its parent states it: a
// reference is followed only to go further down, so that the words of the
// property win over those of the form it refers to.
func (c compiled) along(path []string) any {
	v := c.source
	for _, token := range path {
		v = c.resolve(v)
		if items := member(v, "items"); items != nil {
			v = items
		} else {
			v = property(v, token)
		}
	}
	return v
}

// resolve follows a reference into $defs.
func (c compiled) resolve(schema any) any {
	if ref, ok := member(schema, "$ref").(string); ok {
		return member(member(c.source, "$defs"), strings.TrimPrefix(ref, "#/$defs/"))
	}
	return schema
}

// describe is what a value must be, from the schema's own description or that
// of what it refers to.
func (c compiled) describe(schema any) string {
	if text, ok := member(schema, "description").(string); ok {
		return text
	}
	if text, ok := member(c.resolve(schema), "description").(string); ok {
		return text
	}
	return "as the schema says"
}

func property(schema any, name string) any { return member(member(schema, "properties"), name) }

func member(v any, name string) any {
	object, _ := v.(map[string]any)
	return object[name]
}

// unknownProperty names the property that was probably meant, or all there are.
func unknownProperty(name string, schema any) string {
	known, _ := member(schema, "properties").(map[string]any)
	names := slices.Sorted(maps.Keys(known))
	for _, n := range names {
		if distance(name, n) <= 1+len(n)/4 {
			return fmt.Sprintf("is not a known property: %q was probably meant", n)
		}
	}
	return "is not a known property: known are " + strings.Join(names, ", ")
}

// distance is Levenshtein's, over bytes; of names far longer than any of ours,
// their length.
func distance(a, b string) int {
	if len(a) > 100 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
