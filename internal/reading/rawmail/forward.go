package rawmail

import (
	"regexp"
	"strings"
)

// Forwarded is a mail that somebody passed on inside a mail of his own,
// attached or as text. Whose it is stated to be is a candidate for a person to
// confirm: whoever forwards can write anything there.
type Forwarded struct {
	From      Mailbox `json:"from"`
	Subject   string  `json:"subject"`
	Visible   string  `json:"visible"` // what that sender wrote
	Quoted    string  `json:"quoted"`
	Signature string  `json:"signature"`
	Attached  bool    `json:"attached"`
}

var (
	forwardSubject = regexp.MustCompile(`(?i)^\s*(?:\[[^\]]{1,40}\]\s*)?(?:fwd?|wg|tr|rv|i|enc|doorst|vb|vl|pd|ilt|转发|轉寄|転送)\s*[:：]`)
	replySubject   = regexp.MustCompile(`(?i)^\s*(?:\[[^\]]{1,40}\]\s*)?(?:re|aw|sv|antw|odp|rép|res|r|ynt|vá|回复|答复|返信)\s*[:：]`)
	forwardDivider = regexp.MustCompile(`(?i)^[\s>*]*[-_=]{2,}\s*(?:forwarded message|forwarded by .*|weitergeleitete (?:nachricht|mail)|message transféré|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht|mensagem encaminhada|vidarebefordrat meddelande|videresendt (?:meddelelse|melding)|välitetty viesti|пересылаемое сообщение|переадресованное сообщение|wiadomość przekazana|转发的邮件|転送メッセージ)\s*[-_=]*\s*$`)
)

// forwardedOf finds what a mail passes on, the attached mail before one in the
// text; nil for none. A reply that quotes is no forwarding.
func forwardedOf(m *Message, b body) *Forwarded {
	for _, r := range b.reportsOf("message/rfc822", "message/global") {
		if f := attachedMail(r.content); f != nil {
			return f
		}
	}
	return inlineMail(m)
}

// attachedMail reads the mail that is attached; what is attached to that one in
// turn stays closed.
func attachedMail(content string) *Forwarded {
	var w warnings
	h, raw := splitHeader([]byte(content), &w)
	h.toUTF8(&w)
	from := mailboxes(h.get("from"), &w)
	if len(from) == 0 {
		return nil
	}
	f := Forwarded{From: from[0], Subject: decodeWords(h.get("subject"), &w), Attached: true}
	f.Visible, f.Quoted, f.Signature = splitText(readBody(h, raw, &w).text)
	return &f
}

// inlineMail looks for the header block below a divider that says "forwarded",
// or, in a mail with such a subject, for the first block.
func inlineMail(m *Message) *Forwarded {
	subject := forwardSubject.MatchString(m.Subject)
	if replySubject.MatchString(m.Subject) && !subject {
		return nil // what a reply quotes may have been forwarded once
	}
	rest := m.Text
	for n := 0; rest != "" && n < maxSplitLines; n++ {
		line, after, _ := strings.Cut(rest, "\n")
		switch {
		case isForwardDivider(line):
			if f := readBlock(after); f != nil {
				return f
			}
		case subject:
			if name, value := labelOf(line); value != "" && isFromLabel(name) {
				if f := readBlock(rest); f != nil {
					return f
				}
			}
		}
		rest = after
	}
	return nil
}

func isForwardDivider(line string) bool {
	switch mark := strings.TrimLeft(line, " \t>*"); {
	case mark == "" || len(line) > 400:
		return false
	case mark[0] == '-' || mark[0] == '_' || mark[0] == '=':
		return forwardDivider.MatchString(line)
	}
	return strings.HasSuffix(strings.TrimRight(line, " \t"), ":") && forwarded.MatchString(line)
}

// readBlock reads the fields that mail programs put above a forwarded text: at
// least a From with an address and two others.
func readBlock(text string) *Forwarded {
	var f Forwarded
	others, began := 0, false
	for n := 0; n < 16 && text != ""; n++ {
		line, after, _ := strings.Cut(text, "\n")
		name, value := labelOf(cut(line, maxValue))
		blank := strings.Trim(line, " \t>") == ""
		switch {
		case blank && began && f.From.Address != "" && others >= 2:
			f.Visible, f.Quoted, f.Signature = splitText(unmark(after))
			return &f
		case isFromLabel(name) && f.From.Address == "":
			began = true
			f.From = writtenMailbox(value)
		case isHeaderLabel(name):
			if others++; isSubjectLabel(name) {
				f.Subject = oneLine(value)
			}
		case !blank && !began:
			return nil
		}
		text = after
	}
	return nil
}

// writtenMailbox reads an address as mail programs show it in a text:
// "Ann Lee <ann@example.com>", "Ann Lee [mailto:ann@example.com]".
func writtenMailbox(value string) Mailbox {
	at := addrInText.FindStringIndex(value)
	if at == nil {
		return Mailbox{}
	}
	name := strings.TrimSuffix(strings.TrimRight(value[:at[0]], " <[("), "mailto:")
	return Mailbox{Name: oneLine(strings.Trim(name, " <[(\"'*")), Address: strings.Trim(value[at[0]:at[1]], ".")}
}

func isSubjectLabel(name string) bool {
	switch name {
	case "subject", "sujet", "betreff", "objet", "asunto", "assunto", "oggetto", "onderwerp", "ämne", "emne", "aihe", "temat", "тема", "konu", "主题", "件名":
		return true
	}
	return false
}

// unmark takes one level of quotation marks off, where every line has it.
func unmark(text string) string {
	lines := strings.SplitN(text, "\n", min(strings.Count(text, "\n")+1, maxSplitLines))
	for _, l := range lines {
		if l != "" && !strings.HasPrefix(l, ">") {
			return text
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(l, ">"), " ")
	}
	return strings.Join(lines, "\n")
}
