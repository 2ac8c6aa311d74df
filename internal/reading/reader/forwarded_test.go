package reader_test

import (
	"strings"
	"testing"

	"onefold/internal/decide/content"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
)

// Real: the parser and what flow makes of a mail. A reader that takes the
// sender of a mail inside the mail for its sender is not believed, whatever
// place it names.
func TestTheSenderOfAForwardedMailIsNotTheSender(t *testing.T) {
	t.Parallel()
	const head = "From: Alex Morgan <alex@example.com>\nTo: sales@demo.example\nSubject: Fwd: Scales\n" +
		"Date: Mon, 02 Mar 2026 09:00:00 +0000\nMessage-ID: <m1@example.com>\n"
	const inner = "From: Pat Quill <pat@example.net>\nDate: Sun, 1 Mar 2026 10:00:00 +0000\nSubject: Scales\nTo: Alex Morgan <alex@example.com>\n"
	const text = "\nOur firm needs two scales.\n\nPat Quill\nQuill Works Ltd\n+44 20 7946 0958\n"
	for rule, body := range map[string]string{
		"Gmail":          "\nCan you help him?\n\n---------- Forwarded message ---------\n" + inner + text,
		"Outlook":        "\nCan you help him?\n\n________________________________\n" + strings.Replace(inner, "Date:", "Sent:", 1) + text,
		"Apple":          "\nCan you help him?\n\nBegin forwarded message:\n\n" + inner + text,
		"Thunderbird":    "\nCan you help him?\n\n-------- Weitergeleitete Nachricht --------\n" + strings.NewReplacer("From:", "Von:", "Subject:", "Betreff:", "To:", "An:", "Date:", "Datum:").Replace(inner) + text,
		"quoted":         "\nCan you help him?\n\nOn Sun, 1 Mar 2026 Pat Quill <pat@example.net> wrote:\n> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ") + "\n",
		"as an enclosed": "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nCan you help him?\n--b\nContent-Type: message/rfc822\n\n" + inner + text + "\n--b--\n",
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			m := rawmail.Parse([]byte(strings.ReplaceAll(head+body, "\n", "\r\n")), func(string) bool { return false })
			f := content.OfMail(m)
			if !f.Human() || !strings.Contains(f.Source.Visible, "Can you help him?") {
				t.Fatalf("kind %s, visible %q", m.Kind, f.Source.Visible)
			}
			for _, where := range []reader.Where{reader.InFrom, reader.InVisible, reader.InSignature, reader.InReplyTo, reader.InSubject, "quoted"} {
				for which, value := range map[string]string{
					reader.FieldName: "Pat Quill", reader.FieldSender: "pat@example.net",
					reader.FieldCompany: "Quill Works Ltd", reader.FieldPhone: "+44 20 7946 0958",
				} {
					if got, reasons := believed(t, f.Source, which, field(value, value, where)); got != "" {
						t.Errorf("%s in %s: believed %q, %v", which, where, got, reasons)
					}
				}
			}
			if got, reasons := believed(t, f.Source, reader.FieldName, field("Alex Morgan", "Alex Morgan", reader.InFrom)); got == "" {
				t.Error("the one who forwards:", reasons)
			}
		})
	}
}
