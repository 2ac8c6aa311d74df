package rawmail_test

import (
	"strings"
	"testing"

	"onefold/internal/reading/rawmail"
)

// A text that anybody can type is a report only from whom writes such reports:
// else a line of JSON stopped mail to whom it names, and a person who complains
// of a mail and attaches it would be taken for a machine.
func TestReportsByTextComeFromTheirService(t *testing.T) {
	t.Parallel()
	const event = "Subject: AWS Notification Message\n\n{\"notificationType\":\"KIND\",\"bounce\":{\"bouncedRecipients\":[{\"emailAddress\":\"bob@example.net\",\"status\":\"5.1.1\",\"action\":\"failed\"}]}," +
		"\"complaint\":{\"complainedRecipients\":[{\"emailAddress\":\"bob@example.net\"}]}}\n"
	const attached = "Subject: complaint about message from your shop\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below.\n--b\nContent-Type: message/rfc822\n\nTo: bob@example.net\nSubject: x\n\nhi\n--b--\n"
	for name, c := range map[string]struct {
		from, mail string
		kind       rawmail.Kind
	}{
		"bounce of SNS":                {"no-reply@sns.amazonaws.com", strings.Replace(event, "KIND", "Bounce", 1), rawmail.Bounce},
		"complaint of SNS":             {"SES <no-reply@SNS.amazonaws.com>", strings.Replace(event, "KIND", "Complaint", 1), rawmail.Complaint},
		"bounce of a stranger":         {"eve@example.org", strings.Replace(event, "KIND", "Bounce", 1), rawmail.Human},
		"complaint of a stranger":      {"eve@example.org", strings.Replace(event, "KIND", "Complaint", 1), rawmail.Human},
		"SNS in the name":              {"\"no-reply@sns.amazonaws.com\" <eve@example.org>", strings.Replace(event, "KIND", "Bounce", 1), rawmail.Human},
		"a host that begins as SNS's":  {"no-reply@sns.amazonaws.com.example.org", strings.Replace(event, "KIND", "Bounce", 1), rawmail.Human},
		"complaint of the provider":    {"staff@hotmail.com", attached, rawmail.Complaint},
		"complaint of a person there":  {"ann@hotmail.com", attached, rawmail.Human},
		"complaint of a person's shop": {"ann@example.com", attached, rawmail.Human},
	} {
		m := parse("From: " + c.from + "\nTo: sales@example.net\nDate: Tue, 3 Mar 2026 10:00:00 +0100\nMessage-ID: <a1@example.com>\n" + c.mail)
		if m.Kind != c.kind || (m.Suppression != nil) != (c.kind != rawmail.Human) {
			t.Errorf("%s: %s, %+v", name, m.Kind, m.Suppression)
		}
	}
}
