package rawmail

import "strings"

// decodeTransfer undoes the Content-Transfer-Encoding, at most limit bytes of
// the result; cutOff says that there was more.
func decodeTransfer(raw []byte, encoding string, limit int, w *warnings) (out []byte, cutOff bool) {
	switch transferOf(encoding) {
	case "base64":
		out = decodeBase64(raw, limit+3)
	case "quoted-printable":
		out = decodeQuoted(raw, limit+3)
	case "", "7bit", "8bit", "binary":
		out = raw
	default:
		w.add(warnBadEncoding)
		out = raw
	}
	if len(out) > limit {
		return out[:limit], true
	}
	return out, false
}

// transferOf is the word of a Content-Transfer-Encoding.
func transferOf(encoding string) string {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(encoding)), ";")
	return strings.TrimSpace(word)
}

// decodeQuoted is RFC 2045 section 6.7, and keeps as text what is no valid
// escape.
func decodeQuoted(in []byte, limit int) []byte {
	out := make([]byte, 0, min(len(in), limit))
	for i := 0; i < len(in) && len(out) < limit; i++ {
		if in[i] != '=' {
			out = append(out, in[i])
			continue
		}
		if i+2 < len(in) {
			if hi, lo := unhex(in[i+1]), unhex(in[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		// A soft line break may have white space before its line end.
		j := i + 1
		for j < len(in) && (in[j] == ' ' || in[j] == '\t' || in[j] == '\r') {
			j++
		}
		switch {
		case j >= len(in):
			return out
		case in[j] == '\n':
			i = j
		default:
			out = append(out, '=')
		}
	}
	return out
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// plain normalises decoded text: LF line ends, no control characters, no
// trailing white space, no blank lines around it.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	eachPlain(s, func(piece string) { b.WriteString(piece) })
	return b.String()
}

// eachPlain gives what plain is made of, in order.
func eachPlain(s string, emit func(piece string)) {
	s = strings.ToValidUTF8(s, "\ufffd")
	// Line ends are owed until text follows.
	owed, begun := 0, false
	for len(s) > 0 {
		line, rest := s, ""
		if end := strings.IndexAny(s, "\r\n"); end >= 0 {
			line, rest = s[:end], s[end+1:]
			if s[end] == '\r' {
				rest = strings.TrimPrefix(rest, "\n")
			}
		}
		s = rest
		if !shownAsIs(line) {
			line = strings.Map(shownRune, line)
		}
		trimmed := strings.TrimRight(line, " \t")
		// The signature delimiter is the one line whose trailing space means something.
		if trimmed == "--" && len(line) > 2 && line[2] == ' ' {
			trimmed = "-- "
		}
		if trimmed != "" {
			for ; begun && owed > 0; owed-- {
				emit("\n")
			}
			owed, begun = 0, true
			emit(trimmed)
		}
		owed++
	}
}

// shownAsIs: nothing in the line is for shownRune to change.
func shownAsIs(line string) bool {
	for i := range len(line) {
		switch c := line[i]; {
		case c < ' ' && c != '\t', c == 0x7f, c == 0xc2, c == 0xef: // the first bytes of U+00A0 and U+FEFF
			return false
		}
	}
	return true
}

func shownRune(r rune) rune {
	switch {
	case r == '\t':
		return r
	case r < ' ', r == 0x7f, r == '\ufeff':
		return -1
	case r == '\u00a0':
		return ' '
	}
	return r
}
