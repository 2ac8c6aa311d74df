package crm

import "strings"

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

// SplitName gives first and family name: "Ann Smith", "Smith, Ann", "Ludwig
// van Beethoven", "Ann Smith, PhD" (the suffix stays with the family name). A
// single word is a first name. Which word is which cannot be known; nothing
// is dropped, so joining the two with a space has every word of the input.
func SplitName(name string) (first, last string) {
	if before, after, ok := strings.Cut(name, ","); ok && !strings.Contains(after, ",") {
		before, after = OneLine(before), OneLine(after)
		if before != "" && after != "" && !suffix(after) {
			return after, before
		}
	}
	words := strings.Fields(OneLine(name))
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
