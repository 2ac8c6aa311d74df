package older

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The words of mail programs in the languages they write quotation headers
// in. Each pattern is tried on at most four joined lines.
var (
	quoteBegin = regexp.MustCompile(`(?i)^\s*(?:-{2,4}\s*)?(?:on|in data|am|le|el|il|op|em|den|på|em|dnia|w dniu|на|в|ma|pe|to|ti|ke|la|su|vào|\d{4}|\d{1,2}[./ :]|mon|tue|wed|thu|fri|sat|sun|пн|вт|ср|чт|пт|сб|вс|lun|mar|mer|mié|jeu|jue|ven|vie|sam|sáb|dim|dom|seg|ter|qua|qui|sex|man|tir|ons|tor|fre|lør|søn|mån|tis|lör|sön|do|mo|di|mi|fr|sa|so|"|'|<?[\w.+-]+@|[^\s:]+ [^\s:]+ (?:wrote|schrieb|a écrit|escribió))`)

	wroteEnd = regexp.MustCompile(`(?i)(?:\bwrote|\bwrites|\bschrieb(?:en)?\b.*|a écrit|escribió|ha scritto|schreef.*|escreveu|skrev.*|kirjoitti.*|napisał(?:\(a\)|a)?|пишет|написала?|viết|yazdı|написав|пише|napsal\(?a?\)?|napísal\(?a?\)?|ezt írta|a scris|έγραψε|写道|寫道|のメール|님이 작성|כתב\S*|rašė|kirjutas)\s*[:：]?\s*-{0,4}\s*[:：]?\s*$`)

	// datedAddress is a header without a verb: a date, somebody, an address, a colon.
	datedAddress = regexp.MustCompile(`(?i)(?:19|20)\d\d.{0,160}[<(][^\s<>@]+@[^\s<>@]+[>)]\s*(?:\([^)]*\))?\s*:\s*$`)

	// shownAddress is an address as mail programs write it behind a name.
	shownAddress = regexp.MustCompile(`[<(\[]\s?(?:mailto:)?[^\s<>@]+@[^\s<>@]+\s?[>)\]]`)

	// addressWrote is a header without a date: a name, an address, one or two
	// words and a colon.
	addressWrote = regexp.MustCompile(`^[-\s*]*(?:["'(\p{Lu}\p{Lo}][^\s@:]*\s+){0,5}[<(\[]?(?:mailto:)?[^\s<>@]+@[^\s<>@]+[>)\]]*(?:\s+[\pL\p{M}()]+){1,2}\s*[:：]\s*$`)

	hasDate = regexp.MustCompile(`\d{1,4}[./: \-年]|\b\d{1,2}\b`)

	original = regexp.MustCompile(`(?i)^[\s>*]*[-_=]{2,}\s*(?:original message|original appointment|reply message|(?:ursprüngliche|antwort) (?:nachricht|mail)|message (?:d'origine|original)|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|original(?:t)? meddelande|oprindelig (?:meddelelse|besked)|opprinnelig melding|alkuperäinen viesti|исходное сообщение|oryginalna wiadomość|wiadomość oryginalna)\s*[-_=]*\s*$`)

	sentFrom = regexp.MustCompile(`(?i)^[\s*_\[(<]*(?:sent (?:from|via|with|using) (?:my |the |your )?\S|get outlook for|(?:von|aus) meine\w* .{1,40} gesendet|gesendet (?:von|mit|über|aus) \S|envoyé (?:de|à partir de|depuis) \S|télécharger outlook|obtenez outlook|enviado (?:desde|de|do|a partir) \S|obtener outlook|inviato da\S* \S|verzonden (?:vanaf|met|via|vanuit) \S|sendt fra \S|skickat från \S|lähetetty \S+|hämta outlook|wysłane? z \S|отправлено (?:с|из) \S|download outlook|enviada? (?:do|pelo) \S)`)
)

// verbs are in every match of wroteEnd.
var verbs = strings.Fields("wrote writes schrieb écrit escribió scritto schreef escreveu skrev kirjoitti napisał пишет написал viết yazdı написав " +
	"пише napsal napísal írta scris έγραψε 写道 寫道 のメール 작성 כתב rašė kirjutas")

func hasVerb(line string) bool {
	line = strings.ToLower(head(line, 400))
	return slices.ContainsFunc(verbs, func(verb string) bool { return strings.Contains(line, verb) })
}

// sight is what a line holds, found once: the patterns are too slow for every
// line of a mail.
type sight struct{ at, digit, colon bool }

func sightOf(line string) sight {
	end := strings.TrimRight(line, " \t-")
	return sight{
		at: strings.IndexByte(line, '@') >= 0, digit: strings.ContainsAny(line, "0123456789"),
		colon: strings.HasSuffix(end, ":") || strings.HasSuffix(end, "：") || strings.HasPrefix(line, "--") && strings.HasSuffix(line, "--"),
	}
}

// quoteHeader gives how many lines the header at line i takes ("On Monday Ann
// wrote:" and its like), 0 if there is none. Each line that might be one costs
// of budget; at 0 no more are looked for.
func (t *splitLines) quoteHeader(i int) int {
	lines := t.lines[i:]
	if t.budget <= 0 || len(lines) == 0 || len(lines[0]) > 400 || !t.mayBeHeader(i) {
		return 0
	}
	// A beginning that is not known must have all other signs.
	known := quoteBegin.MatchString(lines[0])
	begins := i == 0 || strings.TrimSpace(t.lines[i-1]) == ""
	joined := ""
	for n := 1; n <= min(len(lines), 4); n++ {
		l := strings.TrimSpace(lines[n-1])
		if l == "" || strings.HasPrefix(l, ">") {
			return 0
		}
		joined = strings.TrimSpace(joined + " " + l)
		if len(joined) > 400 {
			return 0
		}
		s := sightOf(joined)
		// At the beginning of a paragraph a header may take more lines.
		here := n == 1 || begins && (t.sights[i].digit || t.sights[i].at)
		if !s.at && !s.colon || !known && !here || !s.digit && !(s.colon && n == 1) {
			continue
		}
		t.budget--
		switch {
		case s.digit && known && wroteEnd.MatchString(joined) && hasDate.MatchString(joined), known && datedAddress.MatchString(joined):
			return n // a sentence can end so too, but holds no address and no clock time
		case here && s.digit && strings.HasSuffix(joined, ">") && shownAddress.MatchString(joined) && markedNext(t.lines[i+n:]):
			return n // a date and an address, above marked lines
		case !s.colon || !here:
		case hasVerb(joined) && (dateWithTime(joined) || markedNext(t.lines[i+n:])), shownAddress.MatchString(joined) && dateWithTime(joined), n == 1 && addressWrote.MatchString(joined):
			return n
		}
	}
	return 0
}

// mayBeHeader: some of the next lines hold what every header holds.
func (t *splitLines) mayBeHeader(i int) bool {
	var s sight
	next := t.lines[i:min(len(t.lines), i+4)]
	for n := range next {
		l := t.sights[i+n]
		s = sight{at: s.at || l.at, digit: s.digit || l.digit, colon: s.colon || l.colon}
		if s.at && l.colon {
			return true
		}
	}
	return (s.digit && s.at || s.colon) && slices.ContainsFunc(next, hasVerb)
}

// olderFrom reports whether everything from line i on is an older mail: a divider,
// or a block of header fields as mail programs put before it. Those count below
// what the sender wrote, and in a forwarding.
func (t *splitLines) olderFrom(i int, written bool) bool {
	line := t.lines[i]
	if len(line) > 400 {
		return false
	}
	switch mark := bareLine(line); {
	case mark == "":
		rule := strings.Count(line, "_")
		return rule >= 4 && written && t.block(i+1, rule >= ruleLength)
	case mark[0] == '-' || mark[0] == '=':
		if original.MatchString(line) || forwardDivider.MatchString(line) {
			return true
		}
		if strings.Trim(mark, "-= ") != "" && !strings.ContainsAny(mark[len(mark)-1:], "-=") || len(mark) < 4 {
			return false
		}
		return written && t.block(i+1, strings.Trim(mark, "-= ") != "")
	case t.sights[i].colon && begins.MatchString(line):
		return true
	}
	// A block begins with its first line.
	return (written || t.facts.Forward) && (i == 0 || !isLabelled(t.lines[i-1])) && t.block(i, false)
}

// ruleLength is that of the line which Outlook draws above an older mail.
const ruleLength = 20

// groupWise is a line such as ">>> Ann Lee <ann@example.com> 3/4/2026 10:12 AM >>>".
func groupWise(line string) bool {
	if !strings.HasPrefix(line, ">>>") || len(line) > 400 {
		return false
	}
	who := bareLine(line)
	return (strings.HasSuffix(strings.TrimRight(line, " \t\r"), ">>>") || sightOf(who).colon) && dateWithTime(who) && strings.ContainsFunc(who, unicode.IsLetter)
}

// block reports whether a header block of an older mail and a text begin at the
// next line with text. below: a mail program's divider is above it.
func (t *splitLines) block(i int, below bool) bool {
	for end := i + 3; i < end; i++ {
		if i >= len(t.sights) || t.budget <= 0 {
			return false
		}
		if bareLine(t.lines[i]) != "" {
			break
		}
	}
	if i >= len(t.sights) || !isLabelled(t.lines[i]) && !t.sights[min(i+1, len(t.sights)-1)].digit && !t.sights[min(i+2, len(t.sights)-1)].digit {
		return false
	}
	fields, n := headerBlock(t.fields[:0], t.lines[i:])
	t.fields = fields
	if len(fields) < 3 {
		return false
	}
	t.budget--
	return t.facts.older(fields, below) && !blank(t.lines[i+n:])
}
