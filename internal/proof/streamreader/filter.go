package streamreader

import (
	"encoding/json"
	"fmt"
	"slices"
)

// filter is a pattern: each path must hold one of its texts.
type filter struct {
	fields map[string]filter
	texts  []string
}

// maxPattern is the length that CloudFormation and the API allow.
const maxPattern = 4096

// parseFilter reads a pattern of nested objects whose leaves are lists of
// texts. Operators (prefix, anything-but, numeric, exists, $or), numbers and
// nulls are refused: nothing of ours uses them, and a pattern that is half
// understood would let through or hold back the wrong records.
func parseFilter(pattern string) (filter, error) {
	if len(pattern) > maxPattern {
		return filter{}, fmt.Errorf("%w: a pattern of %d bytes", ErrInvalid, len(pattern))
	}
	var v any
	if err := json.Unmarshal([]byte(pattern), &v); err != nil {
		return filter{}, fmt.Errorf("%w: a pattern that is no JSON", ErrInvalid)
	}
	f, err := filterOf(v)
	if err != nil {
		return filter{}, err
	}
	if f.fields == nil {
		return filter{}, fmt.Errorf("%w: a pattern that is no object", ErrInvalid)
	}
	for key := range f.fields {
		if key != "dynamodb" && key != "eventName" {
			return filter{}, fmt.Errorf("%w: a pattern on %q", ErrInvalid, key)
		}
	}
	return f, nil
}

func filterOf(v any) (filter, error) {
	switch v := v.(type) {
	case map[string]any:
		f := filter{fields: map[string]filter{}}
		if len(v) == 0 {
			return f, fmt.Errorf("%w: an empty object in a pattern", ErrInvalid)
		}
		for key, e := range v {
			if key == "$or" {
				return f, fmt.Errorf("%w: the operator $or", ErrInvalid)
			}
			inner, err := filterOf(e)
			if err != nil {
				return f, err
			}
			f.fields[key] = inner
		}
		return f, nil
	case []any:
		var f filter
		for _, e := range v {
			text, ok := e.(string)
			if !ok {
				return f, fmt.Errorf("%w: something other than a text in a pattern's list", ErrInvalid)
			}
			f.texts = append(f.texts, text)
		}
		if len(v) == 0 {
			return f, fmt.Errorf("%w: an empty list in a pattern", ErrInvalid)
		}
		return f, nil
	}
	return filter{}, fmt.Errorf("%w: a pattern whose leaf is no list", ErrInvalid)
}

func (f filter) fits(v any) bool {
	if f.fields == nil {
		text, ok := v.(string)
		return ok && slices.Contains(f.texts, text)
	}
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for key, inner := range f.fields {
		e, ok := m[key]
		if !ok || !inner.fits(e) {
			return false
		}
	}
	return true
}

// fits tells whether a mapping sends a record on.
func fits(filters []filter, body []byte) bool {
	if len(filters) == 0 {
		return true
	}
	var v any
	if json.Unmarshal(body, &v) != nil {
		return false
	}
	return slices.ContainsFunc(filters, func(f filter) bool { return f.fits(v) })
}
