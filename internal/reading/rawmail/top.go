package rawmail

import "slices"

// Field is one field of a header: its name in lower case, its value unfolded
// and as it was sent.
type Field struct{ Name, Value string }

// Top is the header block of a mail in its order, the newest field first.
type Top struct {
	Fields []Field
	// Whole is false where the header is longer than what is kept of it.
	Whole bool
	// From is of the From field; nil where there is not exactly one such field.
	From []Mailbox
}

// TopOf reads the header block alone.
func TopOf(raw []byte) Top {
	var w warnings
	h, _ := splitHeader(raw, &w)
	t := Top{Whole: !slices.Contains(w, warnHeaderTruncated)}
	for _, f := range h {
		t.Fields = append(t.Fields, Field{f.name, f.value})
	}
	if from := h.all("from"); len(from) == 1 {
		t.From = mailboxes(from[0], &w)
	}
	return t
}
