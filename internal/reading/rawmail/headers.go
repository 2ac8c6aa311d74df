package rawmail

import (
	"bytes"
	"strings"
)

// header is the top header block in order, names in lower case, values
// unfolded and in UTF-8 but with encoded words still encoded.
type header []field

type field struct{ name, value string }

// get gives the first value, "" if none; has tells the two apart.
func (h header) get(name string) string {
	for _, f := range h {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

func (h header) has(name string) bool {
	for _, f := range h {
		if f.name == name {
			return true
		}
	}
	return false
}

func (h header) all(name string) []string {
	var values []string
	for _, f := range h {
		if f.name == name {
			values = append(values, f.value)
		}
	}
	return values
}

// splitHeader reads the header block by hand: no library at hand goes on
// after a line that is no header field, and the mail must not be lost for one.
// A text that begins beyond the bound is not looked for: the mail has none.
func splitHeader(raw []byte, w *warnings) (header, []byte) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	raw = bytes.TrimLeft(raw, "\r\n")
	var h header
	var open strings.Builder // value of the last field, once it has a second line
	closeField := func() {
		if open.Len() > 0 {
			h[len(h)-1].value = open.String()
			open.Reset()
		}
	}
	rest, kept, folds := raw, 0, 0
	var stray []byte // from the first of the latest run of lines that are no fields
	for first := true; len(rest) > 0; first = false {
		line, next := nextLine(rest)
		long := len(raw)-len(rest) >= maxHeaderRead
		if long || len(line) == 0 {
			closeField()
			if stray != nil {
				return endOnStray(h, raw, stray, w)
			}
			if long {
				w.add(warnHeaderTruncated)
				w.add(warnTextTruncated)
				next = nil
			}
			return h, next
		}
		if most := maxHeader - kept; len(line) > most {
			w.add(warnHeaderTruncated)
			line = line[:most]
		}
		switch {
		case first && mboxLine(line):
			w.add(warnMboxLine)
		case kept >= maxHeader || len(h) >= maxFields:
			w.add(warnHeaderTruncated)
		case (line[0] == ' ' || line[0] == '\t') && len(h) > 0 && stray == nil:
			if folds++; folds > maxFolds {
				w.add(warnHeaderTruncated)
				break
			}
			kept += len(line)
			// Each line is copied once: a value made anew for each would cost the
			// square of their number.
			if open.Len() == 0 {
				open.WriteString(h[len(h)-1].value)
			}
			open.WriteByte(' ')
			open.Write(bytes.TrimSpace(line))
		default:
			name, value, ok := splitField(line)
			if !ok && stray == nil && len(h) > 0 && lostIndent(h[len(h)-1].value, open.String(), line) {
				w.add(warnStrayLine)
				closeField()
				h[len(h)-1].value += " " + string(bytes.TrimSpace(line))
				kept += len(line)
				break
			}
			if !ok {
				if stray == nil {
					stray = rest
				}
				kept += len(line)
				break
			}
			if stray != nil {
				w.add(warnStrayLine)
				stray = nil
			}
			kept += len(line)
			closeField()
			h = append(h, field{name, value})
		}
		rest = next
	}
	closeField()
	if stray != nil {
		return endOnStray(h, raw, stray, w)
	}
	return h, nil
}

// mboxLine is what mailbox files put before a mail; "From :" is a field.
func mboxLine(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("From ")) && !bytes.HasPrefix(line, []byte(">From ")) {
		return false
	}
	_, _, isField := splitField(line)
	return !isField
}

// lostIndent: a parameter on a line of its own, after a value that ends in a
// semicolon, is a continuation whose white space got lost.
func lostIndent(value, open string, line []byte) bool {
	if open != "" {
		value = open
	}
	return strings.HasSuffix(value, ";") && len(value) < maxValue && len(line) < maxValue && bytes.IndexByte(line, '=') > 0
}

// endOnStray: the block ended in lines that are no fields. They are the body,
// begun without a separator; with no field before them all is body.
func endOnStray(h header, raw, stray []byte, w *warnings) (header, []byte) {
	w.add(warnNoSeparator)
	if len(h) == 0 {
		return nil, raw
	}
	return h, stray
}

// nextLine takes LF and CRLF.
func nextLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return bytes.TrimRight(b, "\r"), nil
	}
	return bytes.TrimRight(b[:i], "\r"), b[i+1:]
}

// splitField reads "name: value". White space before the colon is tolerated
// (RFC 5322 section 4.5.8).
func splitField(line []byte) (name, value string, ok bool) {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || colon > 128 {
		return "", "", false
	}
	key := bytes.TrimRight(line[:colon], " \t")
	for _, c := range key {
		if c <= ' ' || c >= 0x7f {
			return "", "", false
		}
	}
	if len(key) == 0 {
		return "", "", false
	}
	return strings.ToLower(string(key)), string(bytes.TrimSpace(line[colon+1:])), true
}

// toUTF8 turns raw 8-bit values into UTF-8, after unfolding so that no
// character is split.
func (h header) toUTF8(w *warnings) {
	for i, f := range h {
		if plainASCII(f.value) {
			continue
		}
		value, guessed := guessCharset([]byte(f.value))
		if guessed {
			w.add(warn8BitHeader)
		}
		h[i].value = value
	}
}

// plainASCII: nothing that could be another charset, ISO-2022 with its escapes
// included.
func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] == 0x1b {
			return false
		}
	}
	return true
}
