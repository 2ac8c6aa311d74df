package rules

import (
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"

	"onefold/internal/extract"
)

// international finds what may be an international number.
var international = regexp.MustCompile(`\+[0-9(][0-9() \x{a0}\x{2010}\x{2011}\x{2013}./-]*[0-9]`)

// phone is taken from the form, as typed; else a valid international number,
// as E.164: the first of the signature that is no fax, or the only one in the
// sentences that speak of the sender's own telephone.
func (r reader) phone() extract.Field {
	s := r.source
	if f := given(s.Given.Phone); f.Value != "" {
		return f
	}
	for _, line := range lines(s.Signature) {
		if found := numbers(line, extract.InSignature, strong); len(found) > 0 {
			return found[0]
		}
	}
	only := extract.Field{}
	for _, line := range lines(s.Visible) {
		for _, sentence := range splitSentences(line) {
			words := plain(sentence)
			if !r.words.meets("my_phone", words) || r.words.meets("your", words) {
				continue
			}
			for _, f := range numbers(sentence, extract.InVisible, fair) {
				if only.Value != "" && only.Value != f.Value {
					return extract.Field{}
				}
				only = f
			}
		}
	}
	return only
}

// numbers are the valid international numbers of one line, those that the
// words before them call a fax left out.
func numbers(line string, where extract.Where, confidence int64) []extract.Field {
	var out []extract.Field
	last := 0
	for _, at := range international.FindAllStringIndex(line, -1) {
		label, text := plain(line[last:at[0]]), line[at[0]:at[1]]
		last = at[1]
		if hasRun(label, "fax") || hasRun(label, "telefax") || !standsAlone(line, at) {
			continue
		}
		n, err := phonenumbers.Parse(text, "")
		if err != nil || !phonenumbers.IsValidNumber(n) {
			continue
		}
		out = append(out, extract.Field{
			Value:      phonenumbers.Format(n, phonenumbers.E164),
			Confidence: confidence, Evidence: text, Where: where,
		})
	}
	return out
}

// standsAlone tells whether no letter or digit touches the number.
func standsAlone(line string, at []int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:at[0]])
	after, _ := utf8.DecodeRuneInString(line[at[1]:])
	return !isWordRune(before) && !isWordRune(after)
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.In(r, unicode.M, unicode.Cf)
}
