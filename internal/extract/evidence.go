package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// at returns the texts that a place consists of; an evidence stands in one of
// them whole. Quoted is no place, and so is a word outside the list.
func (s Source) at(w Where) []string {
	switch w {
	case InVisible:
		return []string{s.Visible}
	case InSignature:
		return []string{s.Signature}
	case InSubject:
		return []string{s.Subject}
	case InFrom:
		return []string{s.FromName, s.FromAddress, s.FromName + " <" + s.FromAddress + ">"}
	case InReplyTo:
		return []string{s.ReplyTo}
	case InForm:
		return []string{s.Given.Email, s.Given.Name, s.Given.Company, s.Given.Phone}
	}
	return nil
}

// fold makes texts comparable: NFKC, lower case, invisible characters out,
// white space as one space.
func fold(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(text))
	return strings.Join(strings.Fields(text), " ")
}

// standsIn tells whether the words of part stand in text, whole and in order.
// An empty part stands nowhere.
func standsIn(part, text string) bool {
	part, text = fold(part), fold(text)
	if part == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(part)
		if parted(text, start) && parted(text, end) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}
}

// parted tells whether one word ends and another begins at i.
func parted(text string, i int) bool {
	before, n := utf8.DecodeLastRuneInString(text[:i])
	after, m := utf8.DecodeRuneInString(text[i:])
	if n == 0 || m == 0 {
		return true
	}
	return !inWord(before) || !inWord(after) || unspaced(before) || unspaced(after)
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// unspaced tells the scripts that write no space between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// companyStands tells whether the value stands in its evidence. Like the
// others of its kind it is asked after the evidence was found in the text.
func companyStands(value, evidence, _ string) bool { return standsIn(value, evidence) }

// nameStands also takes "Morgan, Alex" as evidence for "Alex Morgan".
func nameStands(value, evidence, _ string) bool {
	if standsIn(value, evidence) {
		return true
	}
	last, first, found := strings.Cut(strings.Trim(evidence, "\"' "), ",")
	return found && !strings.Contains(first, ",") && fold(value) == fold(first+" "+last)
}

// emailStands wants the address in the text too: an evidence of
// "alex@example.com" cut out of "x-alex@example.com" is for nobody.
func emailStands(value, evidence, text string) bool {
	return hasEmail(value, evidence) && hasEmail(value, text)
}

// phoneStands wants the number whole in the text too, not cut out of a longer.
func phoneStands(value, evidence, text string) bool {
	return hasPhone(value, evidence) && hasPhone(value, text)
}
