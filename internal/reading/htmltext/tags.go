package htmltext

import (
	"strings"
	"unicode/utf8"
)

// maxTag is the most bytes of one tag whose attributes are looked at.
const maxTag = 8 << 10

// shortTags leaves out the attributes of tags longer than maxTag, and of a text
// between two tags what is longer than any text that is kept: the tokenizer
// holds both in one piece, attributes as much more than they are. What is left
// out is images and other data, in the wild.
func shortTags(src string, limit int) string {
	var b strings.Builder
	done, end := 0, 0
	for end < len(src) {
		at := strings.IndexByte(src[end:], '<')
		if at < 0 {
			at = len(src) - end
		}
		if at > limit {
			whole := end + limit
			for whole > end && !utf8.RuneStart(src[whole]) {
				whole--
			}
			b.WriteString(src[done:whole])
			done = end + at
		}
		if at += end; at == len(src) {
			break
		}
		end = tagEnd(src, at)
		if end-at > maxTag && isLetter(src, at+1) {
			name := at + 1
			for name < end && (isLetter(src, name) || isDigit(src[name])) {
				name++
			}
			b.WriteString(src[done:name])
			b.WriteByte('>')
			done = end
		}
	}
	if done == 0 {
		return src
	}
	b.WriteString(src[done:])
	return b.String()
}

// tagEnd is behind the tag or comment that begins at the offset: behind its >,
// save one within quotes. One that does not end takes all.
func tagEnd(src string, at int) int {
	if strings.HasPrefix(src[at:], "<!--") {
		if end := strings.Index(src[at+4:], "-->"); end >= 0 {
			return at + 4 + end + 3
		}
		return len(src)
	}
	if !isLetter(src, at+1) {
		return at + 1 // a closing tag or a mere sign
	}
	quote := byte(0)
	for i := at + 1; i < len(src); i++ {
		switch c := src[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i + 1
		// Only a value begins with a quote (HTML, section 13.2.5.37).
		case (c == '"' || c == '\'') && strings.HasSuffix(strings.TrimRight(src[max(at, i-40):i], " \t\n\r"), "="):
			quote = c
		}
	}
	return len(src)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(s string, i int) bool {
	return i < len(s) && (s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z')
}
