package rawmail

import "strings"

// splitText parts a text into what its sender wrote now, what is quoted or
// forwarded, and the signature. Every line lands in one of the three, save
// the signature's delimiter.
//
// Beyond maxSplitLines nothing more is looked for.
func splitText(text string) (visible, quoted, signature string) {
	lines := strings.Split(text, "\n")
	var out [3][]string
	const seen, quote, sign = 0, 1, 2
	state, written, budget := seen, false, maxQuoteTries
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if i >= maxSplitLines {
			out[state] = append(out[state], lines[i:]...)
			break
		}
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") {
			out[quote] = append(out[quote], line)
			continue
		}
		if n := quoteHeader(lines[i:], &budget); n > 0 {
			out[quote] = append(out[quote], lines[i:i+n]...)
			i += n - 1
			// Marked lines after the header mean that answers may stand
			// between them; without marks all the rest is the older mail.
			if !markedNext(lines[i+1:]) {
				out[quote] = append(out[quote], lines[i+1:]...)
				break
			}
			state = seen
			continue
		}
		if wholeRest(lines[i:]) {
			out[quote] = append(out[quote], lines[i:]...)
			break
		}
		if state == seen {
			if delimiter(line) {
				state = sign
				continue
			}
			if signatureStart(lines[i:], written, &budget) {
				state = sign
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
	case "--", "---", "__", "—", "–", "\u2014\u2014", "\u2013\u2013":
		return true
	}
	return false
}

// signatureStart is a line such as "Sent from my phone", or a closing
// greeting near the end of what was written.
func signatureStart(lines []string, afterText bool, budget *int) bool {
	line := strings.TrimSpace(lines[0])
	if line == "" || len(line) > 120 || !afterText {
		return false
	}
	if sentFrom.MatchString(line) {
		return true
	}
	if !closing.MatchString(line) {
		return false
	}
	// A name, a title and a number may follow; paragraphs may not.
	rest := 0
	for i, l := range lines[1:] {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if strings.HasPrefix(l, ">") || delimiter(l) || quoteHeader(lines[1+i:], budget) > 0 || wholeRest(lines[1+i:]) {
			break
		}
		if rest++; rest > 8 || len(l) > 90 {
			return false
		}
	}
	return true
}
