package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"onefold/internal/reading/reader"
)

// name is who wrote: the form's field, else the longest form that From and the
// signature agree on, else a name by which the text introduces its writer.
// unclear tells that several people may have written, or that From and
// signature name different ones; then there is no name.
func (r *sourceRead) name() (f reader.Field, unclear bool) {
	s := r.source
	if f := given(s.Given.Name); f.Value != "" {
		return f, false
	}
	display, several := r.displayName(s.FromName)
	signed, more := r.signedName()
	if display.Value != "" && r.isFirm(display.Value) {
		display = reader.Field{}
	}
	switch {
	case several || more:
		return reader.Field{}, true
	case display.Value == "" && signed.Value == "":
		return r.introduced(), false
	case display.Value == "":
		return signed, false
	case signed.Value == "":
		return display, false
	}
	switch x, y := nameWords(display.Value), nameWords(signed.Value); {
	case agree(x, y):
		if spelt(y) > spelt(x) {
			return signed, false
		}
	case len(y) > 1:
		// One word may be a nickname; two are another person.
		return reader.Field{}, true
	}
	return display, false
}

// displayName reads "Alex Morgan", "Morgan, Alex", "Alex Morgan (Example
// Ltd)", "Dr. Alex Morgan | Example Ltd" and "'Alex Morgan' via Sales".
func (r *sourceRead) displayName(display string) (f reader.Field, several bool) {
	evidence := strings.Join(strings.Fields(display), " ")
	name := evidence
	for _, cut := range []string{" (", " | ", " - ", " – ", " via ", " @ "} {
		name, _, _ = strings.Cut(name, cut)
	}
	name = strings.Trim(name, "\"'“”‘’ ")
	if r.severalPeople(name) {
		return reader.Field{}, true
	}
	swapped := false
	if last, first, found := strings.Cut(name, ","); found {
		first, last = r.bareName(strings.TrimSpace(first)), strings.TrimSpace(last)
		switch {
		case first == "" || isDegree(first): // "Alex Morgan, PhD"
			name = last
		case strings.Contains(first, ","):
			return reader.Field{}, false
		default:
			// The evidence of a swapped name is the swapped text alone.
			evidence, name, swapped = last+", "+first, first+" "+last, true
			if !hasPhrase(display, evidence) {
				return reader.Field{}, false
			}
		}
	}
	if !swapped {
		name = r.bareName(name)
	}
	if !r.plausibleName(name, 1) || plain(name) == plainLocal(r.source.FromAddress) && !strings.Contains(name, " ") && name == strings.ToLower(name) {
		return reader.Field{}, false
	}
	f = reader.Field{Value: name, Confidence: strong, Evidence: evidence, Where: reader.InFrom}
	if swapped || !strings.Contains(name, " ") {
		f.Confidence = fair
	}
	return f, false
}

// hasPhrase tells whether a text holds another, white space aside.
func hasPhrase(text, part string) bool {
	return strings.Contains(strings.Join(strings.Fields(text), " "), part)
}

// signedName is the name under the text.
func (r *sourceRead) signedName() (f reader.Field, several bool) {
	if r.off.inLine != "" {
		if r.twoSigners(r.off.inLine) {
			return reader.Field{}, true
		}
		return r.signed(r.off.inLine, r.off.where), false
	}
	// Only the line that begins the signature: what follows may be anybody.
	if len(r.off.lines) == 0 {
		return reader.Field{}, false
	}
	line := r.off.lines[0]
	if r.twoSigners(line.text) {
		return reader.Field{}, true
	}
	name, _, _ := strings.Cut(line.text, ",") // "Alex Morgan, Head of Sales"
	name, _, _ = strings.Cut(name, " | ")
	name = r.bareName(strings.TrimRight(strings.TrimSpace(name), "."))
	fewest := 2
	if r.off.closed || len(r.off.lines) == 1 && line.where == reader.InVisible {
		fewest = 1
	}
	if !r.looksLikeName(name, fewest) || r.isFirm(name) || !r.off.closed && (r.isNoName(name) || r.isLoose(name)) {
		return reader.Field{}, false
	}
	// A marked signature may begin with a firm; without a closing the address, or
	// another line, has to bear the name out.
	if !r.off.closed && line.where == reader.InSignature && !namedInAddress(name, r.source.FromAddress) &&
		!agree(nameWords(name), nameWords(r.source.FromName)) {
		return reader.Field{}, false
	}
	return r.signed(name, line.where), false
}

func (r *sourceRead) signed(name string, where reader.Where) reader.Field {
	f := reader.Field{Value: name, Confidence: fair, Evidence: name, Where: where}
	switch {
	case !strings.Contains(name, " "):
		f.Confidence = hinting
	case namedInAddress(name, r.source.FromAddress):
		f.Confidence = strong
	}
	return f
}

// bareName takes away titles before a name and degrees after it.
func (r *sourceRead) bareName(name string) string {
	words := strings.Fields(name)
	for len(words) > 1 && r.words.is("title", plain(words[0])) && (strings.HasSuffix(words[0], ".") || utf8.RuneCountInString(words[0]) > 1) {
		words = words[1:]
	}
	for len(words) > 2 && (isDegree(words[len(words)-1]) || isLetters(words[len(words)-1]) && !allUpper(words[:len(words)-1])) {
		words = words[:len(words)-1]
	}
	return strings.TrimRight(strings.Join(words, " "), ",")
}

// isDegree tells what stands after a name without being one.
func isDegree(s string) bool {
	switch plain(s) {
	case "phd", "ph d", "md", "m d", "mba", "msc", "m sc", "bsc", "b sc", "ba", "b a", "ma", "m a", "jr", "sr", "esq", "cpa", "dr", "ii", "iii", "meng", "beng", "dipl ing", "mag", "bakk":
		return true
	}
	return false
}

// isLetters tells a row of capitals such as "MRCVS".
func isLetters(w string) bool {
	return utf8.RuneCountInString(w) >= 3 && w == strings.ToUpper(w) && !strings.ContainsAny(w, ".-'’")
}

func allUpper(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return w != strings.ToUpper(w) })
}

// severalPeople: "Paul et Odile": more than one writes.
func (r *sourceRead) severalPeople(name string) bool {
	words := strings.Fields(name)
	if len(words) > 8 {
		return false
	}
	for i := 1; i < len(words)-1; i++ {
		joins := words[i] == "&" || words[i] == "+" || r.words.is("and_name", plain(words[i])) && words[i] == strings.ToLower(words[i])
		before, after := strings.Join(words[:i], " "), strings.Join(words[i+1:], " ")
		if joins && r.looksLikeName(before, 1) && r.looksLikeName(after, 1) && !r.isFirm(name) && !r.endsInLegalForm(name) {
			return true
		}
	}
	return false
}

// twoSigners: "Kim Fox, Sam Lee" under the text.
func (r *sourceRead) twoSigners(line string) bool {
	a, b, found := strings.Cut(line, ",")
	b = strings.TrimSpace(b)
	return found && r.looksLikeName(a, 2) && r.looksLikeName(b, 2) && !r.isFirm(b) && !r.bornByDomain(b) && !r.jobOrPlace(b) ||
		r.severalPeople(line)
}

// jobOrPlace tells whether a word says what somebody does.
func (r *sourceRead) jobOrPlace(s string) bool {
	return slices.ContainsFunc(strings.Fields(plain(s)), func(w string) bool { return r.words.is("not_a_name", w) })
}

// isFirm tells whether what has the form of a name is a firm's: it is of a
// trade, or it stands in the signature below the one who signs.
func (r *sourceRead) isFirm(name string) bool {
	if r.endsInLegalForm(name) {
		return true
	}
	if slices.ContainsFunc(strings.Fields(plain(name)), func(w string) bool { return r.words.names("trade", w) }) {
		return !namedInAddress(name, r.source.FromAddress)
	}
	for i, l := range r.off.lines {
		if i > 0 && plain(l.text) == plain(name) && r.looksLikeName(r.off.lines[0].text, 2) {
			return true
		}
	}
	return false
}

// introduced is a name that the text gives as its writer's.
func (r *sourceRead) introduced() reader.Field {
	words := strings.Fields(r.source.Visible)
	if len(words) > 400 {
		words = words[:400]
	}
	bare := make([]string, len(words))
	for i, w := range words {
		bare[i] = plain(w)
	}
	for i := range words {
		for n := 1; n <= 5 && i+n < len(words); n++ {
			opener := strings.Join(bare[i:i+n], " ")
			fewest := 2
			switch {
			case r.words.is("strong_myself", opener):
				fewest = 1
			case !r.words.is("weak_myself", opener):
				continue
			}
			if name := r.capitalisedName(words[i+n:]); r.looksLikeName(name, fewest) && !r.isFirm(name) && !r.isNoName(name) {
				return reader.Field{Value: name, Confidence: fair, Evidence: name, Where: reader.InVisible}
			}
		}
	}
	return reader.Field{}
}

// capitalisedName is the run of capitalised words at the start, particles
// between them, up to a sign.
func (r *sourceRead) capitalisedName(words []string) string {
	var out []string
	for _, w := range words {
		bare := strings.TrimRight(w, ".,;:!?)")
		first, _ := utf8.DecodeRuneInString(bare)
		if !unicode.IsUpper(first) && !isParticle(bare) || len(out) == 5 {
			break
		}
		out = append(out, bare)
		if bare != w {
			break
		}
	}
	for len(out) > 0 && isParticle(out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	return strings.Join(out, " ")
}
