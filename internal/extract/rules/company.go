package rules

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"onefold/internal/extract"
)

// company is taken from the form, or from a name that ends (in French:
// begins) with a legal form: in the signature, in brackets after the display
// name, or in a sentence in which the sender speaks of themselves. A company
// without a legal form is left to a model or a person.
func (r reader) company() extract.Field {
	s := r.source
	if f := given(s.Given.Company); f.Value != "" {
		return f
	}
	if name := r.companyInLines(s.Signature); name != "" {
		return extract.Field{Value: name, Confidence: strong, Evidence: name, Where: extract.InSignature}
	}
	if name := r.companyInLines(afterName(s.FromName)); name != "" {
		return extract.Field{Value: name, Confidence: fair, Evidence: name, Where: extract.InFrom}
	}
	if name := r.companyInLines(r.afterClosing()); name != "" {
		return extract.Field{Value: name, Confidence: fair, Evidence: name, Where: extract.InVisible}
	}
	if name := r.companyInSentence(); name != "" {
		return extract.Field{Value: name, Confidence: fair, Evidence: name, Where: extract.InVisible}
	}
	return extract.Field{}
}

// afterName is what a display name says after the name.
func afterName(display string) string {
	for _, cut := range []string{"(", "|", " - ", " – ", "@"} {
		if _, after, found := strings.Cut(display, cut); found {
			return strings.Trim(after, "() ")
		}
	}
	return ""
}

// afterClosing is the visible text under a closing: a signature that nothing
// marked as one.
func (r reader) afterClosing() string {
	all := lines(r.source.Visible)
	for i := len(all) - 1; i >= 0 && i >= len(all)-closingReach; i-- {
		before, _, _ := strings.Cut(all[i], ",")
		if r.words.is("closing", plain(before)) {
			return strings.Join(all[i+1:], "\n")
		}
	}
	return ""
}

// segmentEnds part a signature line's statements.
var segmentEnds = regexp.MustCompile(`\s*(?:[|·•;\t]|,|\s[-–—]\s)\s*`)

// companyInLines finds the one company named; two different ones are none.
func (r reader) companyInLines(text string) string {
	found := ""
	for _, line := range lines(text) {
		// "Example Widgets, Inc."
		whole := strings.TrimSpace(line)
		segments := segmentEnds.Split(whole, -1)
		if r.companyName(whole) && len(segments) == 2 && r.words.is("legal_form", plain(segments[1])) {
			segments = []string{whole}
		}
		for _, segment := range segments {
			if _, after, is := strings.Cut(segment, " at "); is {
				segment = after
			}
			segment = strings.TrimSpace(segment)
			if !r.companyName(segment) {
				continue
			}
			if found != "" && plain(found) != plain(segment) {
				return ""
			}
			found = segment
		}
	}
	return found
}

// companyName: two to eight words, capitalised, with a legal form at an end.
func (r reader) companyName(s string) bool {
	words := strings.Fields(s)
	if len(words) < 2 || len(words) > 8 || strings.ContainsAny(s, "@<>{}\"?!:/") && !strings.Contains(s, "A/S") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) {
		return false
	}
	if r.endsInLegalForm(s) {
		return !r.words.is("legal_form", plain(s))
	}
	switch plain(words[0]) {
	case "sarl", "sas", "eurl":
		return isUpperWord(words[0]) && capitalised(words[1:])
	}
	return false
}

// endsInLegalForm tells whether the last words are a legal form, written as
// one: "AG" is, "ag" is not.
func (r reader) endsInLegalForm(s string) bool {
	words := strings.Fields(s)
	for n := 1; n <= 4 && n < len(words); n++ {
		tail := words[len(words)-n:]
		form := plain(strings.Join(tail, " "))
		first, _ := utf8.DecodeRuneInString(tail[0])
		if !r.words.is("legal_form", form) || !unicode.IsUpper(first) && form != "sp z o o" && form != "e v" {
			continue
		}
		// Two letters in lower case are a word: "Sa", "Se", "Ag".
		if len(form) == 2 && !isUpperWord(tail[0]) {
			continue
		}
		return true
	}
	return false
}

func isUpperWord(w string) bool { return w == strings.ToUpper(w) }

func capitalised(words []string) bool {
	for _, w := range words {
		if first, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(first) {
			return false
		}
	}
	return len(words) > 0
}

// sentenceEnds part sentences; a dot inside a legal form ("S.L.") does not.
var sentenceEnds = regexp.MustCompile(`[!?\n]|\.\s+\p{Lu}|\.\s*$`)

// atCompany finds "at Example Tools Ltd" with up to five capitalised words
// before the legal form.
var atCompany = regexp.MustCompile(`(?:(?:^|[\s(,])(?:at|from|with|for|of|von|bei|der|für|chez|de|en)\s+|(?:^|\s)d['’])((?:[\p{Lu}\d][\pL\d&.'’+-]*\s+(?:(?:&|and|und|et|y)\s+)?){1,5}[\p{Lu}][\pL./]*(?:\s+&\s+Co\.?\s+KG)?)`)

func (r reader) companyInSentence() string {
	text := strings.Join(strings.Fields(r.source.Visible), " ")
	for _, sentence := range splitSentences(text) {
		if !r.words.meets("myself", plain(sentence)) {
			continue
		}
		for _, at := range atCompany.FindAllStringSubmatchIndex(sentence, -1) {
			name := sentence[at[2]:at[3]]
			if r.companyName(name) && standsAlone(sentence, at[2:4]) {
				return r.trimmed(name)
			}
		}
	}
	return ""
}

func splitSentences(text string) []string {
	var out []string
	for from := 0; from < len(text); {
		m := sentenceEnds.FindStringIndex(text[from:])
		if m == nil {
			return append(out, text[from:])
		}
		_, last := utf8.DecodeLastRuneInString(text[from : from+m[1]])
		end := from + m[1]
		if strings.HasPrefix(text[from+m[0]:], ".") && last > 0 && !strings.HasSuffix(strings.TrimSpace(text[from:end]), ".") {
			end -= last // the capital begins the next sentence
		}
		out = append(out, text[from:end])
		from = end
	}
	return out
}

// trimmed takes away a sentence's dot that is none of the name's.
func (r reader) trimmed(name string) string {
	short := strings.TrimRight(name, ".,")
	if strings.Count(name, ".") > 1 || strings.HasSuffix(name, "Inc.") || strings.HasSuffix(name, "Corp.") {
		return name
	}
	return short
}
