package prompts

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"onefold/internal/reading/reader"
)

// The most bytes of each part that leave. An enquiry is far shorter: of the new
// text some three pages, of what is quoted enough to know what "yes, please"
// answers.
const (
	maxLine      = 400
	maxSubject   = 600
	maxVisible   = 12_000
	maxSignature = 2_000
	maxQuoted    = 1_500
)

// MaxBytes is more than a message can have, frame included: what an unanswered
// call can have cost at most is reckoned with it.
const MaxBytes = 7*maxLine + maxSubject + maxVisible + maxSignature + maxQuoted + 11*2*64

// Message is a source in the form in which a model is shown it.
type Message struct {
	Text string
	// Part: the sender wrote more than what is shown.
	Part bool
}

// section is one part of a source under its name.
type section struct{ name, text string }

// Show puts a source before a model. The same source always gives the same
// text.
//
// Names of attachments are not shown: they tell a reader little and are a place
// to hide words in. Of a form, the header-like fields are not said twice.
func Show(s reader.Source) Message {
	var m Message
	var parts []section
	add := func(name, text string, most int, own bool) {
		text, cut := head(text, most)
		m.Part = m.Part || cut && own
		if text != "" {
			parts = append(parts, section{name, text})
		}
	}
	if s.FromAddress != s.Given.Email || s.FromName != s.Given.Name {
		add("from", line(mailbox(s.FromName, s.FromAddress)), 2*maxLine, true)
	}
	add("reply_to", line(s.ReplyTo), maxLine, true)
	add("subject", line(s.Subject), maxSubject, true)
	add("form_email", line(s.Given.Email), maxLine, true)
	add("form_name", line(s.Given.Name), maxLine, true)
	add("form_company", line(s.Given.Company), maxLine, true)
	add("form_phone", line(s.Given.Phone), maxLine, true)
	add("visible", seen(s.Visible), maxVisible, true)
	add("signature", seen(s.Signature), maxSignature, true)
	add("quoted", seen(s.Quoted), maxQuoted, false)
	m.Text = frame(parts)
	return m
}

// mailbox is a header's mailbox in the form that evidence is looked for in.
func mailbox(name, address string) string {
	if strings.TrimSpace(name) == "" || address == "" {
		return name + address
	}
	return name + " <" + address + ">"
}

// frame puts each part between lines that carry a key made of all of them, so
// that nobody can write a part that holds the key.
func frame(parts []section) string {
	key := keyOf(parts)
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("<" + p.name + " " + key + ">\n" + p.text + "\n</" + p.name + " " + key + ">\n")
	}
	return b.String()
}

// keyOf hashes the parts to 128 bits. To write a text that holds its own hash
// takes as many tries; should one hold it all the same, the next number is
// hashed with it.
func keyOf(parts []section) string {
	for n := uint64(0); ; n++ {
		h := sha256.New()
		put := func(v uint64) { h.Write(binary.BigEndian.AppendUint64(nil, v)) }
		put(n)
		for _, p := range parts {
			for _, text := range []string{p.name, p.text} {
				put(uint64(len(text)))
				h.Write([]byte(text))
			}
		}
		key := hex.EncodeToString(h.Sum(nil)[:16])
		if !holds(parts, key) {
			return key
		}
	}
}

func holds(parts []section, key string) bool {
	for _, p := range parts {
		if strings.Contains(strings.ToLower(p.text), key) {
			return true
		}
	}
	return false
}

// head is as much of the beginning of a text as fits, whole characters only.
func head(text string, most int) (string, bool) {
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text, false
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most], true
}

// seen leaves what a person can see: no controls, no marks of direction, no
// tags, no zero width; the two joiners stay, since names are written with them.
func seen(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d':
			return r
		case r == '\r' || r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs):
			return -1
		}
		return r
	}, text)
}

// line is a text on one line.
func line(text string) string { return strings.Join(strings.Fields(seen(text)), " ") }
