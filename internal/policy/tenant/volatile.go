package tenant

import (
	"strings"

	"onefold/internal/webhook"
)

// checkVolatile reports pointers by which two deliveries would pass for the
// same although they say different things: what is left out of the comparison
// may hold neither the event's ID nor a value that is read.
func checkVolatile(e Endpoint, i int, found *problems) {
	var about webhook.About // the zero value where the source cannot be made, which is reported elsewhere
	if source, err := e.Source(); err == nil {
		about = source.About()
	}
	if len(e.Volatile) > 0 && (e.Content != ContentForm || !about.JSON && about.Name != "") {
		found.add("has an effect on forms that are sent as JSON alone: leave it out", "endpoints", i, "volatile")
		return
	}
	check := func(volatile []string, path ...any) {
		for n, p := range volatile {
			at := append(append([]any{"endpoints", i}, path...), n)
			for _, id := range about.IDs {
				if within(id, p) {
					found.add("holds what the event is identified by: a delivery is the same only with the same ID", at...)
					break
				}
			}
			if name := e.Fields.readWithin(p); name != "" {
				found.add("holds "+name+", which is read: a delivery that says something else there is not the same", at...)
			}
		}
	}
	check(e.Volatile, "volatile")
	if e.HMAC != nil {
		check(e.HMAC.Volatile, "hmac", "volatile")
	}
}

// readWithin is the first field that is read at a place or below it, "" if none
// is.
func (m *FieldMap) readWithin(place string) string {
	for _, f := range m.list() {
		for _, at := range m.places(f) {
			if within(at, place) {
				return f.name
			}
		}
	}
	return ""
}

// within reports whether a JSON Pointer is another, or leads into what the other
// points to.
func within(pointer, other string) bool {
	return other != "" && (pointer == other || strings.HasPrefix(pointer, other+"/"))
}
