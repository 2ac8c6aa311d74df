package parsedmail_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/reading/rawmail"
	"onefold/internal/webhook/parsedmail"
)

func sample() parsedmail.Mail {
	return parsedmail.Mail{
		Fields: []parsedmail.Field{
			{"From", "Jürgen Groß <juergen@example.org>"}, {"To", "sales@demo.example"}, {"Subject", "Größe der Hütte"},
			{"Message-ID", "<1@example.org>"}, {"Content-Type", "text/html"}, {"MIME-Version", "2.0"}, {"Content-Transfer-Encoding", "7bit"},
		},
		Texts: []parsedmail.Part{
			{Type: "text/plain; charset=iso-8859-1", Body: []byte("Gr\xfc\xdfe\r\n\r\n--onefold-\r\n")}, {Type: "text/html; charset=utf-8", Body: []byte("<p>Grüße</p>")},
		},
		Files: []parsedmail.Part{{Type: "application/pdf", Name: "Plan für May.pdf", ID: "<x@example.org>", Body: []byte{0, 1, 2, 0xff}}},
	}
}

func TestAMailThatWasTakenApartReadsAsItDid(t *testing.T) {
	t.Parallel()
	m := rawmail.Parse(sample().Bytes(), func(string) bool { return false })
	if m.Subject != "Größe der Hütte" || len(m.From) != 1 || m.From[0].Address != "juergen@example.org" || m.From[0].Name != "Jürgen Groß" {
		t.Errorf("%q from %+v", m.Subject, m.From)
	}
	if m.MessageID != "1@example.org" && m.MessageID != "<1@example.org>" {
		t.Errorf("message ID %q", m.MessageID)
	}
	if !strings.HasPrefix(m.Visible, "Grüße") {
		t.Errorf("text %q", m.Visible)
	}
	if len(m.Attachments) != 1 || m.Attachments[0].Name != "Plan für May.pdf" || m.Attachments[0].Size != 4 {
		t.Errorf("attachments %+v", m.Attachments)
	}
}

func TestNoPartEndsItsOwnHeaderOrBody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		any := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\r\n\r\nBcc: x@example.org\r\n", "a\nb", "--onefold-x--\r\n", "", `"; x="`, "text/plain\r\nX-Bad: 1"}))
		bad := any.Draw(r, "bad")
		m := sample()
		m.Fields[0].Value, m.Fields[2].Value = bad, bad
		m.Fields = append(m.Fields, parsedmail.Field{Name: any.Draw(r, "name"), Value: "v"})
		m.Files[0].Name, m.Files[0].ID, m.Files[0].Type = bad, bad, any.Draw(r, "type")
		m.Texts[0].Body, m.Texts[1].Type = []byte(bad), any.Draw(r, "type of the text")
		raw := m.Bytes()
		head, _, ok := bytes.Cut(raw, []byte("\r\n\r\n"))
		if !ok || len(bytes.Split(head, []byte("\r\n"))) > 8 {
			r.Fatalf("the header has ended early, or has more lines than it was given:\n%s", head)
		}
		for _, line := range bytes.Split(raw, []byte("\r\n")) {
			if bytes.ContainsAny(line, "\r\n\x00") {
				r.Fatalf("a line with another line in it: %q", line)
			}
		}
		parsed := rawmail.Parse(raw, func(string) bool { return false })
		if n := len(parsed.Attachments); n < 1 || n > 2 { // a text of a strange type is shown as a file
			r.Fatalf("%d attachments", n)
		}
	})
}

func TestTheSamePartsAreTheSameBytes(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(sample().Bytes(), sample().Bytes()) {
		t.Error("two messages of one mail")
	}
	other := sample()
	other.Files[0].Body = []byte{0, 1, 2}
	if bytes.Equal(sample().Bytes(), other.Bytes()) {
		t.Error("one message of two mails")
	}
	if empty := (parsedmail.Mail{}).Bytes(); !bytes.Contains(empty, []byte("text/plain")) {
		t.Errorf("%q", empty)
	}
}
