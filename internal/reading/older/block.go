package older

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Facts is what the header of a mail says that an older mail in its text may say
// again.
type Facts struct {
	Subject string
	Writer  []string // names and addresses of the sender
	Forward bool     // the subject says that it passes a mail on
}

// IsSubject reports whether a value is the subject, save prefixes such as "Re:".
func (f Facts) IsSubject(value string) bool {
	value = strings.ToLower(value)
	long, short := strings.ToLower(f.Subject), value
	if len(short) > len(long) {
		long, short = short, long
	}
	before, ok := strings.CutSuffix(long, short)
	return short != "" && ok && (before == "" || strings.ContainsAny(before[len(before)-1:], " :]\uff1a"))
}

// holdsOne reports whether a value holds one of the names.
func holdsOne(value string, names []string) bool {
	value = strings.ToLower(value)
	for _, name := range names {
		if strings.Contains(value, strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// field is one line of a header block, with what its value looks like.
// The lines of Notes have no labels for sender and date.
type field struct {
	label, value string
	address      bool
	dated        bool // a date with a time of day
}

// maxBlockLines is how many lines of a header block are looked at: recipients
// may take many.
const maxBlockLines = 40

// headerBlock appends to fields those that mail programs put above an older mail,
// by their shape: short labels in any language. n is how many lines they take.
func headerBlock(fields []field, lines []string) (_ []field, n int) {
	lines = lines[:min(len(lines), maxBlockLines)]
	list := false // the last line goes on
	for ; n < len(lines); n++ {
		line := bareLine(lines[n])
		label, value := Label(line)
		last := len(fields) - 1
		switch {
		case line == "":
			if last < 0 || !anyOf(isLabelled, lines[n+1:], 2) {
				return fields, n
			}
		case label != "":
			fields = append(fields, field{label: label, value: value})
		case last < 0:
			if len(line) > 120 || !dateWithTime(line) && !anyOf(isDate, lines[n+1:], 2) || !hasAddress(line) && !personName(line) {
				return fields, n
			}
			fields = append(fields, field{value: line})
		case last < 2 && fields[0].label == "" && dateWithTime(line):
			fields = append(fields, field{value: line})
		case last < 2 && fields[0].label == "" && len(line) <= 80 && anyOf(isLabelled, lines[n+1:], 1):
			// "Please respond to Ann"
		case fields[last].value == "" || list || line[0] == ',' || line[0] == '<' || strings.IndexByte(" \t", lines[n][0]) >= 0 && bareLine(lines[n-1]) != "":
			if f := &fields[last]; len(f.value) < 120 && strings.IndexByte(f.value, '@') < 0 {
				f.value = strings.TrimSpace(f.value + " " + head(line, 400))
			}
		default:
			return fields, n
		}
		list = line != "" && strings.IndexByte(",;", line[len(line)-1]) >= 0
	}
	return fields, n
}

func isLabelled(line string) bool {
	label, _ := Label(bareLine(line))
	return label != ""
}

func isDate(line string) bool {
	return len(line) <= 80 && dateWithTime(bareLine(line)) && !isLabelled(line)
}

// anyOf reports whether one of the next lines is so.
func anyOf(is func(string) bool, lines []string, next int) bool {
	return slices.ContainsFunc(lines[:min(next, len(lines))], is)
}

// older reports whether fields are those of an older mail: a sender with an
// address or a person's name, and a date with a time of day or, beside any date, a
// second address. Without another's address the subject must be this mail's too, or
// the writer's own address be in them. below
// says that a mail program's divider is above them, which vouches for the rest.
func (f Facts) older(fields []field, below bool) bool {
	if len(fields) < 3 {
		return false
	}
	addresses, people, timed, dated, known, writer, mine := 0, 0, false, false, below, false, false
	for i := range fields {
		h := &fields[i]
		h.address, h.dated = hasAddress(h.value), dateWithTime(h.value)
		if h.isFormField() {
			return false
		}
		is := holdsOne(h.value, f.Writer)
		another := address.FindString(h.value)
		switch {
		case h.address && !is, another != "" && !holdsOne(another, f.Writer):
			addresses++
		case personName(h.value):
			people++
		}
		timed, writer, mine = timed || h.dated, writer || is, mine || is && h.address
		dated = dated || h.dated || !h.address && strings.ContainsFunc(h.value, unicode.IsDigit)
		known = known || f.IsSubject(h.value)
	}
	switch {
	case addresses > 0:
		return timed || known || dated && (addresses > 1 || writer)
	case people > 0:
		return known && (timed || f.Forward) || timed && mine
	}
	return false
}

// isFormField reports what filled forms, orders and signatures have and no header
// of a mail: a number, a link, a field that is called one for an address.
func (h *field) isFormField() bool {
	return !h.dated && isNumber(h.value) || strings.Contains(h.value, "://") && !h.address || h.label != "" && EmailField.MatchString(h.label+":")
}

// isNumber reports a count or the number of a phone; a date has eight digits at
// most.
func isNumber(value string) bool {
	digits := 0
	for _, r := range value {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case !strings.ContainsRune("+-/(). \u00a0", r):
			return false
		}
	}
	return digits > 0 && (digits == len(value) || digits > 8 || value[0] == '+')
}

var (
	// EmailField begins a line whose value forms and signatures call a mail address.
	EmailField = regexp.MustCompile(`(?i)^\W{0,4}(?:(?:your |ihre |votre |tu |su |sua )?e-?mail(?:[- ]?ad{1,2}r\pL{2,5})?|(?:adresse|dirección|indirizzo|endereço)(?: de)? (?:e-?mail|messagerie|correo(?: electrónico)?)|mail|courriel|correo(?: electrónico)?|sähköposti|e-post|эл\. ?почта|почта|邮箱|メールアドレス)\W{0,3}?\s*[:：=]\s*`)

	address = regexp.MustCompile(`[^\s<>@,;:()\[\]"']+@[^\s<>@,;:()\[\]"']+\.[\pL\d]+`)

	// notesName is a name of Lotus Notes: "Ann Lee/Sales/Example", "Ann Lee@EXAMPLE".
	notesName = regexp.MustCompile(`^\pL[\pL .,'\-\d]{2,60}(?:(?:/[\pL\d .&\-]{1,40}){1,5}(?:@\w+)?|@\w+)`)

	clock = regexp.MustCompile(`(?:^|[^\p{Nd}.:/])(?:\p{Nd}{1,2}[:h\x{6642}\x{70b9}\x{9ede}]\s?\p{Nd}{2}|[012]?\d\.[0-5]\d(?:\.[0-5]\d)?(?:$|[^\d.])|1?\d ?[aApP]\.?[mM]\b)`)
)

// hasAddress takes the names of Notes for addresses.
func hasAddress(value string) bool {
	return strings.IndexByte(value, '@') > 0 && address.MatchString(value) || strings.ContainsAny(value, "/@") && notesName.MatchString(value)
}

// dateWithTime reports a time of day with a digit of a date beside it.
func dateWithTime(value string) bool {
	value = head(value, 200)
	if !strings.ContainsFunc(value, unicode.IsDigit) {
		return false
	}
	at := clock.FindStringIndex(value)
	return at != nil && (strings.ContainsFunc(value[:at[0]], unicode.IsDigit) || strings.ContainsFunc(value[at[1]:], unicode.IsDigit))
}

// personName is two to four words with capitals, or the name alone in a script
// that has none, and may have a date behind it: "Ann Lee on 3/4/2026 10:12 AM".
func personName(value string) bool {
	words := strings.Fields(strings.Trim(value, `"' `))
	if at := strings.IndexAny(value, "0123456789"); at >= 0 {
		words = strings.Fields(strings.Trim(value[:at], `"' `))
		last := len(words) - 1
		if last < 2 || words[last] != strings.ToLower(words[last]) || !dateWithTime(value) {
			return false
		}
		value, words = value[:at], words[:last]
	}
	if len(words) == 0 || len(words) > 4 || len(value) > 80 || strings.ContainsAny(value, "?!:") {
		return false
	}
	caseless := false
	for _, w := range words {
		c := []rune(strings.TrimLeft(w, `("'[<`) + " ")[0]
		if !unicode.IsUpper(c) && !unicode.Is(unicode.Lo, c) {
			return false
		}
		caseless = caseless || unicode.Is(unicode.Lo, c)
	}
	return len(words) > 1 || caseless
}

// bareLine is a line without marks of quotation and of stress, and without what
// shows nothing.
func bareLine(line string) string {
	line = strings.TrimFunc(head(line, maxLine), func(r rune) bool {
		return r == '>' || r == '*' || r == '_' || r == '|' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
	})
	if !strings.Contains(line, "\u200e") && !strings.Contains(line, "\u200f") {
		return line
	}
	return strings.NewReplacer("\u200e", "", "\u200f", "").Replace(line) // Windows Mail has many in a date
}

// Label takes a line such as "*From:* Ann" apart: a label is at most four words
// and holds no digit.
func Label(line string) (label, value string) {
	line = bareLine(line)
	near := head(line, 100)
	at := strings.IndexAny(near, ":\uff1a") // the wide colon of Chinese and Japanese
	if at <= 0 {
		return "", ""
	}
	label, value = line[:at], strings.TrimPrefix(strings.TrimPrefix(line[at:], ":"), "\uff1a")
	label, value = bareLine(label), bareLine(value)
	words, runes := 0, 0
	for i, r := range label {
		switch {
		case unicode.IsLetter(r):
		case i == 0:
			return "", ""
		case unicode.IsSpace(r):
			words++
		case !unicode.IsMark(r) && !strings.ContainsRune(".'\u2019-/()", r):
			return "", ""
		}
		runes++
	}
	if words > 3 || runes > 30 || strings.HasPrefix(value, "//") {
		return "", ""
	}
	return label, value
}

// head is at most limit bytes of s.
func head(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "")
}
