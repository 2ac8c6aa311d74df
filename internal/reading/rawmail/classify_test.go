package rawmail_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

func TestKindIsDecidedFromHeadersBeforeAnyModel(t *testing.T) {
	t.Parallel()
	own := func(a string) bool { return a == "sales@example.net" }
	base := "From: Ann <ann@example.com>\nSubject: %s\nDate: Tue, 3 Mar 2026 10:00:00 +0100\nMessage-ID: <a@example.com>\n"
	cases := []struct {
		name, extra, subject string
		kind                 rawmail.Kind
		reasons              string
	}{
		{"person", "", "Chairs", rawmail.Human, ""},
		{"person, auto-submitted no", "Auto-Submitted: no\n", "Chairs", rawmail.Human, ""},
		{"person, Exchange suppress header", "X-Auto-Response-Suppress: DR, OOF\n", "Chairs", rawmail.Human, ""},
		{"person about autos", "", "Auto parts wanted", rawmail.Human, ""},
		{"person asking about an out of office reply", "", "Question on your out of office reply", rawmail.Human, ""},
		{"person forwarding a bounce", "", "Fwd: Undeliverable: Chairs", rawmail.Human, ""},
		{"auto-replied", "Auto-Submitted: auto-replied; owner-email=x\n", "Chairs", rawmail.AutoReply, "auto_submitted"},
		{"auto-generated", "Auto-Submitted: auto-generated (failure)\n", "Chairs", rawmail.AutoReply, "auto_submitted"},
		{"x-autoreply", "X-Autoreply: yes\n", "Chairs", rawmail.AutoReply, "autoreply_header"},
		{"x-autorespond", "X-Autorespond: Chairs\n", "Chairs", rawmail.AutoReply, "autoreply_header"},
		{"precedence", "Precedence: auto_reply\n", "Chairs", rawmail.AutoReply, "precedence_auto_reply"},
		{"Exchange away", "X-Auto-Response-Suppress: All\n", "Automatic reply: Chairs", rawmail.AutoReply, "auto_response_suppress away_subject"},
		{"German away", "In-Reply-To: <q@example.net>\n", "Abwesenheitsnotiz: Stühle", rawmail.AutoReply, "away_subject"},
		{"null path and words of failure", "Return-Path: <>\n", "Chairs", rawmail.Bounce, "null_return_path bounce_text"},
		{"auto-reply to a list", "Auto-Submitted: auto-replied\nPrecedence: list\n", "Chairs", rawmail.AutoReply, "auto_submitted"},
		{"list", "List-Id: <l.example.org>\nList-Post: <mailto:l@example.org>\nPrecedence: list\n", "Chairs", rawmail.List, "list_id list_post precedence_list"},
		{"bulk", "Precedence: bulk\n", "Chairs", rawmail.List, "precedence_bulk"},
		{"newsletter", "List-Unsubscribe: <https://example.org/u>\n", "Chairs", rawmail.List, "list_unsubscribe"},
		{"our tag", "X-Onefold-Intent: i1\n", "Chairs", rawmail.Own, "own_intent_header"},
	}
	for _, c := range cases {
		m := rawmail.Parse([]byte(strings.Replace(base, "%s", c.subject, 1)+c.extra+"\nHello, the recipient address was rejected: user unknown.\n"), own)
		if m.Kind != c.kind || strings.Join(m.KindReasons, " ") != c.reasons {
			t.Errorf("%s: %s %v, want %s %s", c.name, m.Kind, m.KindReasons, c.kind, c.reasons)
		}
	}
	if m := parse("Return-Path: <>\n" + plainMail); m.Kind != rawmail.AutoReply || !slices.Equal(m.KindReasons, []string{"null_return_path"}) {
		t.Errorf("null path: %s %v", m.Kind, m.KindReasons)
	}
	m := rawmail.Parse([]byte("From: sales@example.net\nAuto-Submitted: auto-generated\nSubject: x\n\nHi"), own)
	if m.Kind != rawmail.Own || !slices.Equal(m.KindReasons, []string{"own_from_address"}) {
		t.Errorf("own: %s %v", m.Kind, m.KindReasons)
	}
}

func dsn(fields string) string {
	return "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.org\nSubject: Undelivered\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n" +
		"--b\n\nYour mail could not be delivered.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.org\n\n" + fields + "\n--b\nContent-Type: message/rfc822\n\nTo: other@example.org\n\nold\n--b--\n"
}

// The codes are those of RFC 3463.
func TestOnlyPermanentAddressFailuresAreHard(t *testing.T) {
	t.Parallel()
	cases := []struct {
		action, status, diagnosis string
		hard                      bool
	}{
		{"failed", "5.1.1", "smtp; 550 5.1.1 user unknown", true},
		{"failed", "5.1.1", "", true},
		{"failed", "5.1.2", "smtp; 550 bad destination system", true},
		{"failed", "5.1.6", "smtp; 551 moved", true},
		{"failed", "5.1.10", "smtp; null MX", true},
		{"failed", "5.0.0", "smtp; 550 No such user here", true},
		{"failed", "5.0.0", "smtp; 550 5.1.1 unknown", true},
		{"failed", "5.2.2", "smtp; 552 mailbox full", false},
		{"failed", "5.1.1", "smtp; 552 5.2.2 mailbox full", false},
		{"failed", "5.0.0", "smtp; 550 user unknown, mailbox is over quota", false},
		{"failed", "5.7.1", "smtp; 550 user unknown by policy", false},
		{"failed", "5.7.26", "smtp; unauthenticated", false},
		{"failed", "5.6.0", "smtp; 550 no such user content", false},
		{"failed", "5.1.8", "smtp; 553 domain of sender does not exist", false},
		{"failed", "5.3.0", "smtp; 554 mailer error", false},
		{"failed", "5.4.7", "smtp; expired", false},
		{"failed", "4.1.1", "smtp; 450 user unknown", false},
		{"delayed", "5.1.1", "smtp; 550 user unknown", false},
		{"failed", "5.0.0", "smtp; 550 blocked for spam", false},
	}
	for _, c := range cases {
		m := parse(dsn("Final-Recipient: rfc822; ann@example.com\nAction: " + c.action + "\nStatus: " + c.status + "\nDiagnostic-Code: " + c.diagnosis + "\n"))
		if m.Kind != rawmail.Bounce || m.Suppression == nil || m.Suppression.Address != "ann@example.com" || m.Suppression.Reason != "bounce" || m.Suppression.Hard != c.hard {
			t.Errorf("%+v: %s %+v", c, m.Kind, m.Suppression)
		}
	}
}

func TestEveryRecipientOfAReportIsNamedAndTheHardOneFirst(t *testing.T) {
	t.Parallel()
	m := parse(dsn("Final-Recipient: rfc822; full@example.com\nAction: failed\nStatus: 5.2.2\n\n" +
		"Original-Recipient: rfc822; gone@example.com\nFinal-Recipient: rfc822; inner@relay.example\nAction: failed\nStatus: 5.1.1\n\n" +
		"Final-Recipient: rfc822; fine@example.com\nAction: delivered\nStatus: 2.0.0\n"))
	want := []rawmail.Suppression{{"full@example.com", "bounce", "5.2.2", false}, {"gone@example.com", "bounce", "5.1.1", true}}
	if !slices.Equal(m.Recipients, want) || *m.Suppression != want[1] {
		t.Errorf("%+v, %+v", m.Recipients, m.Suppression)
	}
}

func TestFreeTextBounces(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, header, body, address string
		hard                        bool
	}{
		{"qmail", "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.org\nSubject: failure notice\n", "I wasn't able to deliver your message to the following addresses.\n\n<gone@example.com>:\nSorry, no mailbox here by that name. (#5.1.1)\n\n--- Below this line is a copy of the message.\n\nTo: <x@example.com>\n", "gone@example.com", true},
		{"exim", "From: Mail Delivery System <Mailer-Daemon@mx.example.org>\nSubject: Mail delivery failed: returning message to sender\nX-Failed-Recipients: gone@example.com\n", "The following address(es) failed:\n\n  gone@example.com\n    host mx [192.0.2.20]: 550 Unknown user\n", "gone@example.com", true},
		{"postfix", "From: MAILER-DAEMON@mx.example.org (Mail Delivery System)\nSubject: Undelivered Mail Returned to Sender\n", "could not be delivered to one or more\nrecipients.\n\n<full@example.com>: host mx.example.com[192.0.2.1] said: 552 5.2.2 Mailbox full\n", "full@example.com", false},
		{"exchange", "From: System Administrator <postmaster@example.org>\nTo: me@example.net\nSubject: Undeliverable: Chairs\n", "Your message\n\n  To:      me@example.net\n\ndid not reach the following recipient(s):\n\ngone@example.com on Thu, 29 Apr 2010\n    The recipient name is not recognized\n", "gone@example.com", true},
	}
	for _, c := range cases {
		m := parse(c.header + "\n" + c.body)
		if m.Kind != rawmail.Bounce || m.Suppression == nil || m.Suppression.Address != c.address || m.Suppression.Hard != c.hard {
			t.Errorf("%s: %s %v %+v", c.name, m.Kind, m.KindReasons, m.Suppression)
		}
	}
}

func TestComplaintsSuppressByFeedbackType(t *testing.T) {
	t.Parallel()
	for kind, hard := range map[string]bool{"abuse": true, "opt-out": true, "auth-failure": false, "not-spam": false, "virus": false} {
		m := parse("From: fbl@example.org\nSubject: report\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\n\n--b\n\nA report.\n" +
			"--b\nContent-Type: message/feedback-report\n\nFeedback-Type: " + kind + "\nOriginal-Rcpt-To: <ann@example.com>\nOriginal-Rcpt-To: bob@example.com\n\n--b\nContent-Type: message/rfc822\n\nTo: x@example.com\n\nold\n--b--\n")
		if m.Kind != rawmail.Complaint || len(m.Recipients) != 2 || *m.Suppression != (rawmail.Suppression{Address: "ann@example.com", Reason: "complaint", Hard: hard}) {
			t.Errorf("%s: %s %+v", kind, m.Kind, m.Recipients)
		}
	}
}
