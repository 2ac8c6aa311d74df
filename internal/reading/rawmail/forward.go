package rawmail

import (
	"regexp"
	"slices"
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
	// gmailDivider is Gmail's line above a forwarded mail, in any language.
	gmailDivider   = regexp.MustCompile(`^[\s>*]*-{9,}\s+\pL[^-]{2,60}\s-{9,}\s*$`)
	forwardDivider = regexp.MustCompile(`(?i)^[\s>*]*[-_=]{2,}\s*(?:forwarded message|forwarded by .*|weitergeleitete (?:nachricht|mail)|message transféré|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht|mensagem encaminhada|vidarebefordrat meddelande|videresendt (?:meddelelse|melding)|välitetty viesti|пересылаемое сообщение|переадресованное сообщение|wiadomość przekazana|转发的邮件|転送メッセージ)\s*[-_=]*\s*$`)
)

// forwardedOf finds what a mail passes on, the attached mail before one in the
// text; nil for none. A reply that quotes is no forwarding.
func forwardedOf(m *Message, b body, facts mailFacts) *Forwarded {
	for _, r := range b.reportsOf("message/rfc822", "message/global") {
		if f := attachedMail(r.content); f != nil {
			return f
		}
	}
	return inlineMail(m, facts)
}

// attachedMail reads the mail that is attached; what is attached to that one in
// turn stays closed.
func attachedMail(content string) *Forwarded {
	var w warnings
	h, raw := splitHeader([]byte(content), &w)
	h.toUTF8(&w)
	from := mailboxes(h.get("from"), &w)
	if len(h) == 0 {
		return nil
	}
	f := Forwarded{Subject: decodeWords(h.get("subject"), &w), Attached: true}
	if len(from) > 0 {
		f.From = from[0]
	}
	f.Visible, f.Quoted, f.Signature = splitText(readBody(h, raw, &w).text, factsFor(f.Subject, from, mailboxes(h.get("to"), &w)))
	return &f
}

// inlineMail looks for the header block below a divider that says "forwarded",
// or, in a mail with such a subject, for the first block. Of a forwarding without
// one it is not known whose the older mail is.
func inlineMail(m *Message, facts mailFacts) *Forwarded {
	if replySubject.MatchString(m.Subject) && !facts.forward {
		return nil // what a reply quotes may have been forwarded once
	}
	passesOn := facts.forward && m.Quoted != "" || slices.ContainsFunc(m.Attachments, isMailFile)
	rest, budget := m.Text, maxQuoteTries
	for n := 0; rest != "" && n < maxSplitLines && budget > 0; n++ {
		line, after, _ := strings.Cut(rest, "\n")
		divides := isForwardDivider(line)
		if divides || gmailDivider.MatchString(cut(line, 100)) || facts.forward && (isLabelled(line) || isDate([]string{firstLine(after)}, 0)) {
			budget--
			if f := readBlock(rest, divides, m, facts); f != nil {
				return f
			}
		}
		passesOn = passesOn || divides
		rest = after
	}
	if passesOn {
		return &Forwarded{Visible: m.Quoted}
	}
	return nil
}

// isMailFile reports whether an attachment is a mail that nobody opens here.
func isMailFile(a Attachment) bool {
	name := strings.ToLower(a.Name)
	return strings.HasSuffix(name, ".eml") || strings.HasSuffix(name, ".msg") || a.Type == "application/vnd.ms-outlook"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
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

// readBlock reads the fields that mail programs put above a forwarded text, which
// below a divider begin some lines later. The sender is the first who is not the
// one who forwards; without an address nobody knows whose the mail is.
func readBlock(text string, below bool, m *Message, facts mailFacts) *Forwarded {
	lines := strings.SplitN(text, "\n", maxBlockLines+5)
	reach := 6 // a divider may take two lines, with blank ones below
	for i := range lines[:min(reach, len(lines))] {
		fields, n := headerBlock(nil, lines[i:])
		if len(fields) < 3 || !below && !facts.olderMail(fields, true) {
			continue
		}
		var f Forwarded
		for _, field := range fields {
			box := writtenMailbox(field.value)
			if f.From.Address == "" && box.Address != "" && !contains(addressesOf(m.From), box.Address) {
				f.From = box
			}
			if f.Subject == "" && facts.isSubject(field.value) {
				f.Subject = oneLine(field.value)
			}
		}
		at := 0
		for _, l := range lines[:min(i+n, len(lines)-1)] {
			at += len(l) + 1
		}
		f.Visible, f.Quoted, f.Signature = splitText(unmark(text[min(at, len(text)):]), factsFor(f.Subject, []Mailbox{f.From}, m.From))
		return &f
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
