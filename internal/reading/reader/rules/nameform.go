package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// looksLikeName is stricter than plausibleName: in running text a name is
// known by its capitals too.
func (r *sourceRead) looksLikeName(s string, fewest int) bool {
	if !r.plausibleName(s, fewest) {
		return false
	}
	for _, w := range strings.Fields(s) {
		first, _ := utf8.DecodeRuneInString(w)
		if unicode.IsLower(first) && !isParticle(w) {
			return false
		}
	}
	return true
}

func isParticle(w string) bool {
	switch w {
	case "von", "van", "de", "der", "den", "del", "della", "degli", "di", "da", "do", "dos", "das", "du", "la", "las", "los", "le", "y", "zu", "zur", "zum",
		"vom", "ter", "ten", "te", "'t", "bin", "ibn", "al", "el", "af", "av", "e", "i", "ní", "ó", "d'", "d’":
		return true
	}
	return false
}

// mostNameWords is how many words a name has at most, particles aside.
const mostNameWords = 5

// plausibleName: a few words of letters, none of them an office's or a
// company's.
func (r *sourceRead) plausibleName(s string, fewest int) bool {
	words := strings.Fields(s)
	counted := 0
	for _, w := range words {
		if !isParticle(w) {
			counted++
		}
		if utf8.RuneCountInString(w) > 40 {
			return false
		}
	}
	if counted == 0 || len(words) < fewest || counted > mostNameWords || len(words) > 8 {
		return false
	}
	letters := 0
	for _, c := range s {
		switch {
		case unicode.IsLetter(c) || unicode.Is(unicode.M, c):
			letters++
		case c == ' ' || c == '-' || c == '\'' || c == '’' || c == '.':
		default:
			return false
		}
	}
	if letters < 2 || r.endsInLegalForm(s) {
		return false
	}
	for _, w := range strings.Fields(plain(s)) {
		if r.words.is("not_a_name", w) {
			return false
		}
	}
	// "example.com" is no name; "J. R. Morgan" is.
	for _, w := range words {
		if i := strings.IndexByte(w, '.'); i > 2 && i < len(w)-1 {
			return false
		}
	}
	return !r.words.is("closing", plain(s))
}

// namedInAddress tells whether the local part bears one of the name's words.
func namedInAddress(name, address string) bool {
	local := plainLocal(address)
	for _, w := range strings.Fields(plain(name)) {
		if utf8.RuneCountInString(w) >= 3 && strings.Contains(local, w) {
			return true
		}
	}
	return false
}

// nameWords are a name's words without particles.
func nameWords(name string) []string {
	var out []string
	for _, w := range strings.Fields(name) {
		if !isParticle(strings.ToLower(w)) {
			out = append(out, strings.Fields(plain(w))...)
		}
	}
	return out
}

// agree: each word of the shorter name is one of the longer, its initial, or
// a short form of it.
func agree(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return false
	}
	for _, x := range a {
		fits := false
		for _, y := range b {
			short := min(utf8.RuneCountInString(x), utf8.RuneCountInString(y))
			fits = fits || x == y || (short == 1 || short >= 3) && (strings.HasPrefix(x, y) || strings.HasPrefix(y, x))
		}
		if !fits {
			return false
		}
	}
	return true
}

// spelt is how many letters of a name are written out, initials aside.
func spelt(words []string) int {
	n := 0
	for _, w := range words {
		if len(w) > 1 {
			n += utf8.RuneCountInString(w)
		}
	}
	return n
}
