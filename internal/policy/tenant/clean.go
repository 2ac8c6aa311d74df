package tenant

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxValue bounds each value put into a template, in runes.
const maxValue = 200

// oneLine makes text safe to stand inside a line: valid UTF-8, every run of
// white space and control characters one space, no format characters (which can
// turn the direction of what follows), cut to the number of runes given.
func oneLine(s string, runes int) string {
	var b strings.Builder
	count, gap := 0, false
	for _, r := range strings.ToValidUTF8(s, "") {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			gap = true
			continue
		case isFormat(r):
			continue
		}
		if gap && count > 0 {
			if count+1 >= runes {
				break // no room for a space and what follows it
			}
			b.WriteByte(' ')
			count++
		}
		gap = false
		if count >= runes {
			break
		}
		b.WriteRune(r)
		count++
	}
	return b.String()
}

// isBreak tells whether a rune ends or hides a part of a line.
func isBreak(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || isFormat(r) }

// isFormat tells whether a rune is invisible, except the two joiners that
// scripts and emoji are written with.
func isFormat(r rune) bool {
	return unicode.Is(unicode.Cf, r) && r != '\u200C' && r != '\u200D'
}

// manyLines makes text safe to be a plain text body: valid UTF-8, line ends
// LF, and no control characters but LF and tab.
func manyLines(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(s, ""))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

// cutBytes cuts at the start of a rune, so that at most n bytes are left.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
