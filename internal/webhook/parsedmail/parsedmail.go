// Package parsedmail makes one MIME message again of a mail that a provider
// took apart, so that it is kept and read as any other mail.
//
// Its invariant: the same parts make the same bytes, whatever they hold, so a
// provider's repeat is a repeat here; and no part can end its own header or
// body. It refuses to know what a mail says. What the provider threw away
// (the structure, the exact bytes) is lost: its raw mail is better wherever it
// sends that.
package parsedmail

import (
	"bytes"
	"encoding/base64"
	"mime"
	"strings"
	"unicode/utf8"

	"onefold/internal/digest"
)

// Field is one header of the mail, decoded.
type Field struct{ Name, Value string }

// Part is a text of the mail, or a file.
type Part struct {
	Type string // media type, parameters included; "" is application/octet-stream
	Name string // of a file
	ID   string // Content-ID, "" for none
	Body []byte
}

// Mail is a mail in parts.
type Mail struct {
	Fields []Field // in their order
	Texts  []Part  // the same text in several forms, plain first
	Files  []Part
}

// Has tells whether a header is there.
func (m Mail) Has(name string) bool {
	for _, f := range m.Fields {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}

// Add adds a header that has a value and is not there yet.
func (m *Mail) Add(name, value string) {
	if value != "" && !m.Has(name) {
		m.Fields = append(m.Fields, Field{name, value})
	}
}

// MessageID is the header of that name, "" for none.
func (m Mail) MessageID() string {
	for _, f := range m.Fields {
		if strings.EqualFold(f.Name, "message-id") {
			return f.Value
		}
	}
	return ""
}

// Content is a hash of what the mail says and of its files, and of nothing
// that another delivery of it has otherwise, such as trace headers.
func (m Mail) Content() string {
	var all []string
	for _, f := range m.Fields {
		switch name := strings.ToLower(f.Name); name {
		case "from", "to", "cc", "reply-to", "subject", "date":
			all = append(all, name, f.Value)
		}
	}
	for _, list := range [][]Part{m.Texts, m.Files} {
		all = append(all, "")
		for _, p := range list {
			all = append(all, p.Type, p.Name, digest.Content(p.Body))
		}
	}
	return digest.Parts(all...)
}

// Bytes is the message. Headers that describe its structure are those of the
// new one. Values in other letters than ASCII stand in UTF-8 (RFC 6532).
func (m Mail) Bytes() []byte {
	var b bytes.Buffer
	for _, f := range m.Fields {
		if !isName(f.Name) || structural(f.Name) {
			continue
		}
		b.WriteString(f.Name + ": " + oneLine(f.Value) + "\r\n")
	}
	b.WriteString("MIME-Version: 1.0\r\n")
	m.body(&b)
	return b.Bytes()
}

func (m Mail) body(b *bytes.Buffer) {
	texts := m.Texts
	if len(texts) == 0 {
		texts = []Part{{Type: "text/plain; charset=utf-8"}}
	}
	// Of the content, so that it cannot be in it by chance or by design, and is
	// the same each time.
	boundary := m.boundary()
	if len(m.Files) == 0 {
		alternatives(b, texts, "texts-"+boundary)
		return
	}
	b.WriteString("Content-Type: multipart/mixed; boundary=" + boundary + "\r\n\r\n--" + boundary + "\r\n")
	alternatives(b, texts, "texts-"+boundary) // which does not begin with the other
	for _, f := range m.Files {
		b.WriteString("--" + boundary + "\r\n")
		one(b, f, true)
	}
	b.WriteString("--" + boundary + "--\r\n")
}

func alternatives(b *bytes.Buffer, texts []Part, boundary string) {
	if len(texts) == 1 {
		one(b, texts[0], false)
		return
	}
	b.WriteString("Content-Type: multipart/alternative; boundary=" + boundary + "\r\n\r\n")
	for _, t := range texts {
		b.WriteString("--" + boundary + "\r\n")
		one(b, t, false)
	}
	b.WriteString("--" + boundary + "--\r\n")
}

// one writes a part in base64, which holds any bytes and no boundary.
func one(b *bytes.Buffer, p Part, file bool) {
	media, params, err := mime.ParseMediaType(p.Type)
	if err != nil || !strings.Contains(media, "/") || strings.HasPrefix(media, "multipart/") {
		media, params = "application/octet-stream", nil
	}
	kind := mime.FormatMediaType(media, params)
	if kind == "" {
		kind = "application/octet-stream"
	}
	b.WriteString("Content-Type: " + kind + "\r\nContent-Transfer-Encoding: base64\r\n")
	if file {
		how := mime.FormatMediaType("attachment", map[string]string{"filename": oneLine(p.Name)})
		if p.Name == "" || how == "" {
			how = "attachment"
		}
		b.WriteString("Content-Disposition: " + how + "\r\n")
		if id := strings.Trim(oneLine(p.ID), "<> "); id != "" {
			b.WriteString("Content-ID: <" + id + ">\r\n")
		}
	}
	b.WriteString("\r\n")
	text := base64.StdEncoding.EncodeToString(p.Body)
	for len(text) > 76 {
		b.WriteString(text[:76] + "\r\n")
		text = text[76:]
	}
	b.WriteString(text + "\r\n")
}

func (m Mail) boundary() string {
	var all []string
	for _, list := range [][]Part{m.Texts, m.Files} {
		for _, p := range list {
			all = append(all, p.Type, p.Name, digest.Content(p.Body))
		}
	}
	return "onefold-" + digest.Parts(all...)[:32]
}

// structural are the headers of which a message has its own.
func structural(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "content-") || name == "mime-version"
}

// isName tells whether a text can be the name of a header (RFC 5322, section
// 2.2).
func isName(s string) bool {
	for i := range len(s) {
		if s[i] <= 0x20 || s[i] >= 0x7f || s[i] == ':' {
			return false
		}
	}
	return s != "" && len(s) <= 200
}

// oneLine has no control characters, so that a value stays one header, and is
// UTF-8.
func oneLine(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return ' '
		}
		return r
	}, s))
}
