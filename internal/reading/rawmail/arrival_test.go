package rawmail_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

func ours(addr string) bool { return strings.HasSuffix(strings.ToLower(addr), "@ours.example") }

// TestForwardingLeavesTheSenderAndNamesTheMailbox: the headers that Gmail and
// Exchange add on the way (provider documents and published samples).
func TestForwardingLeavesTheSenderAndNamesTheMailbox(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trace, deliveredTo, by, way string
	}{
		"plain":         {"Delivered-To: sales@ours.example\n", "sales@ours.example", "", ""},
		"gmail":         {"Delivered-To: intake@ours.example\nX-Forwarded-To: intake@ours.example\nX-Forwarded-For: sales@ours.example intake@ours.example\nDelivered-To: sales@ours.example\nReturn-Path: <sales+caf_=intake=ours.example@ours.example>\n", "intake@ours.example", "sales@ours.example", "gmail_forward"},
		"exchange":      {"X-MS-Exchange-ForwardingLoop: sales@ours.example;84df9e7f-0000-0000-0000-000000000000\nReturn-Path: <bob+SRS=abc=XY=example.com=ann@ours.example>\n", "", "sales@ours.example", "exchange_forward"},
		"exchange rule": {"Resent-From: <sales@ours.example>\nX-MS-Exchange-Inbox-Rules-Loop: sales@ours.example\n", "", "sales@ours.example", "resent exchange_rule"},
		"proxy":         {"X-Forwarded-For: 192.0.2.7, 10.0.0.1\n", "", "", ""},
		"not topmost":   {"X-Original-To: intake@ours.example\nDelivered-To: eve@example.org\n", "intake@ours.example", "", ""},
	} {
		m := rawmail.Parse([]byte(c.trace+plainMail), ours)
		if m.Kind != rawmail.Human || len(m.From) != 1 || m.From[0].Address != "ann@example.com" {
			t.Errorf("%s: kind %s %v, from %v", name, m.Kind, m.KindReasons, m.From)
		}
		if m.Route.DeliveredTo != c.deliveredTo || strings.Join(m.Route.ForwardedBy, " ") != c.by || strings.Join(m.Route.Ways, " ") != c.way {
			t.Errorf("%s: %+v", name, m.Route)
		}
	}
}

func TestAMailThatARuleRedirectedIsAPersonsToLookAt(t *testing.T) {
	t.Parallel()
	rule := "X-MS-Exchange-Inbox-Rules-Loop: %s\nAuto-Submitted: auto-generated\nX-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent\n"
	for name, c := range map[string]struct {
		mail   string
		kind   rawmail.Kind
		doubts string
	}{
		"redirected":          {strings.Replace(rule, "%s", "sales@ours.example", 1) + plainMail, rawmail.Human, "redirected_by_rule"},
		"the rule's answer":   {strings.Replace(rule, "%s", "ann@example.com", 1) + plainMail, rawmail.AutoReply, ""},
		"an answer passed on": {strings.Replace(strings.Replace(rule, "%s", "sales@ours.example", 1), "generated\n", "replied\n", 1) + plainMail, rawmail.AutoReply, ""},
		"no mailbox":          {strings.Replace(rule, "%s", "1", 1) + plainMail, rawmail.AutoReply, ""},
	} {
		if m := rawmail.Parse([]byte(c.mail), ours); m.Kind != c.kind || strings.Join(m.Doubts, " ") != c.doubts {
			t.Errorf("%s: %s %v %v", name, m.Kind, m.KindReasons, m.Doubts)
		}
	}
}

func TestGmailsQuestionWhetherToForwardIsAKindOfItsOwn(t *testing.T) {
	t.Parallel()
	m := parse("From: Gmail Team <forwarding-noreply@google.com>\nTo: intake@ours.example\nSubject: (#123456789) Gmail Forwarding Confirmation - Receive Mail from sales@example.com\n\nConfirmation code: 123456789\n")
	if m.Kind != rawmail.AutoReply || !slices.Equal(m.KindReasons, []string{rawmail.ForwardingConfirmation}) {
		t.Errorf("%s %v", m.Kind, m.KindReasons)
	}
}

const (
	colleague = "From: Bob <bob@ours.example>\nTo: intake@ours.example\nMessage-ID: <f@ours.example>\nDate: Tue, 3 Mar 2026 10:00:00 +0100\n"
	gmailFwd  = "Please take this.\n\n---------- Forwarded message ---------\nFrom: Ann Lee <ann@example.com>\nDate: Mon, Mar 2, 2026 at 9:00 AM\nSubject: Chairs\nTo: <bob@ours.example>\n\n\nTen chairs, please.\n\n-- \nAnn Lee\n"
)

func TestWhatAColleagueForwardsNamesACandidate(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"gmail":   "Subject: Fwd: Chairs\n\n" + gmailFwd,
		"outlook": "Subject: FW: Chairs\n\nPlease take this.\n\n________________________________\nFrom: Ann Lee <ann@example.com>\nSent: Monday, March 2, 2026 9:00 AM\nTo: Bob <bob@ours.example>\nSubject: Chairs\n\nTen chairs, please.\n\n-- \nAnn Lee\n",
		"german":  "Subject: WG: Chairs\n\nBitte.\n\nVon: Ann Lee [mailto:ann@example.com]\nGesendet: Montag, 2. März 2026 09:00\nAn: Bob\nBetreff: Chairs\n\nTen chairs, please.\n\n-- \nAnn Lee\n",
		"apple":   "Subject: Fwd: Chairs\n\nBegin forwarded message:\n\n> From: Ann Lee <ann@example.com>\n> Subject: Chairs\n> Date: 2 March 2026 at 09:00:00 GMT\n> To: bob@ours.example\n> \n> Ten chairs, please.\n> \n> -- \n> Ann Lee\n",
		"attached": "Subject: see attached\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nPlease take this.\n--b\nContent-Type: message/rfc822\n\n" +
			"From: =?utf-8?q?Ann_Lee?= <ann@example.com>\nSubject: Chairs\nContent-Type: text/plain\n\nTen chairs, please.\n\n-- \nAnn Lee\n--b--\n",
	} {
		m := rawmail.Parse([]byte(colleague+body), ours)
		f := m.Forwarded
		if m.Kind != rawmail.Own || f == nil || m.Relayed != nil {
			t.Errorf("%s: %s, %+v, %+v", name, m.Kind, f, m.Relayed)
			continue
		}
		if f.From != (rawmail.Mailbox{Name: "Ann Lee", Address: "ann@example.com"}) || f.Subject != "Chairs" || f.Visible != "Ten chairs, please." || f.Signature != "Ann Lee" || f.Attached != (name == "attached") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestWhatIsNoForwardingNamesNobody(t *testing.T) {
	t.Parallel()
	for name, mail := range map[string]string{
		"a reply":         colleague + "Subject: Re: Chairs\nIn-Reply-To: <a1@example.com>\n\nYes.\n\nFrom: Ann Lee <ann@example.com>\nSent: Monday\nTo: Bob\nSubject: Chairs\n\nTen chairs?\n",
		"ours forwarded":  colleague + "Subject: Fwd: Chairs\n\n" + strings.ReplaceAll(gmailFwd, "ann@example.com", "eve@ours.example"),
		"our own mark":    "X-Onefold-Intent: i\n" + colleague + "Subject: Fwd: Chairs\n\n" + gmailFwd,
		"null sender":     "Return-Path: <>\n" + colleague + "Subject: Fwd: Chairs\n\n" + gmailFwd,
		"only a subject":  colleague + "Subject: Fwd: Chairs\n\nFrom: the office\n",
		"a block, no fwd": colleague + "Subject: Notes\n\nFrom: Ann Lee <ann@example.com>\nSent: Monday\nTo: Bob\nSubject: Chairs\n\nx\n",
	} {
		if m := rawmail.Parse([]byte(mail), ours); m.Forwarded != nil || m.Relayed != nil {
			t.Errorf("%s: %+v %+v", name, m.Forwarded, m.Relayed)
		}
	}
}

func TestAStrangerWhoForwardsIsDoubted(t *testing.T) {
	t.Parallel()
	stranger := strings.Replace(colleague, "bob@ours.example", "bob@example.net", 1)
	if m := rawmail.Parse([]byte(stranger+"Subject: Fwd: Chairs\n\n"+gmailFwd), ours); m.Kind != rawmail.Human || !slices.Equal(m.Doubts, []string{rawmail.DoubtForwarded}) {
		t.Errorf("%s %v", m.Kind, m.Doubts)
	}
	herself := strings.Replace(colleague, "bob@ours.example", "ann@example.com", 1)
	if m := rawmail.Parse([]byte(herself+"Subject: Fwd: Chairs\n\n"+gmailFwd), ours); len(m.Doubts) != 0 {
		t.Errorf("her own mail: %v", m.Doubts)
	}
}

func TestARelayOfOursNamesThePerson(t *testing.T) {
	t.Parallel()
	site := "From: Site <web@ours.example>\nSubject: Contact form\n"
	type box = rawmail.Mailbox
	for name, c := range map[string]struct {
		mail string
		want box
		by   string
	}{
		"reply-to":      {site + "Reply-To: Ann Lee <ann@example.com>\n\nEmail: eve@example.org\n", box{"Ann Lee", "ann@example.com"}, rawmail.ByReplyTo},
		"group":         {"From: 'Ann Lee' via Sales <sales@ours.example>\nX-Original-From: Ann Lee <ann@example.com>\nReply-To: sales@ours.example\nSubject: x\n\nHi\n", box{"Ann Lee", "ann@example.com"}, rawmail.ByOriginalFrom},
		"fields":        {site + "\nName: Ann Lee\nEmail: ann@example.com\nMessage: Ten chairs\n", box{"Ann Lee", "ann@example.com"}, rawmail.ByBody},
		"value below":   {site + "\nE-Mail-Adresse:\nann@example.com\n\nNachricht:\nZehn\n", box{"", "ann@example.com"}, rawmail.ByBody},
		"html table":    {site + "Content-Type: text/html\n\n<table><tr><td><b>Your name:</b></td><td>Ann Lee</td></tr><tr><td><b>Your email address:</b></td><td><a href='mailto:ann@example.com'>ann@example.com</a></td></tr></table>", box{"Ann Lee", "ann@example.com"}, rawmail.ByBody},
		"only ours":     {site + "\nEmail: bob@ours.example\n", box{}, ""},
		"in a sentence": {site + "\nPlease write to ann@example.com about it.\n", box{}, ""},
	} {
		m := rawmail.Parse([]byte(c.mail), ours)
		got := box{}
		if m.Relayed != nil {
			got = *m.Relayed
		}
		if m.Kind != rawmail.Own || got != c.want || m.RelayedBy != c.by {
			t.Errorf("%s: %s %+v %q", name, m.Kind, got, m.RelayedBy)
		}
	}
}

func TestCalendarPartsAreRead(t *testing.T) {
	t.Parallel()
	ics := func(method string) string {
		return head + "Content-Type: text/calendar; method=" + method + "\n\nBEGIN:VCALENDAR\nMETHOD:" + method + "\nBEGIN:VEVENT\nORGANIZER;CN=Ann:mailto:ann@example.com\nSUMMARY:A talk about\n  chairs\\, ten\nDESCRIPTION:First line\\nsecond\nEND:VEVENT\nEND:VCALENDAR\n"
	}
	m := parse(ics("REQUEST"))
	if c := m.Calendar; c == nil || c.Method != "request" || c.Organizer != "ann@example.com" || c.Summary != "A talk about chairs, ten" || len(m.Doubts) != 0 {
		t.Errorf("%+v %v", c, m.Doubts)
	}
	if m.Text != "A talk about chairs, ten\n\nFirst line\nsecond" {
		t.Errorf("text %q", m.Text)
	}
	if m = parse(ics("REPLY")); !slices.Equal(m.Doubts, []string{rawmail.DoubtCalendar}) {
		t.Errorf("doubts %v", m.Doubts)
	}
}
