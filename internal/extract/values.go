package extract

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

func isName(value string) bool {
	letters := false
	for _, r := range value {
		switch {
		case unicode.IsLetter(r):
			letters = true
		case unicode.IsDigit(r) || strings.ContainsRune("<>{}[]|\\=$%", r):
			return false
		}
	}
	return letters && !linkLike.MatchString(value)
}

func isCompany(value string) bool {
	if !strings.ContainsFunc(value, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
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

// sameAddress compares in canonical form and without case: which spelling is
// kept apart is for the identity rule, not for the question whose address it is.
func sameAddress(a, b string) bool {
	x, err := address.Parse(a)
	if err != nil {
		return false
	}
	y, err := address.Parse(strings.TrimSpace(b))
	return err == nil && strings.EqualFold(x.String(), y.String())
}

// hasEmail tells whether one of the addresses in a text is the value. Its
// words are wider than others: "x-alex@example.com" does not hold
// "alex@example.com".
func hasEmail(value, text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("<>()[]{},;:\"|", r)
	})
	return slices.ContainsFunc(words, func(w string) bool {
		return sameAddress(value, strings.TrimRight(w, ".!?'"))
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
		case !strings.ContainsRune(" ()-./\u00a0\u2010\u2011\u2013", r):
			return false
		}
	}
	return digits >= minDigits && digits <= maxDigits
}

// phoneRun is one number in a text: a sign, digits, and what stands
// between, on one line.
var phoneRun = regexp.MustCompile(`\+?[0-9(][0-9() \x{a0}\x{2010}\x{2011}\x{2013}./-]*[0-9]`)

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

// international is a number in E.164 form, or "".
func international(number string) string {
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
