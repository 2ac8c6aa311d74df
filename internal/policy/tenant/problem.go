package tenant

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing to put right in a policy document, or to know of it.
type Problem struct {
	// Path is a JSON Pointer (RFC 6901) to the value; of a value that is
	// missing, to where it belongs; "" for the whole document.
	Path string `json:"path"`
	// Message says on one line what is wrong and what would be right. It
	// quotes names of properties and rules, never an address or a secret.
	Message string `json:"message"`
}

// InvalidError is what Parse returns for a document that is not a policy. It
// holds every problem found, sorted by path. Nothing of the document may be
// used; whoever wrote it puts the problems right and brings it again.
type InvalidError struct{ Problems []Problem }

// Error names the number of problems and the first one's place.
func (e *InvalidError) Error() string {
	if len(e.Problems) == 0 {
		return "tenant: invalid policy"
	}
	first := e.Problems[0]
	if first.Path != "" {
		first.Message = oneLine(first.Path, maxValue) + " " + first.Message
	}
	if len(e.Problems) == 1 {
		return "tenant: invalid policy: " + first.Message
	}
	return fmt.Sprintf("tenant: invalid policy, %d problems, the first: %s", len(e.Problems), first.Message)
}

// pointer writes a path as a JSON Pointer.
func pointer(path ...string) string {
	var b strings.Builder
	escaped := strings.NewReplacer("~", "~0", "/", "~1")
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(escaped.Replace(token))
	}
	return b.String()
}

// problems collects; its zero value is ready.
type problems struct{ list []Problem }

// add notes a problem at a path of names (string) and indexes (int).
func (p *problems) add(message string, path ...any) {
	tokens := make([]string, len(path))
	for i, part := range path {
		switch v := part.(type) {
		case int:
			tokens[i] = strconv.Itoa(v)
		case string:
			tokens[i] = v
		}
	}
	p.list = append(p.list, Problem{Path: pointer(tokens...), Message: message})
}

// err is nil, or an *InvalidError with the problems in a fixed order.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortFunc(p.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return &InvalidError{Problems: slices.Compact(p.list)}
}
