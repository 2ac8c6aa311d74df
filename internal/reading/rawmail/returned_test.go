package rawmail_test

import (
	"slices"
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

// returning is a delivery report that gives back a mail or its header as a part
// of a kind, encoded or not.
func returning(mediaType, encoding, original string) string {
	part := "--b\nContent-Type: " + mediaType + "\n"
	if encoding != "" {
		part += "Content-Transfer-Encoding: " + encoding + "\n"
	}
	return "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.org\nTo: sales@example.net\nSubject: Undelivered\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\n\n" +
		"--b\n\nYour mail could not be delivered.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.org\n\n" +
		"Final-Recipient: rfc822; bob@example.net\nAction: failed\nStatus: 5.1.1\n" + part + "\n" + original + "\n--b--\n"
}

// TestTheMarkOfTheMailThatAReportGivesBack: each way in which it is given back.
// Whether a mark is genuine is not the parser's to say.
func TestTheMarkOfTheMailThatAReportGivesBack(t *testing.T) {
	t.Parallel()
	const marked = "From: sales@example.net\nTo: bob@example.net\n" + rawmail.MarkHeader + ": i1.h1\nSubject: Huts\n"
	const qmail = "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.org\nTo: sales@example.net\nSubject: failure notice\n\n" +
		"Hi. This is the qmail-send program.\n\n<bob@example.net>:\n550 5.1.1 user unknown\n\n--- Below this line is a copy of the message.\n\n"
	const complaint = "From: fbl@example.org\nTo: sales@example.net\nSubject: Complaint\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\n\n" +
		"--b\n\nA complaint.\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\n--b\nContent-Type: message/rfc822\n\n" + marked + "\nHello.\n--b--\n"
	const sns = "From: no-reply@sns.amazonaws.com\nTo: sales@example.net\nSubject: AWS Notification Message\n\n" +
		`{"notificationType":"Bounce","bounce":{"bouncedRecipients":[{"emailAddress":"bob@example.net","status":"5.1.1","action":"failed"}]},"mail":HEADERS}` + "\n"
	wrapped := "From: MAILER-DAEMON@inner.example\nContent-Type: multipart/report; boundary=c\n\n--c\nContent-Type: message/rfc822\n\n" + marked + "\n--c--\n"
	many := ""
	for _, n := range strings.Split("1 2 3 4 5 6 7", " ") {
		many += rawmail.MarkHeader + ": i" + n + ".h\n"
	}
	for name, c := range map[string]struct {
		mail string
		kind rawmail.Kind
		want []string
	}{
		"the mail":               {returning("message/rfc822", "", marked+"\nHello.\n"), rawmail.Bounce, []string{"i1.h1"}},
		"its header":             {returning("text/rfc822-headers", "", marked), rawmail.Bounce, []string{"i1.h1"}},
		"the mail, in base64":    {returning("message/rfc822", "base64", "WC1PbmVmb2xkLUludGVudDogaTEuaDEKCng="), rawmail.Bounce, []string{"i1.h1"}},
		"in the text":            {qmail + marked + "\nHello.\n", rawmail.Bounce, []string{"i1.h1"}},
		"in the text, quoted":    {qmail + "> " + strings.ReplaceAll(marked, "\n", "\n> "), rawmail.Bounce, []string{"i1.h1"}},
		"a report in a report":   {returning("message/rfc822", "", wrapped), rawmail.Bounce, []string{"i1.h1"}},
		"a complaint":            {complaint, rawmail.Complaint, []string{"i1.h1"}},
		"SES by SNS":             {strings.Replace(sns, "HEADERS", `{"headers":[{"name":"To","value":"x"},{"name":"x-onefold-intent","value":"i1.h1"}]}`, 1), rawmail.Bounce, []string{"i1.h1"}},
		"SES by SNS, no header":  {strings.Replace(sns, "HEADERS", `{"headers":"none"}`, 1), rawmail.Bounce, []string{}},
		"SES by SNS, no mail":    {strings.Replace(sns, "HEADERS", `"lost"`, 1), rawmail.Bounce, []string{}},
		"folded, in small":       {returning("text/rfc822-headers", "", "to: bob@example.net\nx-onefold-intent:\n\ti1.h1\nx: y\n"), rawmail.Bounce, []string{"i1.h1"}},
		"two, one of them twice": {returning("message/rfc822", "", marked+"\n"+marked+rawmail.MarkHeader+": i2.h2\n"), rawmail.Bounce, []string{"i1.h1", "i2.h2"}},
		"more than are kept":     {returning("message/rfc822", "", many), rawmail.Bounce, []string{"i1.h", "i2.h", "i3.h", "i4.h", "i5.h"}},
		"empty":                  {returning("message/rfc822", "", rawmail.MarkHeader+":\nTo: x@example.net\n"), rawmail.Bounce, []string{}},
		"within a line":          {returning("message/rfc822", "", "Subject: see "+rawmail.MarkHeader+": i1.h1\n"), rawmail.Bounce, []string{}},
		"a longer name":          {returning("message/rfc822", "", rawmail.MarkHeader+"ion: i1.h1\n"), rawmail.Bounce, []string{}},
		"none":                   {returning("message/rfc822", "", "To: bob@example.net\n"), rawmail.Bounce, []string{}},
		// The report's own header is its writer's, and no mail that is given back.
		"of the report itself": {rawmail.MarkHeader + ": i1.h1\n" + returning("message/rfc822", "", "To: bob@example.net\n"), rawmail.Bounce, []string{}},
		"a person's mail":      {"From: ann@example.com\nSubject: Huts\n\n" + marked, rawmail.Human, []string{}},
	} {
		m := parse(c.mail)
		if m.Kind != c.kind || !slices.Equal(m.ReturnedMarks, c.want) || m.ReturnedMarks == nil {
			t.Errorf("%s: %s gives back %q, want %q", name, m.Kind, m.ReturnedMarks, c.want)
		}
		if c.kind == rawmail.Bounce && (m.Suppression == nil || m.Suppression.Address != "bob@example.net" || !m.Suppression.Hard) {
			t.Errorf("%s: the report's own word is %+v", name, m.Suppression)
		}
	}
}

func TestAReturnedMarkIsOneShortLine(t *testing.T) {
	t.Parallel()
	long := rawmail.MarkHeader + ": " + strings.Repeat("a", 900) + "\n"
	m := parse(returning("message/rfc822", "", long))
	if len(m.ReturnedMarks) != 1 || len(m.ReturnedMarks[0]) != 200 {
		t.Errorf("%q", m.ReturnedMarks)
	}
}

// TestReading04TheMarkThatAPersonPassesOn: our mail attached, or its header in
// the text, quoted or not; of a machine's mail nothing is asked.
func TestReading04TheMarkThatAPersonPassesOn(t *testing.T) {
	t.Parallel()
	const marked = "From: sales@example.net\nTo: bob@example.net\n" + rawmail.MarkHeader + ": i1.h1\nSubject: Huts\n"
	const head = "From: bob@example.org\nTo: sales@example.net\nSubject: Re: Huts\n"
	const attached = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nPlease unsubscribe me.\n--b\nContent-Type: message/rfc822\n\n" + marked + "\nHello.\n--b--\n"
	for name, c := range map[string]struct {
		mail string
		kind rawmail.Kind
		want []string
	}{
		"attached":              {head + attached, rawmail.Human, []string{"i1.h1"}},
		"in the text":           {head + "\nPlease unsubscribe me.\n\n" + marked, rawmail.Human, []string{"i1.h1"}},
		"quoted":                {head + "\nPlease unsubscribe me.\n\n> " + strings.ReplaceAll(marked, "\n", "\n> "), rawmail.Human, []string{"i1.h1"}},
		"through a group":       {"List-Id: <g.example.org>\nList-Post: <mailto:g@example.org>\n" + head + attached, rawmail.List, []string{"i1.h1"}},
		"of an automatic reply": {"Auto-Submitted: auto-replied\n" + head + attached, rawmail.AutoReply, nil},
		"none":                  {head + "\nPlease unsubscribe me.\n", rawmail.Human, nil},
	} {
		if m := parse(c.mail); m.Kind != c.kind || !slices.Equal(m.PassedOn, c.want) || len(m.ReturnedMarks) != 0 {
			t.Errorf("%s: %s passes on %q, want %q", name, m.Kind, m.PassedOn, c.want)
		}
	}
}
