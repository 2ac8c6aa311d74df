package rawmail

import (
	"slices"
	"strings"
)

// returnedMarks looks for the header of our own mail in what a report or an answer
// gives back: the original mail or its header as a part, or, of reports that are
// no RFC 3464 ones, in the text below what they say. It is looked for at the
// beginning of every line, that of a mail inside the returned one and of a
// quoted one too: gateways wrap each other's reports, and where a mark stands
// proves no more than what it says.
func returnedMarks(m *Message, b body, sns *notice) (marks []string) {
	add := func(value string) {
		value = cut(oneLine(value), maxMark)
		if value != "" && len(marks) < maxReturned && !slices.Contains(marks, value) {
			marks = append(marks, value)
		}
	}
	if sns != nil {
		for _, value := range sns.marks {
			add(value)
		}
	}
	for _, o := range b.originals() {
		valuesOf(MarkHeader+":", o.content, add)
	}
	valuesOf(MarkHeader+":", m.Text, add)
	return marks
}

// returnedIDs are the Message-IDs in what a complaint gives back.
func returnedIDs(b body) (ids []string) {
	for _, o := range b.originals() {
		valuesOf("Message-ID:", o.content, func(value string) {
			if len(ids) < maxReturned {
				ids = append(ids, messageIDs(value)...)
			}
		})
	}
	return ids
}

// valuesOf gives the value of every line that holds the header of a name, or of
// the line below where a server has folded it behind the name.
func valuesOf(name, text string, add func(value string)) {
	folded := false
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " \t>")
		if folded && len(bare) < len(line) {
			add(bare)
		}
		folded = false
		if len(bare) < len(name) || !strings.EqualFold(bare[:len(name)], name) {
			continue
		}
		value := strings.TrimSpace(bare[len(name):])
		folded = value == ""
		add(value)
	}
}
