package hubspot

import (
	"strings"

	"onefold/internal/crm"
)

// properties are the values in HubSpot's words. An empty one is never sent:
// HubSpot clears a property that is set to "".
func properties(values crm.Values) map[string]string {
	first, last := splitName(values[crm.FieldName])
	out := map[string]string{}
	for name, value := range map[string]string{
		"email": strings.TrimSpace(values[crm.FieldEmail]), "firstname": first, "lastname": last,
		"company": oneLine(values[crm.FieldCompany]), "phone": oneLine(values[crm.FieldPhone]),
	} {
		if value != "" {
			out[name] = cut(value, lineLimit, "…")
		}
	}
	return out
}

// values are what a record has. Of several addresses it has the contact's, if
// that is among them. A name counts as one field: half a name is not completed.
func values(ct crm.Contact, r record) crm.Values {
	has := crm.Values{
		crm.FieldEmail: r.prop("email"), crm.FieldCompany: r.prop("company"), crm.FieldPhone: r.prop("phone"),
		crm.FieldName: strings.TrimSpace(r.prop("firstname") + " " + r.prop("lastname")),
	}
	if hasAddress(r, ct.Email) {
		has[crm.FieldEmail] = ct.Email
	}
	return has
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
