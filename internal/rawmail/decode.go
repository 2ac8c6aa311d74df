package rawmail

import (
	"bytes"
	"strings"
)

// decodeTransfer undoes the Content-Transfer-Encoding, at most limit bytes of
// the result; cutOff says that there was more.
func decodeTransfer(raw []byte, encoding string, limit int, w *warnings) (out []byte, cutOff bool) {
	encoding, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(encoding)), ";")
	switch strings.TrimSpace(encoding) {
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
// trailing white space.
func plain(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r == 0x7f || r == '\ufeff':
			return -1
		case r == '\u00a0':
			return ' '
		}
		return r
	}, s)
	return trimLines(s)
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
		// The signature delimiter is the one line whose trailing space means something.
		if lines[i] == "--" && strings.HasPrefix(l, "-- ") {
			lines[i] = "-- "
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// passLimit counts lines that begin with one of the boundaries, and gives the
// offset where the count passes limit, or -1.
func passLimit(body []byte, boundaries []string, limit int) int {
	count := 0
	for off := 0; off < len(body); {
		end := bytes.IndexByte(body[off:], '\n')
		next := len(body)
		if end >= 0 {
			next = off + end + 1
		}
		line := body[off:next]
		if bytes.HasPrefix(line, []byte("--")) {
			for _, b := range boundaries {
				if bytes.HasPrefix(line[2:], []byte(b)) {
					if count++; count > limit {
						return off
					}
					break
				}
			}
		}
		off = next
	}
	return -1
}
