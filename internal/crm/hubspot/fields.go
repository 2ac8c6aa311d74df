package hubspot

import (
	"strings"

	"onefold/internal/crm"
)

// fields are the contact's properties that have a value. An empty field is
// never sent: HubSpot clears a property that is set to "".
func fields(ct crm.Contact) map[string]string {
	first, last := splitName(ct.Name)
	out := map[string]string{}
	for name, value := range map[string]string{
		"email": strings.TrimSpace(ct.Email), "firstname": first, "lastname": last,
		"company": oneLine(ct.Company), "phone": oneLine(ct.Phone),
	} {
		if value != "" {
			out[name] = cut(value, lineLimit, "…")
		}
	}
	return out
}

// diff is what of want the record lacks or has otherwise.
func diff(want map[string]string, r record) map[string]string {
	out := map[string]string{}
	for name, value := range want {
		has := r.prop(name)
		if has == value || name == "email" && hasAddress(r, value) {
			continue
		}
		out[name] = value
	}
	return out
}

// fill is what of want the record has no value for. A name counts as one
// field: half a name is not completed from another source.
func fill(want map[string]string, r record) map[string]string {
	named := r.prop("firstname") != "" || r.prop("lastname") != ""
	out := map[string]string{}
	for name, value := range want {
		if r.prop(name) != "" || named && (name == "firstname" || name == "lastname") {
			continue
		}
		out[name] = value
	}
	return out
}

// particle tells whether a word usually belongs to the family name after it.
func particle(word string) bool {
	switch strings.ToLower(word) {
	case "van", "von", "vom", "zu", "zur", "de", "del", "della", "der", "den", "di", "da", "do", "dos", "das",
		"du", "la", "le", "ter", "ten", "bin", "ibn", "al", "el":
		return true
	}
	return false
}

// suffix tells whether a word stands after a name without being part of it.
func suffix(word string) bool {
	switch strings.ToLower(strings.Trim(word, ".,")) {
	case "jr", "sr", "ii", "iii", "iv", "phd", "ph.d", "md", "m.d", "mba", "msc", "bsc", "esq":
		return true
	}
	return false
}

// splitName gives first and family name: "Ann Smith", "Smith, Ann", "Ludwig
// van Beethoven", "Ann Smith, PhD" (the suffix stays with the family name). A
// single word is a first name. Which word is which cannot be known; nothing
// is dropped, so joining the two with a space has every word of the input.
func splitName(name string) (first, last string) {
	if before, after, ok := strings.Cut(name, ","); ok && !strings.Contains(after, ",") {
		before, after = oneLine(before), oneLine(after)
		if before != "" && after != "" && !suffix(after) {
			return after, before
		}
	}
	words := strings.Fields(oneLine(name))
	if len(words) < 2 {
		return strings.Join(words, " "), ""
	}
	i := len(words) - 1
	for i > 1 && suffix(words[i]) {
		i--
	}
	for i > 1 && particle(words[i-1]) {
		i--
	}
	return strings.Join(words[:i], " "), strings.Join(words[i:], " ")
}
