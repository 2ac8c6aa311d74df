package rules

import (
	"regexp"
	"slices"
	"strings"

	"onefold/internal/address"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
)

// signOff is what stands under the text: the closing's name and the lines of a
// signature, marked as one or not.
type signOff struct {
	lines  []signLine
	closed bool   // under a closing such as "Best regards"
	inLine string // the name that stands on the closing's own line
	where  reader.Where
}

type signLine struct {
	text  string
	where reader.Where
}

// closingReach is how many lines from the end a closing is looked for, and how
// many an unmarked signature has at most.
const (
	closingReach  = 12
	unmarkedLines = 8
	signWords     = 8 // a signature's line is no sentence
)

// signOff finds the last closing, else takes the marked signature, else a last
// paragraph that has the form of one.
func (r *sourceRead) signOff() signOff {
	var all []signLine
	for _, l := range lines(r.source.Visible) {
		all = append(all, signLine{l, reader.InVisible})
	}
	visible := len(all)
	for _, l := range lines(r.source.Signature) {
		all = append(all, signLine{l, reader.InSignature})
	}
	for i := len(all) - 1; i >= max(0, len(all)-closingReach); i-- {
		if r.words.is("closing", plain(all[i].text)) {
			return signOff{lines: all[i+1:], closed: true}
		}
		if name := r.afterClosing(all[i].text); name != "" {
			return signOff{lines: all[i+1:], closed: true, inLine: name, where: all[i].where}
		}
	}
	// A closing in words that no list has: the sender's own name stands below it.
	for i := len(all) - 1; i > max(0, len(all)-closingReach); i-- {
		if r.looksLikeName(all[i].text, 2) && r.isSender(all[i].text) && !r.isFirm(all[i].text) {
			return signOff{lines: all[i:], closed: true}
		}
	}
	if visible < len(all) {
		return signOff{lines: all[visible:]}
	}
	return signOff{lines: r.unmarked()}
}

// afterClosing is the name that follows a closing on its line: "MfG B.
// Muster", "Thanks, Alex", also after a sentence.
func (r *sourceRead) afterClosing(line string) string {
	if i := strings.LastIndexAny(line, "!?.:"); i >= 0 && i < len(line)-1 {
		// "… 3 kg. Thanks, Alex", but not "MfG B. Muster".
		if name := r.afterClosingWords(line[i+1:]); name != "" {
			return name
		}
	}
	return r.afterClosingWords(line)
}

func (r *sourceRead) afterClosingWords(line string) string {
	words := strings.Fields(line)
	for n := min(len(words)-1, 6); n > 0; n-- {
		if !r.words.is("closing", plain(strings.Join(words[:n], " "))) {
			continue
		}
		rest := strings.TrimRight(strings.TrimLeft(strings.Join(words[n:], " "), ",-–— "), ".,!")
		// Without a comma "Thanks Sam" greets whom it names; "MfG B. Muster" signs.
		comma := strings.HasSuffix(words[n-1], ",")
		if len(rest) < len(line) && r.looksLikeName(rest, 1) && (comma || len(strings.Fields(rest)) > 1 || isShortClosing(words[0])) {
			return rest
		}
	}
	return ""
}

func isShortClosing(word string) bool {
	switch plain(word) {
	case "mfg", "lg", "vg", "mvh", "cdt", "cdlt", "hilsen", "gruss", "groet", "vh":
		return true
	}
	return false
}

// unmarked is a last paragraph that reads like a signature.
func (r *sourceRead) unmarked() []signLine {
	paragraphs := strings.Split(strings.ReplaceAll(strings.TrimSpace(r.source.Visible), "\r\n", "\n"), "\n\n")
	if len(paragraphs) < 2 {
		return nil
	}
	last := lines(paragraphs[len(paragraphs)-1])
	if len(last) == 0 || len(last) > unmarkedLines {
		return nil
	}
	out := []signLine{}
	for _, l := range last {
		if len(strings.Fields(l)) > signWords && !international.MatchString(l) || strings.HasSuffix(l, "?") || strings.HasSuffix(l, "!") {
			break
		}
		out = append(out, signLine{l, reader.InVisible})
	}
	// A comma ends a closing above a name, or calls somebody by name.
	if len(out) > 0 && strings.HasSuffix(out[0].text, ",") {
		if len(out) == 1 {
			return nil
		}
		if r.looksLikeName(out[1].text, 1) {
			return out[1:]
		}
	}
	return out
}

// isSender tells whether the sender's address bears each word of a name; the
// first stands before the @, where no firm's does.
func (r *sourceRead) isSender(name string) bool {
	words := nameWords(name)
	whole := strings.ReplaceAll(plain(r.source.FromAddress), " ", "")
	for _, w := range words {
		if !strings.Contains(whole, w) {
			return false
		}
	}
	return len(words) > 1 && strings.Contains(plainLocal(r.source.FromAddress), words[0])
}

// isNoName tells whether what has the form of a name is a heading, an
// abbreviation or a wish.
func (r *sourceRead) isNoName(name string) bool {
	return (allUpper(strings.Fields(name)) || wish.OptOut("", name).Verdict != wish.OptOutNone) && !r.isBorneOut(name)
}

// isBorneOut tells whether the sender's address or From has one of a name's words.
func (r *sourceRead) isBorneOut(name string) bool {
	return namedInAddress(name, r.source.FromAddress) || agree(nameWords(name), nameWords(r.source.FromName))
}

// isLoose tells whether a line without a closing above it may be anything: it has
// words of the subject, or is not what the sender's address says of who it is.
func (r *sourceRead) isLoose(name string) bool {
	return !r.isBorneOut(name) &&
		(strings.Contains(" "+plain(r.source.Subject)+" ", " "+plain(name)+" ") || contradicts(r.source.FromAddress, nameWords(name)))
}

// personal is a local part of two names, or of an initial and a name.
var personal = regexp.MustCompile(`^(\pL+)[._-](\pL{2,})\d*$`)

// contradicts tells whether the address is a person's whose names or initials are
// others. Of a local part of one word its first letter tells as much, and of a
// single word under a text that is all there is.
func contradicts(address string, name []string) bool {
	local, _, _ := strings.Cut(address, "@")
	of := []string{plain(local)}
	if m := personal.FindStringSubmatch(local); m != nil {
		of = []string{plain(m[1]), plain(m[2])}
	} else if len(name) > 1 {
		return false
	}
	return slices.ContainsFunc(name, func(w string) bool {
		return !slices.ContainsFunc(of, func(part string) bool { return part != "" && w != "" && part[0] == w[0] })
	})
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

func isAddress(written string) bool {
	_, err := address.Parse(written)
	return err == nil
}

func plainLocal(address string) string {
	local, _, _ := strings.Cut(address, "@")
	return strings.ReplaceAll(plain(local), " ", "")
}

// domainName is the sender's domain without its last label, as bare letters;
// "" for an address that is not the sender's own business.
func (r *sourceRead) domainName() string {
	for _, written := range []string{r.source.FromAddress, r.source.ReplyTo, r.source.Given.Email} {
		_, domain, found := strings.Cut(written, "@")
		if !found || reader.IsMachineAddress(written) {
			continue
		}
		if i := strings.LastIndexByte(domain, '.'); i > 0 {
			return strings.ReplaceAll(plain(domain[:i]), " ", "")
		}
	}
	return ""
}
