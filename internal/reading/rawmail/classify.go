package rawmail

import (
	"regexp"
	"strings"

	"onefold/internal/reading/unattended"
)

// classify sets Kind, KindReasons, Suppression and Recipients. The order is
// from the surest sign to the weakest, and a mail of a machine is never left
// human because it also looks like a list.
func classify(m *Message, h header, b body, own IsOwn, bears mark, w *warnings) {
	if len(h) == 0 && strings.TrimSpace(m.Text) == "" && len(m.Attachments) == 0 {
		m.Kind, m.KindReasons = Unparseable, []string{"empty"}
		return
	}
	if !readable(h) {
		m.Kind, m.KindReasons = Unparseable, []string{"no_header"}
		return
	}
	var sns *notice
	if isFrom(m, "sns.amazonaws.com", "") {
		sns = snsNotice(m.Text)
	}
	if reasons, list := complaint(m, b, sns); reasons != nil {
		settle(m, Complaint, reasons, list)
		m.ReturnedMarks, m.ReturnedIDs = returnedMarks(m, b, sns), returnedIDs(b)
		return
	}
	if reasons, list := bounce(m, h, b, sns); reasons != nil {
		settle(m, Bounce, reasons, list)
		m.ReturnedMarks = returnedMarks(m, b, sns)
		if len(list) == 0 {
			w.add(warnNoRecipient)
		}
		return
	}
	if confirmation(m) {
		m.Kind, m.KindReasons = AutoReply, []string{ForwardingConfirmation}
		return
	}
	for _, step := range []struct {
		kind    Kind
		reasons []string
	}{
		{Own, ownReasons(m, bears, own)},
		{AutoReply, autoReasons(m, h, b)},
		{List, listReasons(h, own)},
	} {
		if len(step.reasons) > 0 {
			m.Kind, m.KindReasons = step.kind, step.reasons
			if step.kind == List {
				m.PassedOn = returnedMarks(m, b, nil)
			}
			if step.kind == Own {
				if f := m.Forwarded; f != nil && (bears == ours || m.NullReturn || own(f.From.Address)) {
					m.Forwarded = nil
				}
				m.Relayed, m.RelayedBy = relayed(m, h, bears, own)
			}
			return
		}
	}
	m.Kind, m.PassedOn = Human, returnedMarks(m, b, nil)
	m.Doubts = doubts(m, h, bears, own)
	if b.undecoded || undecodedWord(h.get("subject")) || strings.Contains(m.Visible, "-----BEGIN PGP MESSAGE-----") {
		m.Doubts = append(m.Doubts, DoubtUndecoded)
	}
}

// undecodedWord reports whether a value has an encoded word that was left out.
func undecodedWord(value string) bool {
	var w warnings
	decodeWords(value, &w)
	return contains(w, warnUnknownCharset)
}

// doubts are about mail that seems to be a person's.
func doubts(m *Message, h header, bears mark, own IsOwn) (words []string) {
	if f := m.Forwarded; f != nil && !own(f.From.Address) && !contains(addressesOf(m.From), f.From.Address) {
		words = append(words, DoubtForwarded)
	}
	if redirected(h, m) {
		words = append(words, DoubtRedirected)
	}
	if len(h.all("from")) > 1 {
		words = append(words, DoubtSeveral)
	}
	if bears == imitation {
		words = append(words, DoubtMark)
	}
	if c := m.Calendar; c != nil {
		switch c.Method {
		case "reply", "counter", "cancel", "declinecounter":
			words = append(words, DoubtCalendar)
		}
	}
	switch {
	case !contains(words, DoubtCalendar) && unattended.Answers(m.Subject, m.Visible):
		words = append(words, DoubtCalendar)
	case unattended.Tells(m.Subject, m.Visible):
		words = append(words, DoubtMachine)
	}
	return words
}

func addressesOf(boxes []Mailbox) (list []string) {
	for _, b := range boxes {
		list = append(list, b.Address)
	}
	return list
}

// settle takes the hard statement first: it is the one that must be acted on.
func settle(m *Message, kind Kind, reasons []string, list []Suppression) {
	m.Kind, m.KindReasons = kind, reasons
	m.Recipients = list
	for i := range list {
		if m.Suppression == nil || list[i].Hard && !m.Suppression.Hard {
			first := list[i]
			m.Suppression = &first
		}
	}
}

// readable: a header block with at least one field that mail has. Without
// one, the bytes are no mail, whatever they hold.
func readable(h header) bool {
	for _, f := range h {
		switch f.name {
		case "from", "to", "cc", "subject", "date", "message-id", "sender", "reply-to", "received",
			"return-path", "delivered-to", "mime-version", "content-type":
			return true
		}
	}
	return false
}

func ownReasons(m *Message, bears mark, own IsOwn) (reasons []string) {
	if bears == ours {
		reasons = append(reasons, "own_intent_header")
	}
	for _, box := range m.From {
		if own(box.Address) {
			return append(reasons, "own_from_address")
		}
	}
	return reasons
}

// awaySubject is how automatic replies begin, in the languages of the common
// mail programs.
var awaySubject = regexp.MustCompile(`(?i)^\s*(?:re:\s*|aw:\s*|sv:\s*)*\[?(?:` +
	`auto(?:matic|mated)?[ -]?(?:reply|response|answer)|autoreply|auto[: ]|out[ -]of[ -](?:the[ -])?office|away from (?:the |my )?office|on (?:vacation|leave)\b|vacation (?:reply|response)` +
	`|automatische antwort|abwesenheit|abwesend|außer haus` +
	`|réponse automatique|absence du bureau|message d.absence` +
	`|respuesta automática|fuera de (?:la )?oficina|ausente` +
	`|risposta automatica|fuori sede|automatisch antwoord|afwezig|resposta automática|automatiskt svar|autosvar|automaattinen vastaus|automatisk svar|autoodpowiedź|автоответ|自動返信|自动回复)`)

// autoReasons: RFC 3834 section 5, and the fields that came before and beside it.
func autoReasons(m *Message, h header, b body) (reasons []string) {
	passedOn := redirected(h, m) // then the mark is the rule's, and tells nothing of the mail
	for _, v := range h.all("auto-submitted") {
		if word := firstWord(v); word != "" && word != "no" && !(passedOn && word == "auto-generated") {
			reasons = append(reasons, "auto_submitted")
			break
		}
	}
	if autoHeader(h) {
		reasons = append(reasons, "autoreply_header")
	}
	if isDaemon(m) {
		reasons = append(reasons, "mailer_daemon")
	}
	if unattended.ReadReceipt(m.Subject, m.Text) {
		reasons = append(reasons, "read_receipt")
	}
	if b.reaction || unattended.Reaction(m.Visible) {
		reasons = append(reasons, "reaction")
	}
	switch firstWord(h.get("precedence")) {
	case "auto_reply", "auto-reply":
		reasons = append(reasons, "precedence_auto_reply")
	}
	switch firstWord(h.get("x-precedence")) {
	case "auto_reply", "auto-reply":
		reasons = append(reasons, "precedence_auto_reply")
	}
	if b.reportType == "disposition-notification" || len(b.reportsOf("message/disposition-notification")) > 0 {
		reasons = append(reasons, "disposition_notification")
	}
	away := awaySubject.MatchString(m.Subject)
	switch {
	// Every mail of Exchange may carry this field; with such a subject it is no person's.
	case away && h.has("x-auto-response-suppress"):
		reasons = append(reasons, "auto_response_suppress", "away_subject")
	case away && m.NullReturn:
		reasons = append(reasons, "null_return_path", "away_subject")
	case awayPrefix.MatchString(m.Subject), awayStem.MatchString(m.Subject), away && (h.has("in-reply-to") || h.has("references") || h.has("x-ms-exchange-inbox-rules-loop")):
		reasons = append(reasons, "away_subject")
	case m.NullReturn && !passedOn:
		// RFC 5321 section 4.5.5: only notifications have no return path.
		reasons = append(reasons, "null_return_path")
	}
	return reasons
}

// firstWord is a value in lower case without comment and parameters.
func firstWord(v string) string {
	v = strings.ToLower(strings.TrimSpace(v))
	if i := strings.IndexAny(v, "; \t("); i >= 0 {
		v = v[:i]
	}
	return v
}
