package rawmail

import (
	"regexp"
	"strings"

	"onefold/internal/reading/phrases"
)

// The words of mail programs in the languages they write quotation headers
// in. Each pattern is tried on at most four joined lines.
var (
	quoteBegin = regexp.MustCompile(`(?i)^\s*(?:-{2,4}\s*)?(?:on|in data|am|le|el|il|op|em|den|på|em|dnia|w dniu|на|в|ma|pe|to|ti|ke|la|su|vào|\d{4}|\d{1,2}[./ :]|mon|tue|wed|thu|fri|sat|sun|пн|вт|ср|чт|пт|сб|вс|lun|mar|mer|mié|jeu|jue|ven|vie|sam|sáb|dim|dom|seg|ter|qua|qui|sex|man|tir|ons|tor|fre|lør|søn|mån|tis|lör|sön|do|mo|di|mi|fr|sa|so|"|'|<?[\w.+-]+@|[^\s:]+ [^\s:]+ (?:wrote|schrieb|a écrit|escribió))`)

	wroteEnd = regexp.MustCompile(`(?i)(?:\bwrote|\bwrites|\bschrieb(?:en)?\b.*|a écrit|escribió|ha scritto|schreef.*|escreveu|skrev.*|kirjoitti.*|napisał(?:\(a\)|a)?|пишет|написала?|viết|yazdı|написав|пише|napsal\(?a?\)?|napísal\(?a?\)?|ezt írta|a scris|έγραψε|写道|寫道|のメール|님이 작성|כתב\S*|rašė|kirjutas)\s*[:：]?\s*-{0,4}\s*[:：]?\s*$`)

	// datedAddress is a header without a verb: a date, somebody, an address, a colon.
	datedAddress = regexp.MustCompile(`(?i)(?:19|20)\d\d.{0,160}<?[^\s<>@]+@[^\s<>@]+>?\s*(?:\([^)]*\))?\s*:\s*$`)

	// verbs are in every match of wroteEnd.
	verbs = phrases.New(``, "wrote", "writes", "schrieb", "a écrit", "escribió", "scritto", "schreef", "escreveu", "skrev", "kirjoitti", "napisał", "пишет", "написал", "viết", "yazdı", "написав",
		"пише", "napsal", "napísal", "ezt írta", "a scris", "έγραψε", "写道", "寫道", "のメール", "님이 작성", "כתב", "rašė", "kirjutas")

	hasDate = regexp.MustCompile(`\d{1,4}[./: \-年]|\b\d{1,2}\b`)

	original  = regexp.MustCompile(`(?i)^[\s>*]*[-_=]{2,}\s*(?:original message|original appointment|reply message|forwarded message|forwarded by .*|ursprüngliche (?:nachricht|mail)|weitergeleitete (?:nachricht|mail)|message (?:d'origine|original|transféré)|mensaje (?:original|reenviado)|messaggio (?:originale|inoltrato)|oorspronkelijk bericht|doorgestuurd bericht|mensagem (?:original|encaminhada)|original(?:t)? meddelande|oprindelig (?:meddelelse|besked)|opprinnelig melding|alkuperäinen viesti|исходное сообщение|пересылаемое сообщение|oryginalna wiadomość|wiadomość oryginalna)\s*[-_=]*\s*$`)
	forwarded = regexp.MustCompile(`(?i)^\s*(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message (?:réexpédié|transféré)|inicio del mensaje reenviado|inizio messaggio inoltrato|início da mensagem encaminhada)\s*:\s*$`)

	sentFrom = regexp.MustCompile(`(?i)^[\s*_\[(<]*(?:sent (?:from|via|with|using) (?:my |the |your )?\S|get outlook for|(?:von|aus) meine\w* .{1,40} gesendet|gesendet (?:von|mit|über|aus) \S|envoyé (?:de|à partir de|depuis) \S|télécharger outlook|obtenez outlook|enviado (?:desde|de|do|a partir) \S|obtener outlook|inviato da\S* \S|verzonden (?:vanaf|met|via|vanuit) \S|sendt fra \S|skickat från \S|lähetetty \S+|hämta outlook|wysłane? z \S|отправлено (?:с|из) \S|download outlook|enviada? (?:do|pelo) \S)`)
)

// sight is what a line holds, found once: the patterns are too slow for every
// line of a mail.
type sight struct{ at, digit, colon, verb bool }

func sightOf(line string) sight {
	end := strings.TrimRight(line, " \t-")
	return sight{
		at: strings.IndexByte(line, '@') >= 0, digit: strings.ContainsAny(line, "0123456789"), colon: strings.HasSuffix(end, ":") || strings.HasSuffix(end, "："),
		verb: verbs.Next(strings.ToLower(cut(line, 400)), 0) >= 0,
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
	// A beginning that is not known must have all other signs, on its own line.
	known := quoteBegin.MatchString(lines[0])
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
		colon := sightOf(joined).colon
		if !strings.Contains(joined, "@") && !colon || !known && (n > 1 || !colon || !strings.Contains(joined, "@")) || !strings.ContainsAny(joined, "0123456789") {
			continue
		}
		t.budget--
		switch {
		case wroteEnd.MatchString(joined) && hasDate.MatchString(joined):
			// A sentence can end so too, but holds no address and no clock time.
			if colon || strings.Contains(joined, "@") {
				return n
			}
		case known && datedAddress.MatchString(joined):
			return n
		}
	}
	return 0
}

// mayBeHeader: some of the next lines hold what every header holds.
func (t *splitLines) mayBeHeader(i int) bool {
	var s sight
	for n := i; n < min(len(t.lines), i+4); n++ {
		l := t.sights[n]
		s = sight{at: s.at || l.at, digit: s.digit || l.digit, verb: s.verb || l.verb}
		if s.digit && (s.verb && (s.at || l.colon) || s.at && l.colon) {
			return true
		}
	}
	return false
}

// wholeRest says that everything from line i on is an older mail: a divider,
// or a block of header fields as mail programs put before it.
func (t *splitLines) wholeRest(i int) bool {
	line := t.lines[i]
	if len(line) > 400 {
		return false
	}
	switch mark := strings.TrimLeft(line, " \t>*"); {
	case mark == "":
		return false
	case mark[0] == '-' || mark[0] == '_' || mark[0] == '=':
		if original.MatchString(line) {
			return true
		}
		if divider := strings.TrimSpace(line); len(divider) < 4 || strings.Trim(divider, "_-=") != "" {
			return false
		}
		for n := i + 1; n < min(len(t.lines), i+4); n++ {
			if strings.TrimSpace(t.lines[n]) != "" {
				return headerBlock(t.lines[n:])
			}
		}
		return false
	case t.sights[i].colon && forwarded.MatchString(line):
		return true
	}
	return headerBlock(t.lines[i:])
}

// headerBlock is a From line with at least two other fields close behind.
func headerBlock(lines []string) bool {
	name, value := labelOf(lines[0])
	if !isFromLabel(name) || value == "" {
		return false
	}
	found := 0
	for _, l := range lines[1:min(len(lines), 8)] {
		if name, _ := labelOf(l); isHeaderLabel(name) {
			found++
		}
	}
	return found >= 2
}

// labelOf takes a line such as "*From:* Ann" apart; name is in lower case.
func labelOf(line string) (name, value string) {
	line = strings.TrimLeft(line, " \t>*")
	near := cut(line, 60)
	name, _, ok := strings.Cut(near, ":")
	width := 1
	if !ok {
		if name, _, ok = strings.Cut(near, "\uff1a"); !ok { // the wide colon of Chinese and Japanese
			return "", ""
		}
		width = len("\uff1a")
	}
	return strings.ToLower(strings.TrimRight(name, " \t*")), strings.Trim(line[len(name)+width:], " \t*")
}

func isFromLabel(name string) bool {
	switch name {
	case "from", "message du", "von", "de", "da", "van", "från", "fra", "lähettäjä", "od", "от", "kimden", "expéditeur", "发件人", "差出人":
		return true
	}
	return false
}

func isHeaderLabel(name string) bool {
	switch name {
	case "sent", "sujet", "date", "to", "cc", "subject", "reply-to", "gesendet", "datum", "an", "betreff", "envoyé", "envoyé le", "à", "objet", "date d'envoi",
		"enviado", "enviado el", "enviado em", "enviada em", "para", "asunto", "assunto", "fecha", "data", "inviato", "a", "oggetto", "verzonden", "aan", "onderwerp",
		"skickat", "till", "ämne", "sendt", "til", "emne", "lähetetty", "päivämäärä", "vastaanottaja", "kopio", "aihe", "wysłano", "do", "temat",
		"отправлено", "дата", "кому", "копия", "тема", "konu", "kime", "tarih", "发送时间", "收件人", "主题", "日時", "送信日時", "宛先", "件名":
		return true
	}
	return false
}
