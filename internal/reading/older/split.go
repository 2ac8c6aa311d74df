// Package older tells the older mail in a text from what its sender wrote now:
// quotations, the header blocks and lines that mail programs put above an older
// mail, and signatures. It goes by the shape of fields and lines, in any language;
// what is in doubt is the sender's.
//
// Its invariant: every line lands in one of the three parts, save the signature's
// delimiter, at a cost that its bounds limit.
package older

import "strings"

// MaxLines is in how many lines quotations and signatures are looked for.
const MaxLines = 5_000

const (
	maxTries = 1000 // joined lines and blocks that are tried as a header
	maxLine  = 2000 // bytes of a line that are looked at
)

// splitLines are the lines of a text, with what is known of each.
type splitLines struct {
	lines  []string
	sights []sight
	budget int // of joined lines and blocks that may still be tried as a header
	fields []field
	facts  Facts
}

// Split parts a text into what its sender wrote now, what is quoted or
// forwarded, and the signature. Beyond MaxLines nothing more is
// looked for.
func Split(text string, facts Facts) (visible, quoted, signature string) {
	// As many as there are: SplitN makes room for as many as it may find.
	count := min(strings.Count(text, "\n"), MaxLines) + 1
	t := splitLines{lines: strings.SplitN(text, "\n", count), budget: maxTries, facts: facts}
	t.sights = make([]sight, len(t.lines))
	for i, l := range t.lines[:min(len(t.lines), MaxLines)] {
		t.sights[i] = sightOf(l)
	}
	var out [3][]string
	const seen, quote, sign = 0, 1, 2
	state, written := seen, false
	for i := 0; i < len(t.lines); i++ {
		line := t.lines[i]
		if i >= MaxLines {
			out[state] = append(out[state], line)
			break
		}
		if groupWise(line) && !markedNext(t.lines[i+1:]) {
			out[quote] = append(out[quote], t.lines[i:]...)
			break
		}
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") {
			out[quote] = append(out[quote], line)
			continue
		}
		if n := t.quoteHeader(i); n > 0 {
			out[quote] = append(out[quote], t.lines[i:i+n]...)
			i += n - 1
			// Marked lines after the header mean that answers may stand
			// between them; without marks all the rest is the older mail.
			if !markedNext(t.lines[i+1:]) {
				out[quote] = append(out[quote], t.lines[i+1:]...)
				break
			}
			state = seen
			continue
		}
		if t.olderFrom(i, written) {
			out[quote] = append(out[quote], t.lines[i:]...)
			break
		}
		if state == seen {
			if delimiter(line) {
				state = sign
				continue
			}
			if written && len(line) <= 120 && sentFrom.MatchString(line) {
				out[sign] = append(out[sign], line)
				continue
			}
		}
		written = written || strings.TrimSpace(line) != ""
		out[state] = append(out[state], line)
	}
	// A signature that ate everything was none.
	if blank(out[seen]) && !blank(out[sign]) && blank(out[quote]) {
		out[seen], out[sign] = out[sign], nil
	}
	return squeeze(out[seen]), strings.Trim(strings.Join(out[quote], "\n"), "\n"), strings.TrimSpace(strings.Join(out[sign], "\n"))
}

func blank(lines []string) bool {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return false
		}
	}
	return true
}

// squeeze joins lines with at most one blank line where quotes were cut out.
func squeeze(lines []string) string {
	var out []string
	for _, l := range lines {
		if strings.TrimSpace(l) == "" && len(out) > 0 && out[len(out)-1] == "" {
			continue
		}
		out = append(out, strings.TrimRight(l, " \t"))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// markedNext says whether the next line with text is a marked quotation.
func markedNext(lines []string) bool {
	for _, l := range lines[:min(len(lines), 4)] {
		if l = strings.TrimSpace(l); l != "" {
			return strings.HasPrefix(l, ">")
		}
	}
	return false
}

// delimiter is RFC 3676 section 4.3, with the space that many mailers drop,
// and the dashes that some turn it into.
func delimiter(line string) bool {
	switch strings.TrimRight(line, " \t") {
	case "--", "__", "\u2014", "\u2013", "\u2014\u2014", "\u2013\u2013":
		return true
	}
	return false
}
