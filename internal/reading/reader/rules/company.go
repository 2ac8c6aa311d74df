package rules

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"onefold/internal/reading/reader"
)

// company is taken from the form, from the signature, from a display name, or
// from a sentence in which the sender speaks of themselves. Two signs have to
// agree: a legal form, a word for an organisation, or a word that the sender's
// domain bears too, each with the place where firms stand. What stands in the
// domain alone is left to a model or a person.
func (r *sourceRead) company(name string) reader.Field {
	s := r.source
	if f := given(s.Given.Company); f.Value != "" {
		return f
	}
	if f := r.companyInSignOff(name); f.Value != "" {
		return f
	}
	if found := r.companyInLines(afterName(s.FromName)); found != "" {
		return reader.Field{Value: found, Confidence: fair, Evidence: found, Where: reader.InFrom}
	}
	if display := strings.Join(strings.Fields(s.FromName), " "); display != name && r.firmWords(display) && r.isFirm(display) && (r.bornByDomain(display) || r.endsInLegalForm(display)) {
		return reader.Field{Value: display, Confidence: fair, Evidence: display, Where: reader.InFrom}
	}
	if found := r.companyInSentence(); found != "" {
		return reader.Field{Value: found, Confidence: fair, Evidence: found, Where: reader.InVisible}
	}
	return reader.Field{}
}

// afterName is what a display name says after the name.
func afterName(display string) string {
	for _, cut := range []string{"(", "|", " - ", " – ", "@ "} { // "@ ", for "@Example" is read as an address
		if _, after, found := strings.Cut(display, cut); found {
			return strings.Trim(after, "() ")
		}
	}
	return ""
}

// companyInSignOff reads the lines below the name: first for a legal form, of
// which there must be one only, then for the other signs.
func (r *sourceRead) companyInSignOff(name string) reader.Field {
	byWhere := map[reader.Where]string{}
	for _, l := range r.off.lines {
		byWhere[l.where] += l.text + "\n"
	}
	for _, where := range []reader.Where{reader.InSignature, reader.InVisible} {
		if found := r.companyInLines(byWhere[where]); found != "" {
			return reader.Field{Value: found, Confidence: strong, Evidence: found, Where: where}
		}
	}
	if r.twoFirms() {
		return reader.Field{}
	}
	for _, l := range r.off.lines[:min(len(r.off.lines), unmarkedLines)] {
		for _, segment := range segmentEnds.Split(l.text, -1) {
			if segment = strings.TrimSpace(segment); plain(segment) != plain(name) && !agree(nameWords(segment), nameWords(name)) && r.firmWords(segment) && (r.bornByDomain(segment) || r.isOrganisation(segment)) {
				return reader.Field{Value: segment, Confidence: fair, Evidence: segment, Where: l.where}
			}
		}
	}
	return reader.Field{}
}

// twoFirms tells whether several legal forms stand under the text.
func (r *sourceRead) twoFirms() bool {
	n := 0
	for _, l := range r.off.lines {
		if r.companyName(strings.TrimSpace(l.text)) {
			n++
		}
	}
	return n > 1
}

// segmentEnds part a signature line's statements.
var segmentEnds = regexp.MustCompile(`\s*(?:[|·•;\t]|,|\s[-–—]\s)\s*`)

// companyInLines finds the one company named; two different ones are none.
func (r *sourceRead) companyInLines(text string) string {
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

// sentenceEnds part sentences; a dot inside a legal form ("S.L.") does not.
var sentenceEnds = regexp.MustCompile(`[!?\n]|\.\s+\p{Lu}|\.\s*$`)

// atCompany finds "at Example Tools Ltd" with up to five capitalised words
// before the legal form.
var atCompany = regexp.MustCompile(`(?:(?:^|[\s(,])(?:at|from|with|for|of|von|bei|der|für|chez|de|en)\s+|(?:^|\s)d['’])((?:[\p{Lu}\d][\pL\d&.'’+-]*\s+(?:(?:&|and|und|et|y)\s+)?){1,5}[\p{Lu}][\pL./]*(?:\s+&\s+Co\.?\s+KG)?)`)

func (r *sourceRead) companyInSentence() string {
	text := strings.Join(strings.Fields(r.source.Visible), " ")
	for _, sentence := range splitSentences(text) {
		if !r.words.meets("myself", plain(sentence)) {
			continue
		}
		for _, at := range atCompany.FindAllStringSubmatchIndex(sentence, -1) {
			name := sentence[at[2]:at[3]]
			if r.companyName(name) && standsAlone(sentence, at[2:4]) && !strings.HasPrefix(sentence[at[3]:], "@") { // before an @ it is an address
				return r.trimmed(name)
			}
		}
		if name := r.firmInSentence(sentence); name != "" {
			return name
		}
	}
	return ""
}

// firmInSentence is a run of capitalised words in a sentence about the sender
// that the sender's domain bears.
func (r *sourceRead) firmInSentence(sentence string) string {
	words := strings.Fields(sentence)
	for i := 1; i < len(words); i++ {
		first, _ := utf8.DecodeRuneInString(words[i])
		if !unicode.IsUpper(first) && !(r.words.names("trade", plain(words[i])) && i+1 < len(words)) {
			continue
		}
		run := []string{words[i]}
		for n := i + 1; n < len(words) && len(run) < mostFirmWords && !strings.ContainsAny(run[len(run)-1], ",.;:!?)"); n++ {
			if c, _ := utf8.DecodeRuneInString(words[n]); !unicode.IsUpper(c) && !inFirm(words[n]) {
				break
			}
			run = append(run, words[n])
		}
		for len(run) > 1 && inFirm(run[len(run)-1]) {
			run = run[:len(run)-1]
		}
		name := strings.TrimRight(strings.Join(run, " "), ",.;:!?)")
		if r.looksLikeSender(name) {
			continue // "Kim de la Example Bakery": the firm begins later
		}
		if len(run) > 1 && !strings.ContainsAny(name, "@\"") && r.bornByDomain(name) {
			return name
		}
		i += len(run) - 1
	}
	return ""
}

// inFirm tells the small words that stand inside the names of firms.
func inFirm(w string) bool {
	switch w {
	case "&", "do", "da", "de", "la", "le", "du", "des", "del", "di", "della", "og", "och", "und", "et", "y", "e", "en":
		return true
	}
	return false
}

// looksLikeSender tells whether a name is that of From or of the signature.
func (r *sourceRead) looksLikeSender(name string) bool {
	words := nameWords(name)
	return agree(words, r.fromWords) || agree(words, r.signWords)
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
func (r *sourceRead) trimmed(name string) string {
	short := strings.TrimRight(name, ".,")
	if strings.Count(name, ".") > 1 || strings.HasSuffix(name, "Inc.") || strings.HasSuffix(name, "Corp.") {
		return name
	}
	return short
}
