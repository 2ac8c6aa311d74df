package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"onefold/internal/extract"
)

// name is taken from the form, then the display name of From, then the line
// after a closing, then the first line of the signature where the address
// bears it out.
func (r reader) name() extract.Field {
	s := r.source
	if f := given(s.Given.Name); f.Value != "" {
		return f
	}
	if f := r.displayName(s.FromName); f.Value != "" {
		return f
	}
	if f := r.nameAfterClosing(); f.Value != "" {
		return f
	}
	signature := lines(s.Signature)
	if len(signature) == 0 || !r.looksLikeName(signature[0], 2) || !namedInAddress(signature[0], s.FromAddress) {
		return extract.Field{}
	}
	return extract.Field{Value: signature[0], Confidence: strong, Evidence: signature[0], Where: extract.InSignature}
}

// displayName reads "Alex Morgan", "Morgan, Alex", "Alex Morgan (Example
// Ltd)", "Alex Morgan | Example Ltd" and "'Alex Morgan' via Sales".
func (r reader) displayName(display string) extract.Field {
	evidence := strings.Join(strings.Fields(display), " ")
	name := evidence
	for _, cut := range []string{" (", " | ", " - ", " – ", " via ", " @ "} {
		name, _, _ = strings.Cut(name, cut)
	}
	name = strings.Trim(name, "\"'“”‘’ ")
	swapped := false
	if last, first, found := strings.Cut(name, ","); found {
		first, last = strings.TrimSpace(first), strings.TrimSpace(last)
		if strings.Contains(first, ",") || isTitle(first) {
			return extract.Field{}
		}
		// The evidence of a swapped name is the swapped text alone.
		evidence, name, swapped = name, first+" "+last, true
	}
	if !r.plausibleName(name, 1) {
		return extract.Field{}
	}
	f := extract.Field{Value: name, Confidence: strong, Evidence: evidence, Where: extract.InFrom}
	if swapped || !strings.Contains(name, " ") {
		f.Confidence = fair
	}
	return f
}

// isTitle tells what stands after a comma without being a first name.
func isTitle(s string) bool {
	switch plain(s) {
	case "phd", "ph d", "md", "m d", "mba", "msc", "m sc", "bsc", "jr", "sr", "esq", "cpa", "dr", "ii", "iii":
		return true
	}
	return false
}

// closingReach is how many lines from the end a closing is looked for.
const closingReach = 12

// nameAfterClosing reads the line under "Best regards,", or what stands on
// that line after its comma.
func (r reader) nameAfterClosing() extract.Field {
	all := lines(r.source.Visible)
	visible := len(all)
	all = append(all, lines(r.source.Signature)...)
	for i := len(all) - 1; i >= 0 && i >= len(all)-closingReach; i-- {
		name, line := "", i
		before, after, hasComma := strings.Cut(all[i], ",")
		switch {
		case r.words.is("closing", plain(all[i])) && i+1 < len(all):
			line = i + 1
			name = all[line]
		case hasComma && r.words.is("closing", plain(before)):
			name = strings.TrimSpace(after)
		default:
			continue
		}
		// "Alex Morgan, Head of Sales"
		name, _, _ = strings.Cut(name, ",")
		name = strings.TrimRight(strings.TrimSpace(name), ".")
		if !r.looksLikeName(name, 1) {
			continue
		}
		f := extract.Field{Value: name, Confidence: fair, Evidence: name, Where: extract.InVisible}
		if strings.Contains(name, " ") && namedInAddress(name, r.source.FromAddress) {
			f.Confidence = strong
		} else if !strings.Contains(name, " ") {
			f.Confidence = hinting
		}
		if line >= visible {
			f.Where = extract.InSignature
		}
		return f
	}
	return extract.Field{}
}

// looksLikeName is stricter than plausibleName: in running text a name is
// known by its capitals too.
func (r reader) looksLikeName(s string, fewest int) bool {
	if !r.plausibleName(s, fewest) {
		return false
	}
	for _, w := range strings.Fields(s) {
		first, _ := utf8.DecodeRuneInString(w)
		if unicode.IsLower(first) && !isParticle(w) {
			return false
		}
	}
	return true
}

func isParticle(w string) bool {
	switch w {
	case "von", "van", "de", "der", "den", "del", "della", "di", "da", "dos", "du", "la", "le", "y", "zu", "zur", "bin", "al", "el":
		return true
	}
	return false
}

// plausibleName: one to four words of letters, none of them an office's or a
// company's.
func (r reader) plausibleName(s string, fewest int) bool {
	words := strings.Fields(s)
	if len(words) < fewest || len(words) > 4 {
		return false
	}
	letters := 0
	for _, c := range s {
		switch {
		case unicode.IsLetter(c) || unicode.Is(unicode.M, c):
			letters++
		case c == ' ' || c == '-' || c == '\'' || c == '’' || c == '.':
		default:
			return false
		}
	}
	if letters < 2 || r.endsInLegalForm(s) {
		return false
	}
	for _, w := range strings.Fields(plain(s)) {
		if r.words.is("not_a_name", w) {
			return false
		}
	}
	// "example.com" is no name; "J. R. Morgan" is.
	for _, w := range words {
		if i := strings.IndexByte(w, '.'); i > 2 && i < len(w)-1 {
			return false
		}
	}
	return !r.words.is("closing", plain(s))
}

// namedInAddress tells whether the local part bears one of the name's words.
func namedInAddress(name, address string) bool {
	local := plainLocal(address)
	for _, w := range strings.Fields(plain(name)) {
		if utf8.RuneCountInString(w) >= 3 && strings.Contains(local, w) {
			return true
		}
	}
	return false
}

func plainLocal(address string) string {
	local, _, _ := strings.Cut(address, "@")
	return strings.ReplaceAll(plain(local), " ", "")
}

// lines are the lines with words, trimmed.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); plain(line) != "" {
			out = append(out, line)
		}
	}
	return out
}
