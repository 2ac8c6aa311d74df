package rules

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"

	"onefold/internal/reading/reader"
)

// international finds what may be an international number.
var international = regexp.MustCompile(`\+[0-9(][0-9() \x{a0}\x{2010}\x{2011}\x{2013}./-]*[0-9]`)

// national finds what may be a number within a country.
var national = regexp.MustCompile(`\(?0[0-9(][0-9() \x{a0}\x{2010}\x{2011}\x{2013}./-]{4,}[0-9]|[2-9][0-9() \x{a0}./-]{5,}[0-9]`)

// phone is taken from the form, as typed; else it is the only number in the
// sentences that speak of the sender's own telephone, else the first of the
// signature that is no fax and no line of last resort. International numbers
// are given as E.164; of a national one the digits, where a word says that it
// is a telephone's.
func (r *sourceRead) phone() reader.Field {
	if f := given(r.source.Given.Phone); f.Value != "" {
		return f
	}
	only, several := reader.Field{}, false
	signed := map[string]bool{}
	for _, l := range r.off.lines {
		signed[l.text] = true
	}
	for _, line := range lines(r.source.Visible) {
		if signed[line] {
			continue
		}
		for _, sentence := range splitSentences(line) {
			if !strings.ContainsAny(sentence, "0123456789") {
				continue
			}
			of := r.words.findIn(strings.Fields(plain(sentence)), r.spoken)
			if !of.meets("my_phone") || of.meets("your") || of.meets("not_mine") {
				continue
			}
			for _, f := range r.numbers(sentence, reader.InVisible, fair, true) {
				several = several || only.Value != "" && only.Value != f.Value
				only = f
			}
		}
	}
	switch {
	case several:
		return reader.Field{}
	case only.Value != "":
		return only
	}
	for _, l := range r.off.lines {
		for _, f := range r.numbers(l.text, l.where, strong, false) {
			return f
		}
	}
	return reader.Field{}
}

// numbers are the numbers of one line, those left out that the words before
// them call a fax or a line for other hours. asked tells that the sentence is
// about a telephone; else a national number needs a word that says so.
func (r *sourceRead) numbers(line string, where reader.Where, confidence int64, asked bool) []reader.Field {
	var out []reader.Field
	last := 0
	for _, at := range international.FindAllStringIndex(line, -1) {
		label, text := plain(line[last:at[0]]), line[at[0]:at[1]]
		last = at[1]
		of := r.words.find(label)
		if of.meets("fax") || of.meets("other_line") || !standsAlone(line, at) {
			continue
		}
		n, err := phonenumbers.Parse(text, "")
		if err != nil || !phonenumbers.IsValidNumber(n) && !(phonenumbers.IsPossibleNumber(n) && (asked || r.isPhoneLabel(label))) ||
			strings.Trim(phonenumbers.GetNationalSignificantNumber(n), "0") == "" { // zeros alone are nobody's
			continue
		}
		out = append(out, reader.Field{
			Value:      phonenumbers.Format(n, phonenumbers.E164),
			Confidence: confidence, Evidence: text, Where: where,
		})
	}
	if len(out) > 0 || last > 0 {
		return out
	}
	for _, at := range national.FindAllStringIndex(line, -1) {
		label, text := plain(line[last:at[0]]), strings.TrimSpace(line[at[0]:at[1]])
		last = at[1]
		of := r.words.find(label)
		digits := len(onlyDigits(text))
		if of.meets("fax") || of.meets("other_line") || !r.isPhoneLabel(label) && !of.meets("my_phone") ||
			!standsAlone(line, at) || goesOn(line, at) || digits < fewestDigits || digits > mostDigits {
			continue
		}
		out = append(out, reader.Field{Value: text, Confidence: hinting, Evidence: text, Where: where})
	}
	return out
}

// goesOn tells whether the number is a part of a longer row of digits.
func goesOn(line string, at []int) bool {
	const between = "() \u00a0\u2010\u2011\u2013./-"
	before := strings.TrimRight(line[:at[0]], between)
	after := strings.TrimLeft(line[at[1]:], between)
	return strings.HasSuffix(before, "+") || before != "" && before[len(before)-1] >= '0' && before[len(before)-1] <= '9' ||
		after != "" && after[0] >= '0' && after[0] <= '9'
}

// Digits of a national number that is worth noting.
const (
	fewestDigits = 7
	mostDigits   = 13
)

// isPhoneLabel tells whether a label ends in a word for a telephone.
func (r *sourceRead) isPhoneLabel(label string) bool {
	words := strings.Fields(label)
	return len(words) > 0 && r.words.is("phone_label", words[len(words)-1]) ||
		len(words) > 1 && r.words.is("phone_label", strings.Join(words[len(words)-2:], " "))
}

func onlyDigits(s string) string {
	return strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, s)
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
