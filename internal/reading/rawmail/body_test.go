package rawmail_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/rawmail"
)

const head = "From: ann@example.com\nSubject: x\nDate: Tue, 3 Mar 2026 10:00:00 +0100\nMessage-ID: <a1@example.com>\nMIME-Version: 1.0\n"

func TestBodyTextOfEachForm(t *testing.T) {
	t.Parallel()
	alternative := "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n%s\n--b\nContent-Type: text/html\n\n<p>the <b>html</b></p>\n--b--\n"
	cases := []struct{ name, mail, text, warning string }{
		{"quoted-printable", "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9 a=\nnd =zz tea", "café and =zz tea", ""},
		{"base64", "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nY2Fmw6k=\n", "café", ""},
		{"broken base64", "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nY2F!mw6k\n", "café", ""},
		{"iso-2022-jp", "Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B$3$s\x1b(B", "こん", ""},
		{"unknown charset", "Content-Type: text/plain; charset=x-nobody\n\nplain words", "plain words", "unknown_charset"},
		{"label wrong", "Content-Type: text/plain; charset=iso-8859-1\n\ncafé", "café", "charset_mismatch"},
		{"no label, 8-bit", "\n" + "caf\xe9", "café", "charset_mismatch"},
		{"unknown encoding", "Content-Type: text/plain\nContent-Transfer-Encoding: x-own\n\nwords", "words", "bad_transfer_encoding"},
		{"broken type", "Content-Type: ;;;\n\nwords", "words", "mime_unreadable"},
		{"plain before html", strings.Replace(alternative, "%s", "the plain", 1), "the plain", ""},
		{"empty plain", strings.Replace(alternative, "%s", " ", 1), "the html", ""},
		{"no closing boundary", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nwords\n", "words", ""},
		{"no boundary", "Content-Type: multipart/mixed\n\nwords\n", "words", "mime_unreadable"},
		{"one boundary begins with the other", "Content-Type: multipart/mixed; boundary=a--b\n\n--a--b\nContent-Type: multipart/mixed; boundary=a\n\n--a\n\ninner\n--a--\n--a--b\n\nouter\n--a--b--\n", "inner\n\nouter", ""},
		{"parts after the end", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b--\nepilogue\n--b\n\ntwo\n--b--\n", "one\n\ntwo", ""},
		{"other boundary stated", "Content-Type: multipart/mixed; boundary=x\n\n--b\nContent-Type: text/plain\n\nwords\n--b--\n", "words", "mime_unreadable"},
		{"inner part not closed", "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--a\n\ntwo\n--a--\n", "one\n\ntwo", ""},
		{"parameter without indent", "Content-Type: multipart/mixed;\nboundary=b\n\n--b\n\nwords\n--b--\n", "words", "stray_header_line"},
		{"no header in a part", "Content-Type: multipart/mixed; boundary=b\n\n--b\nwords and more\n--b--\n", "words and more", ""},
		{"no blank line in a part", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n--b\n\nwords\n--b--\n", "words", ""},
		{"two base64 runs", "Content-Transfer-Encoding: base64\n\nd29y\nZA==\ncw==\n", "words", ""},
		{"html says its charset", "Content-Type: text/html\n\n<meta charset=iso-8859-2><p>\xb3</p>", "\u0142", ""},
		{"plain text that is not seen", strings.Replace(alternative, "%s", " \u200b\u00ad", 1), "the html", ""},
		{"plain text that says: read the other", strings.NewReplacer("%s", "Ihr Programm zeigt kein HTML an.", "html</b>", "text</b>").Replace(alternative), "the text", ""},
		{"only text has a name", "Content-Type: text/plain; name=mail.txt\n\nwords\n", "words", ""},
		{"only text is called an attachment", "Content-Type: text/html\nContent-Disposition: attachment\n\n<b>words</b>\n", "words", ""},
		{"only text of several parts has a name", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/pdf\n\nx\n--b\nContent-Type: text/plain\nContent-Disposition: inline; filename=a.txt\n\nwords\n--b--\n", "words", ""},
		{"only text is of another kind", "Content-Type: text/markdown\n\nwords\n", "words", ""},
		{"no text but a file", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nwords\n--b--\n", "", ""},
		{"no text but a card", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/vcard\n\nBEGIN:VCARD\n--b--\n", "", ""},
		{"nested", "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/related; boundary=c\n\n--c\n" + strings.Replace(alternative, "%s", "the deep", 1) + "--c--\n--a\nContent-Type: text/plain\n\nfooter\n--a--\n", "the deep\n\nfooter", ""},
	}
	for _, c := range cases {
		m := parse(head + c.mail)
		if m.Text != c.text || strings.Join(m.Warnings, " ") != c.warning || m.Kind != rawmail.Human {
			t.Errorf("%s: %q, warnings %v, kind %s", c.name, m.Text, m.Warnings, m.Kind)
		}
	}
}

func TestAttachmentsAreNamedAndForwardedMailIsNotText(t *testing.T) {
	t.Parallel()
	m := parse(head + "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below.\n" +
		"--b\nContent-Type: application/pdf; name=\"=?utf-8?Q?Angebot_=C3=BC.pdf?=\"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment\n\nQUJDREU=\n" +
		"--b\nContent-Type: text/plain; name=notes.txt\n\nnotes\n" +
		"--b\nContent-Type: message/rfc822\n\nFrom: eve@example.org\nSubject: inner\n\nSecret order of 100 chairs\n" +
		"--b\nContent-Type: text/calendar\n\nBEGIN:VCALENDAR\n--b--\n")
	var got []string
	for _, a := range m.Attachments {
		got = append(got, a.Type+" "+a.Name)
	}
	want := []string{"application/pdf Angebot ü.pdf", "text/plain notes.txt", "message/rfc822 ", "text/calendar "}
	if !slices.Equal(got, want) || m.Attachments[0].Size != 5 {
		t.Errorf("attachments %q %+v", got, m.Attachments[0])
	}
	if m.Text != "See below." {
		t.Errorf("text %q", m.Text)
	}
}

func TestHiddenHTMLIsNotText(t *testing.T) {
	t.Parallel()
	cases := []struct{ html, want string }{
		{"<html><head><title>t</title><style>p{}</style></head><body><p>Hi</p><!-- not this --><script>no()</script><p>there</p></body></html>", "Hi\n\nthere"},
		{`a<span style="display:none">hidden</span>b`, "ab"},
		{`a<div style="DISPLAY: none !important"><p>hidden</p></div>b`, "ab"},
		{`a<span style="font-size:0px">hidden</span>b`, "ab"},
		{`a<span style="font-size:0.8em">shown</span>b`, "ashownb"},
		{`a<span hidden>hidden</span><i style="visibility:hidden">hidden</i>b`, "ab"},
		{`<div style="max-height:0;overflow:hidden">hidden</div>shown`, "shown"},
		{`<div style="opacity:0">hidden</div>shown`, "shown"},
		{`<head><meta charset="utf-8"><body>shown`, "shown"},
		{`1 &lt; 2 &amp;amp; 3`, "1 < 2 &amp; 3"},
		// What hides itself hides no neighbour whose end tag is left out (HTML, section 13.1.2.4).
		{`<p style="display:none">hidden<p>shown`, "shown"},
		{`<p hidden>hidden<div>shown</div>`, "shown"},
		{`<table><tr><td style="display:none">hidden<td>shown<tr><td>too</table>`, "shown\ntoo"},
		{`<ul><li hidden>hidden<li>shown</ul>`, "- shown"},
		{`<div hidden><table><tr><td>hidden<td>hidden</table></div>shown`, "shown"},
		{`<head><title>t</title><div>shown</div>`, "shown"},
		{`<head><title>t</title>shown`, "shown"},
		// A size of nothing is inherited as any size is, and a child may have its own.
		{`<td style="font-size:0px">gone<div style="font-size:14px">shown</div>gone</td>`, "shown"},
		{`<div style="font-size:0"><span style="font-size:2em">gone</span></div>shown`, "shown"},
		{`<div style="font:0/0 a">gone<b style="font:bold 12px/1.5 Arial">shown</b></div>`, "shown"},
		{`<div style="visibility:hidden">gone<span style="visibility:visible">shown</span></div>`, "shown"},
		{`<div style="display:none"><span style="display:block;font-size:14px;visibility:visible">gone</span></div>shown`, "shown"},
		{`<ul><li>one<li>two</ul>end`, "- one\n- two\n\nend"},
		{`<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>`, "a b\nc"},
		{`<pre>x  y
 z</pre>`, "x  y\n z"},
		{`Yes<br><br>Ann<blockquote>old<br>text</blockquote>`, "Yes\n\nAnn\n> old\n> text"},
		{`Yes<div>On Mon, 2 Mar 2026, Bob &lt;bob@example.org&gt; wrote:</div><blockquote><p>old</p></blockquote>`, "Yes\nOn Mon, 2 Mar 2026, Bob <bob@example.org> wrote:\n>\n> old"},
	}
	for _, c := range cases {
		m := parse(head + "Content-Type: text/html; charset=utf-8\n\n" + c.html)
		if m.Text != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.html, m.Text, c.want)
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	part := "--b\nContent-Type: text/plain; name=x\n\nx\n"
	deep := ""
	for range 2000 {
		deep += "Content-Type: multipart/mixed; boundary=b\n\n--b\n"
	}
	cases := []struct{ name, mail, warning string }{
		{"text", head + "\n" + strings.Repeat("words and ", 60_000), "text_truncated"},
		{"html", head + "Content-Type: text/html\n\n" + strings.Repeat("<div>é", 400_000), "text_truncated"},
		{"parts", head + "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat(part, 20_000), "too_many_parts"},
		{"depth", head + deep + "\n\nx", "too_deep"},
		{"header", head + strings.Repeat("X-Pad: "+strings.Repeat("y", 900)+"\n", 2000) + "\nbody", "header_truncated"},
		{"quote headers", head + "\n" + strings.Repeat("on 1 a@b.example\n", 20_000), "text_truncated"},
		{"failed addresses", "Return-Path: <>\nFrom: mailer-daemon@example.org\n" + head[len("From: ann@example.com\n"):] + "\n" + strings.Repeat("<a@b.example>: user unknown\n", 20_000), "text_truncated"},
		{"encoded words", head + "X-A: " + strings.Repeat("=?x-none?q?x?= ", 5_000) + "\nSubject: " + strings.Repeat("=?utf-8?q?x?= ", 5_000) + "\nTo: " + strings.Repeat("=?x?q?=?= <a@b>,", 10_000) + "\nX-B:\n\nx", "header_truncated"},
		{"size", head + "\n" + strings.Repeat("z", rawmail.MaxRaw), "too_large"},
	}
	for _, c := range cases {
		began := time.Now()
		m := parse(c.mail)
		if took := time.Since(began); took > 20*time.Second { // loose: each takes well under 1 s on a machine that is not busy
			t.Errorf("%s: took %v", c.name, took)
		}
		if !slices.Contains(m.Warnings, c.warning) || len(m.Text) > rawmail.MaxText || len(m.Attachments) > 500 || len(m.From) != 1 || m.ContentHash == "" {
			t.Errorf("%s: warnings %v, %d bytes of text, %d attachments, from %v", c.name, m.Warnings, len(m.Text), len(m.Attachments), m.From)
		}
		if c.name == "header" && m.Text != "body" {
			t.Errorf("header: text %q", m.Text)
		}
	}
}
