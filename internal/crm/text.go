package crm

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf16"
)

const shortened = "… [shortened by Onefold]"

// RichText turns plain text into HTML of at most limit characters, for vendors
// that show bodies as HTML. Escaping is a defence, not a nicety: the text comes
// from strangers. Characters are counted as UTF-16 code units, the larger of the
// two possible readings of a vendor's word.
func RichText(s string, limit int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	room := limit - units(shortened)
	var b strings.Builder
	used, fits := 0, 0 // fits: the length that leaves room for the mark
	for _, r := range s {
		piece := html.EscapeString(string(r))
		switch {
		case r == '\n':
			piece = "<br>"
		case unicode.IsControl(r):
			piece = " "
		}
		used += units(piece)
		if used > limit {
			return b.String()[:fits] + shortened
		}
		b.WriteString(piece)
		if used <= room {
			fits = b.Len()
		}
	}
	return b.String()
}

// Cut shortens plain text to limit characters, mark included.
func Cut(s string, limit int, mark string) string {
	if units(s) <= limit {
		return s
	}
	room, used := limit-units(mark), 0
	for i, r := range s {
		used += units(string(r))
		if used > room {
			return s[:i] + mark
		}
	}
	return s // unreachable: the text is longer than limit
}

// OneLine makes valid UTF-8 without control characters and with single spaces.
func OneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
