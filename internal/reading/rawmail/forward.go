package rawmail

import (
	"regexp"
	"slices"
	"strings"

	"onefold/internal/reading/older"
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
)

// forwardedOf finds what a mail passes on, the attached mail before one in the
// text; nil for none. A reply that quotes is no forwarding.
func forwardedOf(m *Message, b body, facts older.Facts) *Forwarded {
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
	f.Visible, f.Quoted, f.Signature = older.Split(readBody(h, raw, &w).text, factsFor(f.Subject, from))
	return &f
}

// inlineMail looks for what a text passes on. Its sender is the first who is not the
// one who forwards; without an address nobody knows whose the mail is.
func inlineMail(m *Message, facts older.Facts) *Forwarded {
	if replySubject.MatchString(m.Subject) && !facts.Forward {
		return nil // what a reply quotes may have been forwarded once
	}
	values, text, found := older.Forwarded(m.Text, facts)
	if !found {
		if facts.Forward && m.Quoted != "" || slices.ContainsFunc(m.Attachments, isMailFile) {
			return &Forwarded{Visible: m.Quoted}
		}
		return nil
	}
	var f Forwarded
	for _, value := range values {
		box := writtenMailbox(value)
		if f.From.Address == "" && box.Address != "" && !contains(addressesOf(m.From), box.Address) {
			f.From = box
		}
		if f.Subject == "" && facts.IsSubject(value) {
			f.Subject = oneLine(value)
		}
	}
	f.Visible, f.Quoted, f.Signature = older.Split(text, factsFor(f.Subject, []Mailbox{f.From}))
	return &f
}

func factsFor(subject string, from []Mailbox) older.Facts {
	f := older.Facts{Subject: subject, Forward: forwardSubject.MatchString(subject)}
	for _, box := range from {
		for _, s := range []string{box.Name, box.Address} {
			if strings.ContainsAny(s, " @") { // a name of one word says little
				f.Writer = append(f.Writer, s)
			}
		}
	}
	return f
}

// isMailFile reports whether an attachment is a mail that nobody opens here.
func isMailFile(a Attachment) bool {
	name := strings.ToLower(a.Name)
	return strings.HasSuffix(name, ".eml") || strings.HasSuffix(name, ".msg") || a.Type == "application/vnd.ms-outlook"
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
