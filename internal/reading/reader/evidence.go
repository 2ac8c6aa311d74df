package reader

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"onefold/internal/reading/wish"
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
		// An answer's subject is what somebody else called it.
		if _, isReply := wish.CutReplyPrefix(s.Subject); isReply {
			return nil
		}
		return lines(s.Subject)
	case InFrom:
		return lines(s.FromName, s.FromAddress, s.FromName+" <"+s.FromAddress+">")
	case InReplyTo:
		return []string{s.ReplyTo}
	case InForm:
		return lines(s.Given.Email, s.Given.Name, s.Given.Company, s.Given.Phone)
	}
	return nil
}

// lines makes one line of each text: a header and a field are no more.
func lines(texts ...string) []string {
	for i, t := range texts {
		texts[i] = strings.Join(strings.Fields(t), " ")
	}
	return texts
}

// fold makes texts comparable: NFKC, lower case, invisible characters out,
// white space as one space.
func fold(text string) string {
	return strings.Join(strings.Fields(strings.Map(unicode.ToLower, seen(norm.NFKC.String(text)))), " ")
}

// seen is a text without the characters that nobody sees.
func seen(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
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

// companyStands tells whether the value stands in its evidence, and in the
// text as the sender's word on himself. Like the others of its kind it is asked
// after the evidence was found in the text.
func companyStands(f Field, text string) bool { return ownWord(f, text) }

// nameStands also takes "Morgan, Alex" as evidence for "Alex Morgan".
func nameStands(f Field, text string) bool {
	if ownWord(f, text) {
		return true
	}
	last, first, found := strings.Cut(strings.Trim(f.Evidence, "\"' "), ",")
	return found && !strings.Contains(first, ",") && fold(f.Value) == fold(first+" "+last) && standsIn(f.Evidence, named(f.Where, text))
}

// ownWord tells whether a name stands in the evidence, and in the text outside
// of what names others or nobody: greetings, addresses and links.
func ownWord(f Field, text string) bool {
	return standsIn(f.Value, withoutAddresses(f.Evidence)) && standsIn(f.Value, named(f.Where, text))
}

// named is a text as far as it can name its writer. Each line of a signature is
// by itself: a name is not put together from two. Text may be broken anywhere,
// and greets.
func named(w Where, text string) string {
	text = seen(norm.NFKC.String(text))
	switch w {
	case InSignature:
		text = strings.ReplaceAll(text, "\n", gap)
	case InVisible, InSubject:
		text = withoutGreetings(text)
	default: // a header or a field
	}
	return withoutAddresses(text)
}

// gap stands for what was taken out, so that what stood around it does not
// become one name.
const gap = " \u25a1 "

// addressOrLink is an address of mail or of a page. A firm may be called by its
// domain, but not one that stands in an address alone.
var addressOrLink = regexp.MustCompile(`(?i)[^\s<>()\[\]",;]*@[^\s<>()\[\]",;]+|https?://\S+|\bwww\.\S+`)

func withoutAddresses(text string) string { return addressOrLink.ReplaceAllString(text, gap) }

// emailStands wants the address in the text too: an evidence of
// "alex@example.com" cut out of "x-alex@example.com" is for nobody.
func emailStands(f Field, text string) bool {
	return hasEmail(f.Value, f.Evidence) && hasEmail(f.Value, text)
}

// phoneStands wants the number whole in the text too, not cut out of a longer.
func phoneStands(f Field, text string) bool {
	return hasPhone(f.Value, seen(f.Evidence)) && hasPhone(f.Value, seen(text))
}
