package salesforcetest

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The form of a query that is known here; records are in the order of their IDs
// anyway. What else SOQL can is answered 501.
var (
	queryForm     = regexp.MustCompile(`(?is)^\s*SELECT\s+([\w\s,]+?)\s+FROM\s+(\w+)(?:\s+WHERE\s+(.*?))?(\s+ORDER\s+BY\s+Id)?(?:\s+LIMIT\s+(\d+))?\s*$`)
	conditionForm = regexp.MustCompile(`(?is)^(\w+)\s*(?:(=|>)\s*('(?:[^'\\]|\\.)*')|IN\s*\(((?:\s*'(?:[^'\\]|\\.)*'\s*,?)+)\))\s*`)
	literalForm   = regexp.MustCompile(`(?s)'((?:[^'\\]|\\.)*)'`)
	orForm        = regexp.MustCompile(`(?i)^OR\s+`)
	andForm       = regexp.MustCompile(`(?i)^(AND|ORDER|GROUP|LIKE|NOT)\b`)
)

// pageSize is how many records a query answers at most.
const pageSize = 2000

// condition is a field with the values that it may have, or that its own is beyond.
type condition struct {
	field  *Field
	values []string
	beyond bool
}

func (c condition) holds(r *Record) bool {
	return slices.ContainsFunc(c.values, func(v string) bool {
		switch {
		case c.beyond:
			return r.ID > v
		case c.field.Name == "Id":
			return r.ID == v || len(v) == 15 && strings.HasPrefix(r.ID, v)
		}
		is := r.Fields[c.field.Name]
		return v != "" && (is == v || !(c.field.Unique && c.field.CaseSensitive) && strings.EqualFold(is, v))
	})
}

func (o *Org) query(soql string) answer {
	m := queryForm.FindStringSubmatch(soql)
	if m == nil {
		return refusal(bad("MALFORMED_QUERY", "unexpected token"))
	}
	object := map[string]string{"contact": Contact, "task": Task}[strings.ToLower(m[2])]
	if object == "" {
		return refusal(bad("INVALID_TYPE", "sObject type '"+m[2]+"' is not supported."))
	}
	var names []string
	for name := range strings.SplitSeq(m[1], ",") {
		f := o.field(object, strings.TrimSpace(name))
		if f == nil {
			return refusal(bad("INVALID_FIELD", "No such column '"+name+"' on entity '"+object+"'"))
		}
		names = append(names, f.Name)
	}
	var either []condition
	for rest := m[3]; rest != ""; {
		c, left, failed := o.condition(object, rest)
		if failed != nil {
			return refusal(failed)
		}
		either = append(either, c)
		or := orForm.FindString(left)
		switch rest = left[len(or):]; {
		case or == "" && rest != "" && andForm.MatchString(rest):
			return refusal(&failure{http.StatusNotImplemented, "NOT_KNOWN_HERE", "this fake joins conditions by OR alone"})
		case or == "" && rest != "", or != "" && rest == "":
			return refusal(bad("MALFORMED_QUERY", "unexpected token"))
		}
	}
	found := o.seen(object, func(r *Record) bool {
		return m[3] == "" || slices.ContainsFunc(either, func(c condition) bool { return c.holds(r) })
	})
	if n, err := strconv.Atoi(m[5]); err == nil {
		found = found[:min(n, len(found))]
	}
	records := []any{}
	for _, r := range found[:min(pageSize, len(found))] {
		records = append(records, o.wire(object, r, names))
	}
	return answer{status: http.StatusOK, body: map[string]any{"totalSize": len(found), "done": len(records) == len(found), "records": records}}
}

func (o *Org) condition(object, text string) (c condition, rest string, failed *failure) {
	m := conditionForm.FindStringSubmatch(text)
	if m == nil {
		return c, "", bad("MALFORMED_QUERY", "unexpected token")
	}
	if c.field = o.field(object, m[1]); c.field == nil {
		return c, "", bad("INVALID_FIELD", "No such column '"+m[1]+"' on entity '"+object+"'")
	}
	if !c.field.Filterable {
		return c, "", bad("INVALID_FIELD", "field '"+m[1]+"' can not be filtered in a query call")
	}
	if c.beyond = m[2] == ">"; c.beyond && c.field.Name != "Id" {
		return c, "", &failure{http.StatusNotImplemented, "NOT_KNOWN_HERE", "this fake compares IDs alone"}
	}
	for _, l := range literalForm.FindAllStringSubmatch(m[3]+m[4], -1) {
		value, ok := unquoted(l[1])
		switch {
		case !ok:
			return c, "", bad("MALFORMED_QUERY", "invalid string escape")
		case c.field.Name == "Id" && !isID(value):
			return c, "", bad("INVALID_QUERY_FILTER_OPERATOR", "invalid ID field: "+value)
		}
		c.values = append(c.values, value)
	}
	return c, text[len(m[0]):], nil
}

// unquoted undoes the escapes of a literal, and knows no others.
func unquoted(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' || s[i] == '\r' {
			return "", false
		}
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		n := strings.IndexByte(`nNrRtTbBfF"'\`, s[i])
		if n < 0 {
			return "", false
		}
		b.WriteByte("\n\n\r\r\t\t\b\b\f\f\"'\\"[n])
	}
	return b.String(), true
}
