package rawmail

import (
	"strings"

	"onefold/internal/reading/older"
)

// Whom a relay of ours names as the person, see Message.Relayed.
const (
	ByReplyTo      = "reply_to"      // the header that mail programs answer to
	ByOriginalFrom = "original_from" // what a group had in From before it put its own
	ByBody         = "body"          // a field of the text, as web forms write it
)

// relayed is the stranger that a mail from one of our addresses is of. Our own
// mail bears our mark, and nobody answers a null sender.
func relayed(m *Message, h header, bears mark, own IsOwn) (*Mailbox, string) {
	if bears == ours || m.NullReturn {
		return nil, ""
	}
	for _, box := range m.ReplyTo {
		if strings.Contains(box.Address, "@") && !own(box.Address) {
			return &box, ByReplyTo
		}
	}
	for _, name := range []string{"x-original-from", "x-original-sender"} {
		for _, box := range mailboxes(h.get(name), new(warnings)) {
			if !own(box.Address) {
				return &box, ByOriginalFrom
			}
		}
	}
	// A reply is a colleague's, whatever its text states.
	if len(m.InReplyTo)+len(m.References) > 0 || m.Forwarded != nil {
		return nil, ""
	}
	if box := formFields(m.Visible, own); box != nil {
		return box, ByBody
	}
	return nil, ""
}

// formFields reads the text of a form's notification: a line that names its
// value a mail address, and one that names it a name.
func formFields(text string, own IsOwn) *Mailbox {
	var box Mailbox
	name := ""
	for n, rest := 0, text; rest != "" && n < 200; n++ {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		if len(line) > 400 {
			continue
		}
		at := older.EmailField.FindStringIndex(line)
		if at == nil {
			if label, v := older.Label(line); v != "" && name == "" && isNameLabel(strings.ToLower(label)) {
				name = oneLine(v)
			}
			continue
		}
		value := line[at[1]:]
		if strings.TrimSpace(value) == "" {
			value, _, _ = strings.Cut(after, "\n") // it stands on the line below
		}
		if found := writtenMailbox(cut(value, 400)); box.Address == "" && found.Address != "" && !own(found.Address) {
			box.Address = found.Address
		}
	}
	if box.Address == "" {
		return nil
	}
	box.Name = name
	return &box
}

func isNameLabel(label string) bool {
	switch label {
	case "name", "your name", "full name", "contact name", "ihr name", "vor- und nachname", "nom", "votre nom", "nombre", "nome", "naam", "namn", "navn", "nimi", "имя", "imię", "姓名", "お名前":
		return true
	}
	return false
}
