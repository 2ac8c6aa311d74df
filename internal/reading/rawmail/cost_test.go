package rawmail_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/rawmail"
)

// hostile are mails of about a megabyte that are all of one thing, each of
// which a parser keeps in something larger than it is.
func hostile() map[string]string {
	const size = 1 << 20
	fill := func(unit string, n int) string { return strings.Repeat(unit, n/len(unit)) }
	html := head + "Content-Type: text/html\n\n"
	mixed := head + "Content-Type: multipart/mixed; boundary=b\n\n"
	bounced := "Return-Path: <>\nFrom: mailer-daemon@example.org\n" + head[len("From: ann@example.com\n"):]
	report := bounced + "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\nnot delivered\n--b\nContent-Type: message/delivery-status\n\n"
	blocks := ""
	for i := range 100 {
		blocks += fmt.Sprintf("Final-Recipient: rfc822; u%d@b.example\nDiagnostic-Code: smtp; 550 %d %s\n\n", i, i, fill("user account mailbox host domain sender ", 560))
	}
	return map[string]string{
		"blank lines":       head + "\n" + fill("\n", size),
		"short lines":       head + "\n" + fill("a\n", size),
		"marked lines":      head + "\n" + fill(">\n", size),
		"one line":          head + "\n" + fill("word ", size),
		"8-bit text":        head + "\n" + fill("\x80", size),
		"8-bit html":        html + fill("\x80", size),
		"unfinished utf-8":  head + "\n" + fill("\xe2\x82", size),
		"iso-2022-jp":       head + "Content-Type: text/plain; charset=iso-2022-jp\n\n" + fill("\x1b$B$3\x1b(B", size),
		"attributes":        html + "<a " + fill("b ", size),
		"attributes, many":  html + fill("<a "+fill("b ", 4000)+">x", size),
		"tags":              html + fill("<b>", size),
		"closing tags":      html + fill("<i>", 1200) + fill("</b>", size),
		"tags left open":    html + "<p><table>" + fill("<i>", 1100) + fill("<div>", size),
		"quotes in tags":    html + fill("<a b=\">", size),
		"breaks in quotes":  html + fill("<blockquote>", 200) + fill("<br>a", size),
		"list items":        html + fill("<li>", size),
		"entities":          html + fill("&gt;", size),
		"pre":               html + "<pre>" + fill("a\n", size),
		"small parts":       mixed + fill("--b\n\nx\n", size),
		"delimiters":        mixed + fill("--b\n", size),
		"no delimiters":     mixed + fill("--c\n", size),
		"part headers":      mixed + "--b\n" + fill("a: b\n", size),
		"stray part lines":  mixed + "--b\nContent-Type: text/plain\n" + fill("stray\n", size),
		"nested":            head + fill("Content-Type: multipart/mixed; boundary=b\n\n--b\n", size),
		"reports":           bounced + "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n" + fill("--b\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822; a@b.example\nDiagnostic-Code: smtp; 550 "+fill("user ", 8000)+"\n", size),
		"report blocks":     report + fill("Final-Recipient: rfc822; a@b.example\n\n", size),
		"recipients":        report + blocks,
		"report fields":     report + fill("a:b\n", size),
		"bounce text":       bounced + "\nuser unknown\n" + fill("<a@b.example>: host said: 550 user domain sender mailbox "+fill("recipient ", 300)+"\n", size),
		"bounce addresses":  bounced + "X-Failed-Recipients: " + fill("a@b.example, ", 4000) + "\n\nnot delivered\n" + fill("user account exceeds host ", size),
		"one bounced word":  bounced + "\nuser unknown " + fill("a", size),
		"sns":               "From: no-reply@sns.amazonaws.com\n" + head[len("From: ann@example.com\n"):] + "\n{\"notificationType\":\"Bounce\",\"bounce\":{\"bouncedRecipients\":[" + fill("{},", 200_000) + "{}]}}",
		"marks given back":  bounced + "Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n" + fill("--b\nContent-Type: message/rfc822\n\n"+fill(rawmail.MarkHeader+": i.h\n", 60_000), size),
		"marks in the text": bounced + "\nuser unknown\n" + fill(">"+rawmail.MarkHeader+":\n i.h\n", size),
		"header of sns":     "From: no-reply@sns.amazonaws.com\n" + head[len("From: ann@example.com\n"):] + "\n{\"notificationType\":\"Bounce\",\"mail\":{\"headers\":[" + fill("{},", 200_000) + "{}]}}",
		"header fields":     fill("a: b\n", size) + "\nx",
		"folds":             "Subject: x\n" + fill(" a\n", size) + "\nx",
		"header 8-bit":      "From: a@b.example\nX-A: " + fill("\x80", 200_000) + "\nSubject: " + fill("\x80", 200_000) + "\n\n" + fill("x", size),
		"encoded words":     "From: " + fill("=?a?b??=", 60_000) + "\nSubject: " + fill("=?a?b??=", 60_000) + "\nTo: " + fill("=?a?b??=,", 60_000) + "\n\n" + fill("x", size),
		"addresses":         "From: a@b.example\nTo: " + fill("a@b.example,", 200_000) + "\n\n" + fill("x", size),
		"names":             "From: a@b.example\nTo: " + fill("a,", 200_000) + "\n\n" + fill("x", size),
		"colons":            "From: a@b.example\nTo: " + fill("mailto:", 200_000) + "\nCc: " + fill(":", 50_000) + "\n\n" + fill("x", size),
		"references":        "From: a@b.example\nReferences: " + fill("<a>", 200_000) + "\nIn-Reply-To: " + fill("<", 50_000) + "\n\n" + fill("x", size),
		"parameters":        "From: a@b.example\nContent-Type: text/plain; " + fill("a=b;", 200_000) + "\n\n" + fill("x", size),
		"boundaries":        mixed + fill("boundary=x\n", size),
		"quote headers":     head + "\n" + fill("On 1 Jan 2026 a@b.example wrote\n", size),
		"from lines":        "Subject: Fwd: x\n" + head + "\n" + fill("From: Ann <a@b.example>\n", size),
		"header blocks":     head + "\nhi\n" + fill("From: a@b.example\nSent: 3 March 10:00\nTo: c@d.example\n", size/2) + fill("\n", size/2),
		"labels":            head + "\nhi\n\n" + fill("A: b c\n", size),
		"labels, blank":     head + "\nhi\n" + fill("A:\n\n", size),
		"labels, folded":    "From: a@b.example\nSubject: Fwd: x\n\nhi\n" + fill("Ab: "+fill("c,\n ", 60)+"\n\n", size),
		"dates":             head + "\nhi\n" + fill("3 March 10:00\n", size),
		"dates, forwarded":  "From: a@b.example\nSubject: Fwd: x\n\n" + fill("x\n3 March 10:00\nTo: x\n\n", size),
		"address wrote":     head + "\nhi\n\n" + fill("A B <a@b.example> c:\n\n", size),
		"gmail dividers":    head + "\nhi\n" + fill("---------- A b ---------\nA: b\n", size),
		"containers":        html + fill("<div class=gmail_quote><blockquote>a</blockquote>", size),
		"rules, underlined": head + "\nhi\n" + fill("____________________\n", size),
		"forward dividers":  head + "\n" + fill("---- Forwarded message ----\n", size),
		"closings":          head + "\nhi\n" + fill("Regards,\n\n\n", size),
		"calendar":          head + "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nDESCRIPTION:" + fill("\\n", size),
		"attached mail":     mixed + "--b\nContent-Type: message/rfc822\n\nFrom: a@b.example\nContent-Type: text/html\n\n" + fill("<b>x", size),
		"base64":            head + "Content-Transfer-Encoding: base64\n\n" + fill("QUJD", size),
		"base64 file":       head + "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n" + fill("QUJD", size),
		"quoted-printable":  head + "Content-Transfer-Encoding: quoted-printable\n\n" + fill("=E2=82=AC", size),
		"soft line breaks":  head + "Content-Transfer-Encoding: quoted-printable\n\n" + fill("= \n", size),
		"spaces after =":    head + "Content-Transfer-Encoding: quoted-printable\n\n" + fill("=         ", size),
		"file names":        mixed + fill("--b\nContent-Type: a/b; name*0*=utf-8''%e2; name*1*=%82; name*2*=%ac\n\nx\n", size),
		"nothing but CR":    head + "\n" + fill("\r", size),
		"CR lines":          strings.ReplaceAll(head, "\n", "\r") + "\r" + fill("a\r", size),
		"CR before LF":      head + "\n" + fill("a\r", size) + "\n",
		"CR fields":         fill("a: b\r", size),
		"CR after LF":       "Subject: x\n" + fill("a: b\r", size),
		"zeros":             fill("\x00", size),
		"comments, address": "From: " + fill("(", 200_000) + "\nTo: " + fill("(a)", 200_000) + "\n\n" + fill("x", size),
	}
}

// cost reads a mail and gives the least time and memory of a few readings: the
// machine has other work, and what regular expressions keep is thrown away at
// whiles. Memory is all that was ever allocated, which is more than is held at
// one time.
func cost(raw []byte) (m rawmail.Message, took time.Duration, memory int) {
	took, memory = time.Hour, 1<<62
	var before, after runtime.MemStats
	for range 4 {
		runtime.ReadMemStats(&before)
		began := time.Now()
		m = rawmail.Parse(raw, nil)
		took = min(took, time.Since(began))
		runtime.ReadMemStats(&after)
		memory = min(memory, int(after.TotalAlloc-before.TotalAlloc))
	}
	return m, took, memory
}

// TestHostileMailCostsLittle: under a second, and under eight times the mail.
// Not parallel: it measures memory.
func TestHostileMailCostsLittle(t *testing.T) {
	worst, worstName := 0.0, ""
	for name, mail := range hostile() {
		m, took, memory := cost([]byte(mail))
		check(t, m)
		ratio := float64(memory) / float64(len(mail))
		if took > time.Second || ratio > 8 {
			t.Errorf("%s: %v, %.1f times its %d bytes", name, took, ratio, len(mail))
		}
		if ratio > worst {
			worst, worstName = ratio, name
		}
	}
	t.Logf("at most %.1f times (%s)", worst, worstName)
}

// A header of 8 MB takes the memory that one of 3 MB does, and is not read to its
// end: the text behind it is not found, which the warnings say.
// Not parallel: it measures memory.
func TestReading13ALongHeaderCostsNoMoreThanABoundedRead(t *testing.T) {
	for name, unit := range map[string]string{
		"fields": "\nX-A: b", "fields, CRLF": "\r\nX-A: b", "folds": "\n a", "one line": "a", "8-bit": "\x80", "UTF-8": "é",
	} {
		of := func(size int) []byte {
			return []byte(head + "X-Long: " + strings.Repeat(unit, size/len(unit)) + "\nX-End: 1\n\nhello")
		}
		_, _, least := cost(of(3 << 20))
		m, _, memory := cost(of(8 << 20))
		if memory > least+least/8 {
			t.Errorf("%s: %d bytes, of 3 MB %d", name, memory, least)
		}
		if m.Text != "" || !slices.Contains(m.Warnings, "header_truncated") || !slices.Contains(m.Warnings, "text_truncated") {
			t.Errorf("%s: text %q, warnings %v", name, m.Text, m.Warnings)
		}
	}
	// Lines that are no fields are the body, from their first on.
	if m := rawmail.Parse([]byte("Subject: x\n"+strings.Repeat("word\n", 1<<20)), nil); !strings.HasPrefix(m.Text, "word\nword\n") || m.Subject != "x" {
		t.Errorf("a body without a separator: subject %q, %d bytes of text", m.Subject, len(m.Text))
	}
}
