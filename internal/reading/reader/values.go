package reader

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"

	"onefold/internal/address"
)

// isPlain refuses what has no place in a value of one line: control,
// directional and other invisible characters. The two joiners stay, since
// names in several scripts are written with them.
func isPlain(value string) bool {
	if !utf8.ValidString(value) {
		return false
	}
	for _, r := range value {
		switch {
		case r == '\u200c' || r == '\u200d':
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp), r == utf8.RuneError:
			return false
		}
	}
	return true
}

// linkLike finds what a mail program would make a link of. A name is put into
// follow-ups, and a form lets anybody have one sent to somebody else.
var linkLike = regexp.MustCompile(`(?i)://|\bwww\.|@|\.\pL{2,}/|\.(com|net|org|info|biz|xyz|top|shop|online|site|link|click)\b`)

// isName wants two letters at least: one stands in every text.
func isName(value string) bool {
	letters := 0
	for _, r := range value {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r) || strings.ContainsRune("<>{}[]|\\=$%", r):
			return false
		}
	}
	return letters > 1 && !linkLike.MatchString(value)
}

func isCompany(value string) bool {
	if !strings.ContainsFunc(value, unicode.IsLetter) && !strings.ContainsFunc(value, unicode.IsDigit) || utf8.RuneCountInString(value) < 2 {
		return false
	}
	// A company may be called by its domain; it may not be a link or markup.
	lower := strings.ToLower(value)
	return !strings.ContainsAny(value, "<>{}@\\") && !strings.Contains(lower, "://") &&
		!strings.Contains(lower, "www.") && !pathLike.MatchString(value)
}

var pathLike = regexp.MustCompile(`\.\pL{2,}/`)

func isEmail(value string) bool {
	_, err := address.Parse(value)
	return err == nil
}

// SameAddress compares in canonical form and without the case of A to Z: which
// spelling is kept apart is for the identity rule, not for the question whose
// address it is. Wider folding would take two mailboxes for one: Unicode's
// makes an s of the long s.
func SameAddress(a, b string) bool {
	x, err := address.Parse(a)
	if err != nil {
		return false
	}
	y, err := address.Parse(strings.TrimSpace(b))
	return err == nil && lowerASCII(x.String()) == lowerASCII(y.String())
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// hasEmail tells whether one of the addresses in a text is the value. Its
// words are wider than others: "x-alex@example.com" does not hold
// "alex@example.com".
func hasEmail(value, text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("<>()[]{},;:\"|", r)
	})
	return slices.ContainsFunc(words, func(w string) bool {
		return SameAddress(value, strings.TrimRight(w, ".!?'"))
	})
}

// Digits of a telephone number, country code included: at most 15 (ITU-T
// E.164); fewer than 6 name no line from outside.
const (
	minDigits = 6
	maxDigits = 15
)

// isPhone takes an international number that its country's plan allows the
// length of, or national digits, of which no more is known.
func isPhone(value string) bool {
	if strings.HasPrefix(value, "+") {
		n, err := phonenumbers.Parse(value, "")
		return err == nil && phonenumbers.IsPossibleNumber(n)
	}
	digits := 0
	for _, r := range value {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case !strings.ContainsRune(" ()-./\u00a0\u00b7\u2007\u2009\u2010\u2011\u2012\u2013\u202f\u2212", r):
			return false
		}
	}
	return digits >= minDigits && digits <= maxDigits
}

// phoneRun is one number in a text: a sign, digits, and what stands
// between, on one line.
var phoneRun = regexp.MustCompile(`\+?[0-9(][0-9() \x{a0}\x{b7}\x{2007}\x{2009}\x{2010}-\x{2013}\x{202f}\x{2212}./-]*[0-9]`)

// hasPhone tells whether a number of the text has the value's digits. An
// international value needs an international number, however it is written:
// "+44 (0)20…" is evidence for "+4420…".
func hasPhone(value, text string) bool {
	for _, run := range phoneRun.FindAllString(text, -1) {
		if strings.HasPrefix(value, "+") {
			if a, b := international(value), international(run); a != "" && a == b {
				return true
			}
		} else if !strings.HasPrefix(run, "+") && onlyDigits(run) == onlyDigits(value) {
			return true
		}
	}
	return false
}

// plainSeparators writes typographic separators as the library knows them.
var plainSeparators = strings.NewReplacer("\u00b7", " ", "\u2007", " ", "\u2009", " ", "\u2012", "-", "\u202f", " ", "\u2212", "-")

// international is a number in E.164 form, or "".
func international(number string) string {
	number = plainSeparators.Replace(number)
	if rest, found := strings.CutPrefix(number, "00"); found {
		number = "+" + rest
	}
	if !strings.HasPrefix(number, "+") {
		return ""
	}
	n, err := phonenumbers.Parse(number, "")
	if err != nil {
		return ""
	}
	return phonenumbers.Format(n, phonenumbers.E164)
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
