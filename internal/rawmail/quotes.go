package rawmail

import (
	"regexp"
	"strings"
)

// The words of mail programs in the languages they write quotation headers
// in. Each pattern is tried on at most four joined lines.
var (
	quoteBegin = regexp.MustCompile(`(?i)^\s*(?:-{2,4}\s*)?(?:on|in data|am|le|el|il|op|em|den|på|em|dnia|w dniu|на|в|ma|pe|to|ti|ke|la|su|vào|\d{4}|\d{1,2}[./ :]|mon|tue|wed|thu|fri|sat|sun|пн|вт|ср|чт|пт|сб|вс|lun|mar|mer|mié|jeu|jue|ven|vie|sam|sáb|dim|dom|seg|ter|qua|qui|sex|man|tir|ons|tor|fre|lør|søn|mån|tis|lör|sön|do|mo|di|mi|fr|sa|so|"|'|<?[\w.+-]+@|[^\s:]+ [^\s:]+ (?:wrote|schrieb|a écrit|escribió))`)

	wroteEnd = regexp.MustCompile(`(?i)(?:\bwrote|\bwrites|\bschrieb(?:en)?\b.*|a écrit|escribió|ha scritto|schreef.*|escreveu|skrev.*|kirjoitti.*|napisał(?:\(a\)|a)?|пишет|написала?|viết|yazdı|написав)\s*:?\s*-{0,4}\s*:?\s*$`)

	// datedAddress is a header without a verb: a date, somebody, an address, a colon.
	datedAddress = regexp.MustCompile(`(?i)(?:19|20)\d\d.{0,160}<?[^\s<>@]+@[^\s<>@]+>?\s*(?:\([^)]*\))?\s*:\s*$`)

	hasDate = regexp.MustCompile(`\d{1,4}[./: \-年]|\b\d{1,2}\b`)

	original  = regexp.MustCompile(`(?i)^[\s>*]*[-_=]{2,}\s*(?:original message|original appointment|reply message|forwarded message|forwarded by .*|ursprüngliche (?:nachricht|mail)|weitergeleitete (?:nachricht|mail)|message (?:d'origine|original|transféré)|mensaje (?:original|reenviado)|messaggio (?:originale|inoltrato)|oorspronkelijk bericht|doorgestuurd bericht|mensagem (?:original|encaminhada)|original(?:t)? meddelande|oprindelig (?:meddelelse|besked)|opprinnelig melding|alkuperäinen viesti|исходное сообщение|пересылаемое сообщение|oryginalna wiadomość|wiadomość oryginalna)\s*[-_=]*\s*$`)
	forwarded = regexp.MustCompile(`(?i)^\s*(?:begin forwarded message|anfang der weitergeleiteten nachricht|début du message (?:réexpédié|transféré)|inicio del mensaje reenviado|inizio messaggio inoltrato|início da mensagem encaminhada)\s*:\s*$`)

	fromLabel = regexp.MustCompile(`(?i)^[\s>*]*(?:from|message du|von|de|da|van|från|fra|lähettäjä|od|от|kimden|expéditeur|发件人|差出人)\s*\*?\s*:\s*\*?\s*\S`)
	anyLabel  = regexp.MustCompile(`(?i)^[\s>*]*(?:sent|sujet|date|to|cc|subject|reply-to|gesendet|datum|an|betreff|envoyé(?: le)?|à|objet|date d'envoi|enviado(?: el| em)?|enviada em|para|asunto|assunto|fecha|data|inviato|a|oggetto|verzonden|aan|onderwerp|skickat|till|ämne|sendt|til|emne|lähetetty|päivämäärä|vastaanottaja|kopio|aihe|wysłano|do|temat|отправлено|дата|кому|копия|тема|konu|kime|tarih|发送时间|收件人|主题)\s*\*?\s*:`)

	sentFrom = regexp.MustCompile(`(?i)^[\s*_\[(<]*(?:sent (?:from|via|with|using) (?:my |the |your )?\S|get outlook for|(?:von|aus) meine\w* .{1,40} gesendet|gesendet (?:von|mit|über|aus) \S|envoyé (?:de|à partir de|depuis) \S|télécharger outlook|obtenez outlook|enviado (?:desde|de|do|a partir) \S|obtener outlook|inviato da\S* \S|verzonden (?:vanaf|met|via|vanuit) \S|sendt fra \S|skickat från \S|lähetetty \S+|hämta outlook|wysłane? z \S|отправлено (?:с|из) \S|download outlook|enviada? (?:do|pelo) \S)`)

	closing = regexp.MustCompile(`(?i)^(?:(?:with )?(?:(?:best|kind|kindest|warm|warmest|many) )?(?:regards|wishes)|best|all the best|cheers|sincerely|yours (?:sincerely|faithfully|truly)|sincerely yours|cordially|respectfully|(?:many )?thanks and (?:best |kind )?regards` +
		`|(?:mit )?(?:freundlichen|besten|herzlichen|vielen) (?:grüßen|grüssen|gruß|grüße|dank)|(?:viele|beste|liebe|schöne|freundliche|herzliche) grü(?:ß|ss)e|mfg|lg|vg|gruß` +
		`|(?:bien )?(?:à vous|cordialement)|cordialement|(?:bien|très) cordialement|sincères salutations|salutations|saludos(?: cordiales)?|un saludo|atentamente|cordiali saluti|distinti saluti|saluti|met vriendelijke groet(?:en)?|atenciosamente|med v(?:e|ä)nlig(?:a)? hil(?:sen|sningar)|mvh|terveisin|с уважением)[\s,.!–-]*$`)
)

// quoteHeader gives how many lines the header at the beginning of lines takes
// ("On Monday Ann wrote:" and its like), 0 if there is none. Each line that
// might be one costs of budget; at 0 no more are looked for.
func quoteHeader(lines []string, budget *int) int {
	if len(lines) == 0 || *budget <= 0 || len(lines[0]) > 400 || !quoteBegin.MatchString(lines[0]) {
		return 0
	}
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
		// Cheap tests first: this runs on every line of a mail.
		end := strings.TrimRight(joined, "- ")
		if !strings.Contains(joined, "@") && !strings.HasSuffix(end, ":") || !strings.ContainsAny(joined, "0123456789") {
			continue
		}
		*budget--
		switch {
		case wroteEnd.MatchString(joined) && hasDate.MatchString(joined):
			// A sentence can end so too, but holds no address and no clock time.
			if strings.HasSuffix(end, ":") || strings.Contains(joined, "@") {
				return n
			}
		case datedAddress.MatchString(joined):
			return n
		}
	}
	return 0
}

// wholeRest says that everything from here on is an older mail: a divider, or
// a block of header fields as mail programs put before it.
func wholeRest(lines []string) bool {
	line := lines[0]
	if len(line) > 400 {
		return false
	}
	if original.MatchString(line) || forwarded.MatchString(line) {
		return true
	}
	if divider := strings.TrimSpace(line); len(divider) >= 4 && strings.Trim(divider, "_-=") == "" {
		for i := 1; i < min(len(lines), 4); i++ {
			if strings.TrimSpace(lines[i]) != "" {
				return headerBlock(lines[i:])
			}
		}
		return false
	}
	return headerBlock(lines)
}

// headerBlock is a From line with at least two other fields close behind.
func headerBlock(lines []string) bool {
	if !fromLabel.MatchString(lines[0]) {
		return false
	}
	found := 0
	for _, l := range lines[1:min(len(lines), 8)] {
		if anyLabel.MatchString(l) {
			found++
		}
	}
	return found >= 2
}
