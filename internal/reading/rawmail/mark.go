package rawmail

import "strings"

// mark is what the header of our own mail tells.
type mark string

const (
	unmarked  mark = ""
	ours      mark = "ours"      // genuine, or there without a key to tell
	imitation mark = "imitation" // there and not genuine
)

// markOf fills Mark. Of several, each server and each imitator may have added
// one, the first counts: a second one cannot make a mail ours.
func markOf(m *Message, h header, genuine IsMark, w *warnings) mark {
	if !h.has(strings.ToLower(MarkHeader)) {
		return unmarked
	}
	m.Mark = cut(oneLine(h.get(strings.ToLower(MarkHeader))), maxMark)
	switch {
	case genuine == nil:
		w.add(warnMarkUnchecked)
		return ours
	case genuine(m.Mark):
		return ours
	}
	w.add(DoubtMark)
	return imitation
}
