package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// reader reads values of the context and gathers what is wrong with them. From
// the command line every value is a text; from cdk.json it has a type.
type reader struct {
	values   map[string]any
	asked    map[string]bool
	failed   map[string]bool
	problems []string
}

func (r *reader) fail(key, want string) {
	if r.failed == nil {
		r.failed = map[string]bool{}
	}
	r.failed[key] = true
	r.problems = append(r.problems, fmt.Sprintf("%s is to be %s, and is %q", key, want, fmt.Sprint(r.values[key])))
}

func (r *reader) unless(holds bool, format string, args ...any) {
	if !holds {
		r.problems = append(r.problems, fmt.Sprintf(format, args...))
	}
}

// value gives nil for what is absent; an empty text counts as absent, so that
// a Makefile may hand on a variable that nobody set.
func (r *reader) value(key string) any {
	r.asked[key] = true
	if s, ok := r.values[key].(string); ok && s == "" {
		return nil
	}
	return r.values[key]
}

func (r *reader) text(key, otherwise, want string, fits func(string) bool) string {
	v := r.value(key)
	if v == nil {
		return otherwise
	}
	s, ok := v.(string)
	if !ok || !fits(s) {
		r.fail(key, want)
		return otherwise
	}
	return s
}

func (r *reader) word(key, otherwise string, words ...string) string {
	return r.text(key, otherwise, "one of "+strings.Join(words, ", "), func(s string) bool { return slices.Contains(words, s) })
}

func (r *reader) number(key string, otherwise, least, most int) int {
	v := r.value(key)
	if v == nil {
		return otherwise
	}
	n, ok := number(v)
	if !ok || n < least || n > most {
		r.fail(key, fmt.Sprintf("a number from %d to %d", least, most))
		return otherwise
	}
	return n
}

func (r *reader) flag(key string) bool {
	switch v := r.value(key); v {
	case nil, false, "false":
		return false
	case true, "true":
		return true
	default:
		r.fail(key, "true or false")
		return false
	}
}

func (r *reader) list(key, want string, fits func(string) bool) []string {
	var words []string
	switch v := r.value(key).(type) {
	case nil:
		return nil
	case string:
		words = strings.Split(v, ",")
	case []any:
		for _, w := range v {
			words = append(words, fmt.Sprint(w))
		}
	}
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	if len(words) == 0 || !slices.ContainsFunc(words, fits) || slices.ContainsFunc(words, func(w string) bool { return !fits(w) }) {
		r.fail(key, want)
		return nil
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// endpoints reads {"public":"http://…"}, as an object or as the text of one.
func (r *reader) endpoints() map[string]string {
	const want = `a JSON object of URLs with the name public`
	var given map[string]any
	switch v := r.value("endpoints").(type) {
	case nil:
		return nil
	case map[string]any:
		given = v
	case string:
		if json.Unmarshal([]byte(v), &given) != nil {
			r.fail("endpoints", want)
			return nil
		}
	default:
		r.fail("endpoints", want)
		return nil
	}
	out := map[string]string{}
	for name, v := range given {
		s, ok := v.(string)
		if !ok || !urlForm.MatchString(s) || name != endpointPublic {
			r.fail("endpoints", want)
			return nil
		}
		out[name] = s
	}
	return out
}

// given names the keys that have a value, but for those that are said by other
// means or found anew each time.
func (r *reader) given(except ...string) []string {
	var names []string
	for _, name := range r.names() {
		if r.value(name) != nil && !slices.Contains(except, name) {
			names = append(names, name)
		}
	}
	return names
}

// unknown refuses keys that nobody asked for. Those with a colon, slash or at
// sign are the CDK's own; none of ours has one, so onefold:… is a mistake too.
func (r *reader) unknown() {
	for key := range r.values {
		if strings.HasPrefix(key, "onefold:") || !r.asked[key] && !strings.ContainsAny(key, ":/@") {
			r.problems = append(r.problems, fmt.Sprintf("%q is no key of this app; it knows %s", key, strings.Join(r.names(), ", ")))
		}
	}
}

func (r *reader) names() []string {
	var names []string
	for name := range r.asked {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.Sort(r.problems)
	return fmt.Errorf("%w:\n  %s", errConfig, strings.Join(r.problems, "\n  "))
}
