package rawmail

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"onefold/internal/reading/charsets"
)

// encodedWord is RFC 2047 section 2, wider: text may hold spaces, and a
// language may follow the charset (RFC 2231 section 5).
var encodedWord = regexp.MustCompile(`=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=`)

// decodeWords decodes encoded words anywhere in s, into one line. Neighbours
// of one charset are joined before decoding, since many mailers split a
// character between two words. A word of unknown charset is left out, with a
// warning: what nobody could read does not go into a reply's subject.
func decodeWords(s string, w *warnings) string {
	s = cut(s, maxEncoded)
	if !strings.Contains(s, "=?") {
		return oneLine(s)
	}
	found := encodedWord.FindAllStringSubmatchIndex(s, 500)
	if found == nil {
		return oneLine(s)
	}
	var out strings.Builder
	end := 0
	for i := 0; i < len(found); {
		m := found[i]
		// White space between two encoded words is not part of the text.
		if gap := s[end:m[0]]; i == 0 || strings.TrimSpace(gap) != "" {
			out.WriteString(gap)
		}
		label := s[m[2]:m[3]]
		data := wordBytes(s[m[4]:m[5]], s[m[6]:m[7]])
		end = m[1]
		for i++; i < len(found); i++ {
			n := found[i]
			if strings.TrimSpace(s[end:n[0]]) != "" || !strings.EqualFold(label, s[n[2]:n[3]]) {
				break
			}
			data = append(data, wordBytes(s[n[4]:n[5]], s[n[6]:n[7]])...)
			end = n[1]
		}
		text, ok := decodeCharset(data, label, w)
		if ok {
			out.WriteString(text)
		}
	}
	out.WriteString(s[end:])
	return oneLine(out.String())
}

func wordBytes(kind, text string) []byte {
	if kind == "b" || kind == "B" {
		return decodeBase64([]byte(text), len(text))
	}
	return decodeQuoted([]byte(strings.ReplaceAll(text, "_", "=20")), len(text))
}

// decodeCharset is total; ok is false for an unknown charset, where the text
// is a guess. A byte order mark is no text.
func decodeCharset(b []byte, label string, w *warnings) (text string, ok bool) {
	text, ok = decodeLabelled(b, label, w)
	return strings.TrimPrefix(text, "\ufeff"), ok
}

func decodeLabelled(b []byte, label string, w *warnings) (text string, ok bool) {
	label = strings.ToLower(strings.Trim(strings.TrimSpace(label), `"'`))
	label = strings.TrimPrefix(label, "charset=")
	switch label {
	case "", "us-ascii", "ascii", "utf-8", "utf8", "ansi_x3.4-1968":
		text, guessed := guessCharset(b)
		if guessed {
			w.add(warnCharsetMismatch)
		}
		return text, true
	}
	// Text that is valid UTF-8 beyond ASCII is UTF-8, whatever the label says.
	if utf8.Valid(b) && !isASCII(b) {
		w.add(warnCharsetMismatch)
		return string(b), true
	}
	if charsets.IsUTF7(label) && isASCII(b) {
		return charsets.DecodeUTF7(b), true
	}
	enc := charsets.Find(label)
	if enc == nil {
		w.add(warnUnknownCharset)
		text, _ := guessCharset(b)
		return text, false
	}
	if single, ok := enc.(*charmap.Charmap); ok {
		return decodeSingle(b, single), true
	}
	out, err := enc.NewDecoder().Bytes(b)
	if err != nil || !utf8.Valid(out) {
		w.add(warnCharsetMismatch)
		text, _ := guessCharset(b)
		return text, true
	}
	return string(out), true
}

// guessCharset reads unlabelled bytes: UTF-8 if valid, ISO-2022-JP by its
// escapes, else Windows-1252, which every byte string is; guessed tells the last.
func guessCharset(b []byte) (text string, guessed bool) {
	if s := string(b); strings.Contains(s, "\x1b$") {
		if out, err := japanese.ISO2022JP.NewDecoder().String(s); err == nil {
			return out, false
		}
	}
	if utf8.Valid(b) {
		return string(b), false
	}
	return decodeSingle(b, charmap.Windows1252), true
}

// decodeSingle decodes a charset of one byte for each character, into memory
// measured before.
func decodeSingle(b []byte, c *charmap.Charmap) string {
	size := 0
	for _, one := range b {
		size += utf8.RuneLen(c.DecodeByte(one))
	}
	var out strings.Builder
	out.Grow(size)
	for _, one := range b {
		out.WriteRune(c.DecodeByte(one))
	}
	return out.String()
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// isOneLine: ASCII without control characters, and one space between two words.
func isOneLine(s string) bool {
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return s == "" || before != ' '
}

// oneLine drops control characters and joins white space, so that no header
// value can forge a line anywhere.
func oneLine(s string) string {
	if len(s) <= maxValue && isOneLine(s) {
		return s // most are, and taking one apart costs many times its length
	}
	s = strings.ToValidUTF8(cut(s, maxEncoded), "\ufffd")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
	return cut(strings.Join(strings.Fields(s), " "), maxValue)
}
