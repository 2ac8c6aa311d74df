package emf

import (
	"fmt"
	"log/slog"
	"reflect"
	"strconv"
	"strings"

	"onefold/internal/metric"
)

// Dropped is shown instead of what may not be shown.
const Dropped = "[dropped]"

// leftOutKey counts the attributes that a line has no room or no name for.
const leftOutKey = "attributes_left_out"

// maxText bounds one text, maxDepth groups within one another.
const (
	maxText  = 4 << 10
	maxDepth = 8
)

// object gathers the attributes of one group, each name once and the last
// value of it.
type object struct {
	names []string
	at    map[string]any // []byte, JSON, or *object
}

func (o *object) put(name string, v any) {
	if o.at == nil {
		o.at = map[string]any{}
	}
	if _, again := o.at[name]; !again {
		o.names = append(o.names, name)
	}
	o.at[name] = v
}

// open is the group of that name; one that is not reviewed has room for
// nothing.
func (o *object) open(name string) *object {
	if !shown(name) {
		o.put(presentable(name), text(Dropped))
		return &object{}
	}
	if g, ok := o.at[name].(*object); ok {
		return g
	}
	g := &object{}
	o.put(name, g)
	return g
}

// add shows an attribute, and measures it where it is a reading and read is
// not nil. A reading is measured in whatever group it stands, since the format
// has it at the root.
func (o *object) add(a slog.Attr, depth int, read *readings) {
	if m, ok := metric.Of(a); ok {
		if read == nil || !read.take(m) {
			o.put(a.Key, number(m.Number()))
		}
		return
	}
	v := a.Value.Resolve()
	if a.Key == "" && v.Kind() != slog.KindGroup {
		if v.Kind() != slog.KindAny || v.Any() != nil {
			o.put("unnamed", text(Dropped))
		}
		return // the zero Attr says nothing
	}
	switch {
	case v.Kind() == slog.KindGroup && len(v.Group()) == 0:
	case depth >= maxDepth:
		o.put(presentable(a.Key), text(Dropped))
	case v.Kind() == slog.KindGroup:
		group := o
		if a.Key != "" {
			group = o.open(a.Key)
		}
		for _, inner := range v.Group() {
			group.add(inner, depth+1, read)
		}
	case !shown(a.Key):
		o.put(presentable(a.Key), text(Dropped))
	case v.Kind() == slog.KindDuration:
		o.put(a.Key+"_ms", number(float64(v.Duration().Microseconds())/1000))
	default:
		o.put(a.Key, value(v))
	}
}

// members are the attributes in JSON; a group without any is none.
func (o *object) members() []member {
	var all []member
	for _, name := range o.names {
		switch v := o.at[name].(type) {
		case []byte:
			all = append(all, member{name, v})
		case *object:
			if inner := v.members(); len(inner) > 0 {
				all = append(all, member{name, render(inner)})
			}
		}
	}
	return all
}

// value is a resolved value in JSON. Times are in UTC; durations are the
// caller's, since their name says the unit.
func value(v slog.Value) []byte {
	switch v.Kind() {
	case slog.KindString:
		return text(clean(v.String()))
	case slog.KindInt64:
		return strconv.AppendInt(nil, v.Int64(), 10)
	case slog.KindUint64:
		return strconv.AppendUint(nil, v.Uint64(), 10)
	case slog.KindFloat64:
		return number(v.Float64())
	case slog.KindBool:
		return boolean(v.Bool())
	case slog.KindTime:
		return text(stamp(v.Time()))
	case slog.KindAny:
		return anything(v.Any())
	case slog.KindDuration, slog.KindGroup, slog.KindLogValuer:
	}
	return text(Dropped) // unreachable: handled before, or resolved
}

// anything shows errors, texts, lists of texts, and plain words and numbers of
// a named type. Of anything else nobody has reviewed what is in it.
func anything(v any) []byte {
	switch v := v.(type) {
	case nil:
		return []byte("null")
	case error:
		return text(clean(said(v.Error)))
	case fmt.Stringer:
		return text(clean(said(v.String)))
	case []string:
		list := make([]string, min(len(v), 100))
		for i := range list {
			list[i] = clean(v[i])
		}
		return encode(list)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.String:
		return text(clean(r.String()))
	case reflect.Bool:
		return boolean(r.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(nil, r.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(nil, r.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return number(r.Float())
	default:
		return text(Dropped)
	}
}

// said calls a method of somebody else's: its panic must not end the work that
// is being logged.
func said(say func() string) (s string) {
	defer func() {
		if recover() != nil {
			s = Dropped
		}
	}()
	return say()
}

// clean cuts a text to its bound and takes e-mail addresses out. The errors of
// this module hold none; a library's may quote one.
func clean(s string) string {
	cut := len(s) > maxText
	if cut {
		s = s[:maxText]
	}
	s = withoutAddresses(s)
	if cut {
		s += "…"
	}
	return s
}

// withoutAddresses puts a word for each run of characters around an @, be it
// escaped as in a URL.
func withoutAddresses(s string) string {
	if !strings.Contains(s, "@") && !strings.Contains(s, "%40") {
		return s
	}
	words := strings.FieldsFunc(s, delimits)
	for _, w := range words {
		if strings.Contains(w, "@") || strings.Contains(w, "%40") {
			s = strings.ReplaceAll(s, w, "[address]")
		}
	}
	return s
}

// delimits holds for what an address in a text is not part of; a quoted local
// part with one of these inside loses its domain all the same.
func delimits(r rune) bool { return r <= ' ' || strings.ContainsRune(`<>"(),:;[]{}=&?`+"`", r) }
