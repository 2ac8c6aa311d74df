package dynamo

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/schema"
)

// expression gathers the placeholders of one action. Names and values are
// never written into the text: names may be reserved words of DynamoDB, and a
// value must not be read as syntax. The same commit always gives the same
// text, since DynamoDB compares a repeated request with the first.
type expression struct {
	names  map[string]string // attribute → placeholder
	values attributes
	err    error
}

func newExpression() *expression {
	return &expression{names: map[string]string{}, values: attributes{}}
}

func (e *expression) name(attr string) string {
	p, ok := e.names[attr]
	if !ok {
		p = "#n" + strconv.Itoa(len(e.names))
		e.names[attr] = p
	}
	return p
}

func (e *expression) value(v any) string {
	av, err := encodeValue(v)
	if err != nil {
		e.err = err
	}
	p := ":v" + strconv.Itoa(len(e.values))
	e.values[p] = av
	return p
}

// placeholders is the names as DynamoDB takes them.
func (e *expression) placeholders() map[string]string {
	out := make(map[string]string, len(e.names))
	for attr, p := range e.names {
		out[p] = attr
	}
	return out
}

func (e *expression) exists() string { return "attribute_exists(" + e.name(schema.PK) + ")" }

func (e *expression) missing() string { return "attribute_not_exists(" + e.name(schema.PK) + ")" }

// always stands where DynamoDB asks for a condition: it has no word for it.
func (e *expression) always() string { return e.exists() + " OR " + e.missing() }

// condition says what ledger.Cond.Holds judges; "" always holds. nested asks
// for parentheses around what is more than one term: DynamoDB refuses them
// where they are redundant.
func (e *expression) condition(c ledger.Cond, nested bool) string {
	switch c.Op {
	case ledger.OpNone:
		return ""
	case ledger.OpMissing:
		return e.missing()
	case ledger.OpAbsent:
		return "attribute_not_exists(" + e.name(c.Attr) + ")"
	case ledger.OpPresent:
		return "attribute_exists(" + e.name(c.Attr) + ")"
	case ledger.OpEqual, ledger.OpLess, ledger.OpAtMost, ledger.OpMore, ledger.OpAtLeast:
		return e.name(c.Attr) + " " + string(c.Op) + " " + e.value(c.Value)
	case ledger.OpAll:
		return e.all(c.Sub, nested)
	case ledger.OpAny:
		return e.any(c.Sub, nested)
	default:
		e.err = fmt.Errorf("%w: unknown condition %q", ledger.ErrInvalid, string(c.Op))
		return ""
	}
}

func (e *expression) all(cs []ledger.Cond, nested bool) string {
	if len(cs) == 1 {
		return e.condition(cs[0], nested)
	}
	var parts []string
	for _, c := range cs {
		if p := e.condition(c, true); p != "" {
			parts = append(parts, p)
		}
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return group(nested, strings.Join(parts, " AND "))
}

func (e *expression) any(cs []ledger.Cond, nested bool) string {
	if len(cs) == 1 {
		return e.condition(cs[0], nested)
	}
	if slices.ContainsFunc(cs, alwaysHolds) {
		return "" // judged first: DynamoDB refuses placeholders that nothing uses
	}
	parts := make([]string, len(cs))
	for i, c := range cs {
		parts[i] = e.condition(c, true)
	}
	return group(nested, strings.Join(parts, " OR "))
}

func alwaysHolds(c ledger.Cond) bool {
	switch c.Op {
	case ledger.OpNone:
		return true
	case ledger.OpAll:
		return !slices.ContainsFunc(c.Sub, func(s ledger.Cond) bool { return !alwaysHolds(s) })
	case ledger.OpAny:
		return slices.ContainsFunc(c.Sub, alwaysHolds)
	default:
		return false
	}
}

func group(nested bool, s string) string {
	if nested {
		return "(" + s + ")"
	}
	return s
}

// guarded joins what the operation itself asks with the caller's condition.
func (e *expression) guarded(own string, c ledger.Cond) string {
	rest := e.condition(c, true)
	if rest == "" {
		return own
	}
	return own + " AND " + rest
}

// update says what ledger.Write.Apply does, attributes in the order of their
// names.
func (e *expression) update(w ledger.Write) string {
	version := e.name(schema.Version)
	text := "SET " + version + " = " + version + " + " + e.value(int64(1))
	for _, attr := range slices.Sorted(maps.Keys(w.Set)) {
		text += ", " + e.name(attr) + " = " + e.value(w.Set[attr])
	}
	for i, attr := range slices.Sorted(slices.Values(w.Remove)) {
		if i == 0 {
			text += " REMOVE "
		} else {
			text += ", "
		}
		text += e.name(attr)
	}
	return text
}

// boundValues is the values, or nil: DynamoDB refuses an empty map.
func (e *expression) boundValues() attributes {
	if len(e.values) == 0 {
		return nil
	}
	return e.values
}
