package tenant_test

import (
	"strings"
	"testing"

	"onefold/internal/policy/tenant"
)

// Where nobody can say that DMARC failed, the policy's word on it has no effect,
// and its writer is told.
func TestReading10APolicyIsToldWhereNoVerdictCanCome(t *testing.T) {
	t.Parallel()
	const form = `{"name": "form", "content": "form", "secret": "form", "mailbox": "website"}`
	for scheme, silent := range map[string]bool{
		`"secret": "x"`: true, `"scheme": "svix", "secret": "x"`: true, `"scheme": "resend", "secret": "x", "mailbox": "hello@demo.example"`: true,
		`"scheme": "postmark", "secret": "x"`: true, `"scheme": "mailgun", "secret": "x"`: true, `"scheme": "sendgrid", "secret": "x"`: true,
		`"scheme": "sns", "topics": ["arn:aws:sns:eu-west-1:123456789012:mail"]`: false, `"scheme": "ses", "mailboxes": ["hello@demo.example"]`: false,
	} {
		endpoint := form + `, {"name": "e", "content": "mail", ` + scheme
		for rest, noted := range map[string]bool{`}`: silent, `, "authserv_id": "mx.demo.example"}`: false} {
			if !silent && rest != `}` {
				continue
			}
			for word, minds := range map[string]bool{"accept": false, "no_changes": true, "review": true} {
				doc := strings.Replace(with(t, endpoint+rest), `"rules"`, `"mail": {"unauthenticated": "`+word+`"}, "rules"`, 1)
				notes := parse(t, doc).Notes()
				if got := len(notes) == 1; got != (noted && minds) {
					t.Errorf("%s%s, %s: noted %v", scheme, rest, word, notes)
				}
				for _, n := range notes {
					if n.Path != "/endpoints/1/authserv_id" || !strings.Contains(n.Message, "mail.unauthenticated") || !strings.Contains(n.Message, word) {
						t.Errorf("%+v", n)
					}
				}
			}
		}
	}
	if notes := (tenant.Policy{}).Notes(); len(notes) > 0 {
		t.Errorf("of no policy: %v", notes)
	}
}

func TestReading10AServerIsNamedWhereItCanBeRead(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]string{
		`"content": "form", "secret": "x", "mailbox": "w"`:                                          "/endpoints/0/authserv_id has an effect on mail alone",
		`"content": "mail", "scheme": "ses", "mailboxes": ["hello@demo.example"]`:                   "/endpoints/0/authserv_id has an effect on mail alone",
		`"content": "mail", "scheme": "sns", "topics": ["arn:aws:sns:eu-west-1:123456789012:mail"]`: "/endpoints/0/authserv_id has an effect on mail alone",
	} {
		if got := found(t, with(t, `{"name": "e", "authserv_id": "mx.demo.example", `+endpoint+`}`)); len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%s: %v", endpoint, got)
		}
	}
	for _, id := range []string{"", "mx demo.example", "mx.demo.example;", "(mx)", "mx\\\"", "mx.demö.example"} {
		if got := found(t, with(t, `{"name": "e", "content": "mail", "secret": "x", "authserv_id": "`+id+`"}`)); len(got) != 1 || !strings.HasPrefix(got[0], "/endpoints/0/authserv_id must be the authserv-id") {
			t.Errorf("%q: %v", id, got)
		}
	}
}
