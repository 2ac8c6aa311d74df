// Package planted makes invented mailboxes of which it is known what they hold:
// the truth is planted with the mails, scene by scene, and reasoned from what a
// scene means, never from what the audit says of it.
//
// Its invariant: names, domains and numbers are of those reserved for examples,
// and the same call gives the same bytes. It is for tests and for the sample in
// events/mailbox; nothing that a user runs imports it.
package planted

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// mail is one mail of a scene.
type mail struct {
	id      string // of its Message-ID, at the mailbox that wrote it
	from    string // as in the header
	to      string
	at      time.Time
	subject string
	text    string
	headers []string // further ones, whole
	box     string   // Delivered-To; "" for mail of ours, which has none
	undated bool
	raw     string // in place of all but the separator
}

// Mailbox is an invented mailbox with its truth.
type Mailbox struct {
	mails []mail
	Truth Truth
}

// Mails are the messages, each as a file of its own holds it.
func (b *Mailbox) Mails() [][]byte {
	var list [][]byte
	for _, m := range b.mails {
		list = append(list, []byte(m.render()))
	}
	return list
}

// File is the mailbox as mboxrd, in the order of planting or, with order, in that
// one: a permutation of the messages' numbers.
func (b *Mailbox) File(order []int) []byte {
	var out bytes.Buffer
	write := func(m mail) {
		sender, when := "MAILER-DAEMON", m.at.UTC().Format(time.ANSIC)
		if _, addr, ok := strings.Cut(m.from, "<"); ok && addr != ">" {
			sender = strings.TrimSuffix(addr, ">")
		}
		if m.undated {
			when = "Thu Jan 99 99:99:99 2026" // a separator of which the date cannot be read
		}
		fmt.Fprintf(&out, "From %s %s\n", sender, when)
		for line := range strings.Lines(m.render()) {
			if strings.HasPrefix(strings.TrimLeft(line, ">"), "From ") {
				line = ">" + line
			}
			out.WriteString(line)
		}
		out.WriteString("\n")
	}
	if order == nil {
		for i := range b.mails {
			order = append(order, i)
		}
	}
	for _, i := range order {
		write(b.mails[i])
	}
	return out.Bytes()
}

func (m mail) render() string {
	if m.raw != "" {
		return m.raw
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	line("Delivered-To", m.box)
	line("From", m.from)
	line("To", m.to)
	line("Subject", m.subject)
	if !m.undated {
		line("Date", m.at.Format(time.RFC1123Z))
	}
	line("Message-ID", "<"+m.id+">")
	for _, h := range m.headers {
		b.WriteString(h + "\n")
	}
	hasType := false
	for _, h := range m.headers {
		hasType = hasType || strings.HasPrefix(h, "Content-Type:")
	}
	if !hasType {
		b.WriteString("MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n")
	}
	b.WriteString("\n" + strings.TrimSpace(m.text) + "\n")
	return b.String()
}
