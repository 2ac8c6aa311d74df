package rules

import (
	"slices"
	"strings"
	"unicode"

	"onefold/internal/extract"
)

// reviewReasons says why a person should look, in a fixed order.
func (r reader) reviewReasons() []string {
	s := r.source
	own := strings.Join([]string{s.FromName, s.Subject, s.Visible, s.Signature,
		s.Given.Name, s.Given.Company, s.Given.Phone, s.Given.Email}, "\n")
	// A model would read quoted text and file names as well, whoever wrote them.
	all := own + "\n" + s.Quoted + "\n" + strings.Join(s.Attachments, "\n")
	words := plain(own)
	reasons := []string{}
	if r.words.meets(extract.ReasonInstructions, plain(all)) || hidesText(all) {
		reasons = append(reasons, extract.ReasonInstructions)
	}
	if r.words.meets(extract.ReasonSensitive, words) {
		reasons = append(reasons, extract.ReasonSensitive)
	}
	if r.words.meets(extract.ReasonLegal, words) {
		reasons = append(reasons, extract.ReasonLegal)
	}
	if plain(s.Visible) == "" {
		reasons = append(reasons, extract.ReasonNoText)
	}
	slices.Sort(reasons)
	return reasons
}

// hidesText finds characters that a person does not see and a machine reads:
// tag characters outside a flag, overridden direction, and zero-width
// characters inside a word of Latin letters. At the start of a text, between
// words, in emoji and in scripts that join letters they are common and mean
// nothing.
func hidesText(text string) bool {
	var before, hidden rune // the last visible rune; an invisible one after it
	for _, c := range text {
		switch {
		case c >= 0xE0000 && c <= 0xE007F: // Unicode tags
			if before != 0x1F3F4 { // a flag of a region is spelt with them
				return true
			}
		case c == 0x202D || c == 0x202E:
			return true
		case c == 0x200B || c == 0x200C || c == 0x200D || c == 0x2060 || c == 0xFEFF:
			hidden = c
		default:
			if hidden != 0 && isLatin(before) && isLatin(c) {
				return true
			}
			before, hidden = c, 0
		}
	}
	return false
}

func isLatin(c rune) bool { return unicode.Is(unicode.Latin, c) }
