package eval

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// agrees tells whether a value is one of the labelled spellings: case, width,
// white space and a comma or dot at the end aside.
func agrees(said string, labels []string) bool {
	return slices.ContainsFunc(labels, func(l string) bool { return fold(said) == fold(l) })
}

func fold(s string) string {
	s = strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(s))), " ")
	s = strings.NewReplacer("’", "'", "`", "'").Replace(s)
	return strings.TrimRight(s, ".,")
}

// phoneAgrees compares digits, and whether a country is stated.
func phoneAgrees(said string, labels []string) bool {
	return slices.ContainsFunc(labels, func(l string) bool {
		return strings.HasPrefix(said, "+") == strings.HasPrefix(l, "+") && digits(said) == digits(l)
	})
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
