package rawmail_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/rawmail"
)

// parse reads a mail written with LF.
func parse(mail string) rawmail.Message { return rawmail.Parse([]byte(mail), nil) }

const plainMail = "From: Ann Lee <ann@example.com>\nTo: sales@example.net\nSubject: Chairs\nDate: Tue, 3 Mar 2026 10:00:00 +0100\n" +
	"Message-ID: <a1@example.com>\nIn-Reply-To: <q1@example.net>\nReferences: <q0@example.net> <q1@example.net>\n\nTen chairs, please.\n"

func TestPlainMailIsReadWhole(t *testing.T) {
	t.Parallel()
	for name, mail := range map[string]string{"LF": plainMail, "CRLF": strings.ReplaceAll(plainMail, "\n", "\r\n"), "CR": strings.ReplaceAll(plainMail, "\n", "\r")} {
		m := parse(mail)
		switch {
		case m.Kind != rawmail.Human || len(m.KindReasons) != 0 || len(m.Warnings) != 0,
			len(m.From) != 1 || m.From[0] != rawmail.Mailbox{Name: "Ann Lee", Address: "ann@example.com"},
			len(m.To) != 1 || m.To[0].Address != "sales@example.net",
			m.Subject != "Chairs" || m.Text != "Ten chairs, please." || m.Visible != m.Text,
			m.MessageID != "a1@example.com" || !slices.Equal(m.InReplyTo, []string{"q1@example.net"}),
			!slices.Equal(m.References, []string{"q0@example.net", "q1@example.net"}),
			!m.Date.Equal(time.Date(2026, 3, 3, 9, 0, 0, 0, time.UTC)),
			m.Suppression != nil:
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestFaultyHeadersAreWarningsAndNothingIsLost(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, mail         string
		from, subject      string
		text               string
		warnings, kindName string
	}{
		{"mbox line", "From ann@example.com Tue Mar  3 10:00:00 2026\n" + plainMail, "ann@example.com", "Chairs", "Ten chairs, please.", "mbox_from_line", "human"},
		{"stray line", strings.Replace(plainMail, "Subject:", "this is no field\nSubject:", 1), "ann@example.com", "Chairs", "Ten chairs, please.", "stray_header_line", "human"},
		{"no separator", "From: ann@example.com\nSubject: Chairs\nDate: Tue, 3 Mar 2026 10:00:00 +0100\nMessage-ID: <a@example.com>\nTen chairs, please.\nNow\n", "ann@example.com", "Chairs", "Ten chairs, please.\nNow", "header_separator_missing", "human"},
		{"space before colon", strings.Replace(plainMail, "Subject:", "Subject :", 1), "ann@example.com", "Chairs", "Ten chairs, please.", "", "human"},
		{"space before the first colon", strings.Replace(plainMail, "From:", "From :", 1), "ann@example.com", "Chairs", "Ten chairs, please.", "", "human"},
		{"no message-id", strings.Replace(plainMail, "Message-ID: <a1@example.com>\n", "", 1), "ann@example.com", "Chairs", "Ten chairs, please.", "message_id_missing", "human"},
		{"bad date", strings.Replace(plainMail, "Tue, 3 Mar 2026 10:00:00 +0100", "yesterday", 1), "ann@example.com", "Chairs", "Ten chairs, please.", "date_unreadable", "human"},
		{"no from", strings.Replace(plainMail, "From: Ann Lee <ann@example.com>\n", "", 1), "", "Chairs", "Ten chairs, please.", "from_missing from_unreadable", "human"},
		{"broken from", strings.Replace(plainMail, "<ann@example.com>", "<ann at example>", 1), "", "Chairs", "Ten chairs, please.", "from_unreadable", "human"},
		{"two froms", strings.Replace(plainMail, "To:", "From: bob@example.org\nTo:", 1), "ann@example.com", "Chairs", "Ten chairs, please.", "from_repeated", "human"},
		{"8-bit UTF-8", strings.Replace(plainMail, "Chairs", "Stühle", 1), "ann@example.com", "Stühle", "Ten chairs, please.", "", "human"},
		{"8-bit Latin-1", strings.Replace(plainMail, "Chairs", "St\xfchle", 1), "ann@example.com", "Stühle", "Ten chairs, please.", "raw_8bit_header", "human"},
		{"unknown charset word", strings.Replace(plainMail, "Chairs", "=?x-nobody?Q?Chairs?=", 1), "ann@example.com", "", "Ten chairs, please.", "unknown_charset", "human"},
		{"unclosed quote", strings.Replace(plainMail, "Ann Lee <", "\"Ann Lee <", 1), "ann@example.com", "Chairs", "Ten chairs, please.", "", "human"},
		{"empty", "", "", "", "", "from_missing from_unreadable message_id_missing date_missing", "unparseable"},
		{"white space", "\r\n\r\n", "", "", "", "from_missing from_unreadable message_id_missing date_missing", "unparseable"},
		{"no header", "just some words\nand more\n\nand more\n", "", "", "just some words\nand more\n\nand more", "header_separator_missing from_missing from_unreadable message_id_missing date_missing", "unparseable"},
	}
	for _, c := range cases {
		m := parse(c.mail)
		from := ""
		if len(m.From) > 0 {
			from = m.From[0].Address
		}
		if from != c.from || m.Subject != c.subject || m.Text != c.text || string(m.Kind) != c.kindName || strings.Join(m.Warnings, " ") != c.warnings {
			t.Errorf("%s: from %q, subject %q, text %q, kind %s, warnings %v", c.name, from, m.Subject, m.Text, m.Kind, m.Warnings)
		}
	}
}

func TestAddressHeaders(t *testing.T) {
	t.Parallel()
	type box = rawmail.Mailbox
	cases := []struct {
		header string
		want   []box
	}{
		{"ann@example.com", []box{{"", "ann@example.com"}}},
		{"<ann@example.com>", []box{{"", "ann@example.com"}}},
		{`"Lee, Ann" <ann@example.com>, bob@example.org (Bob)`, []box{{"Lee, Ann", "ann@example.com"}, {"Bob", "bob@example.org"}}},
		{`Lee, Ann <ann@example.com>`, []box{{"Lee, Ann", "ann@example.com"}}},
		{`=?UTF-8?Q?Lee=2C_Ann_=3Ceve=40example.org=3E?= <ann@example.com>`, []box{{"Lee, Ann <eve@example.org>", "ann@example.com"}}},
		{`=?utf-8?B?SsO8?= =?utf-8?B?cmdlbg==?= <j@example.com>`, []box{{"Jürgen", "j@example.com"}}},
		{`=?utf-8?B?SsM=?= =?utf-8?B?vHJnZW4=?= <j@example.com>`, []box{{"Jürgen", "j@example.com"}}},
		{`Team: ann@example.com, bob@example.org;`, []box{{"", "ann@example.com"}, {"", "bob@example.org"}}},
		{`Ann <mailto:ann@example.com>`, []box{{"Ann", "ann@example.com"}}},
		{`<@relay.example:ann@example.com>`, []box{{"", "ann@example.com"}}},
		{`Jos\u00e9 <josé@example.com>`, []box{{`Jos\u00e9`, "josé@example.com"}}},
		{`undisclosed-recipients:;`, nil},
		{`MAILER-DAEMON <>`, nil},
		{`ann`, nil},
	}
	for _, c := range cases {
		m := parse("From: x@example.com\nTo: " + c.header + "\n\nx")
		if !slices.Equal(m.To, c.want) {
			t.Errorf("%q: %q, want %q", c.header, m.To, c.want)
		}
	}
}

func TestNullReturnPathIsTold(t *testing.T) {
	t.Parallel()
	for path, null := range map[string]bool{"<>": true, "<ann@example.com>": false} {
		m := parse("Return-Path: " + path + "\n" + plainMail)
		if m.NullReturn != null || (m.ReturnPath == "") != null {
			t.Errorf("%s: %v %q", path, m.NullReturn, m.ReturnPath)
		}
	}
	if m := parse(plainMail); m.NullReturn || m.ReturnPath != "" {
		t.Errorf("no header: %v", m.NullReturn)
	}
}
