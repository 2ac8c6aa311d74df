package ses

import (
	"net/mail"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"golang.org/x/net/idna"

	"onefold/internal/mailer"
)

const charset = "UTF-8"

// input builds the request. The word is "" or says why no request of this mail
// could be right. Only addresses are looked at, since a list in the place of
// one recipient would be many mails; all else SES itself refuses.
func input(m mailer.Mail) (*sesv2.SendEmailInput, string) {
	to, ok := wireAddress(m.To)
	if !ok {
		return nil, "invalid_recipient"
	}
	from, ok := wireAddress(m.From)
	if !ok {
		return nil, "invalid_sender"
	}
	in := &sesv2.SendEmailInput{
		FromEmailAddress: aws.String(from),
		Destination:      &types.Destination{ToAddresses: []string{to}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: text(m.Subject),
			Body:    &types.Body{Text: text(m.Text)},
			Headers: headers(m.Headers),
		}},
		EmailTags: tags(m.Tags),
	}
	if m.ReplyTo != "" {
		replyTo, ok := wireAddress(m.ReplyTo)
		if !ok {
			return nil, "invalid_reply_to"
		}
		in.ReplyToAddresses = []string{replyTo}
	}
	if m.ConfigurationSet != "" {
		in.ConfigurationSetName = aws.String(m.ConfigurationSet)
	}
	return in, ""
}

// wireAddress writes one mailbox as SES takes it: the display name as an
// encoded word, the domain in its ASCII form. A local part that is not ASCII
// is not supported by SES (API_Destination, SMTPUTF8 note).
func wireAddress(s string) (string, bool) {
	a, err := mail.ParseAddress(s)
	if err != nil {
		return "", false
	}
	at := strings.LastIndexByte(a.Address, '@')
	domain, err := idna.Lookup.ToASCII(a.Address[at+1:])
	if err != nil || !isASCII(a.Address[:at]) {
		return "", false
	}
	a.Address = a.Address[:at+1] + domain
	if a.Name == "" {
		// Without angle brackets, the form in which events give it back.
		return strings.Trim(a.String(), "<>"), true
	}
	return a.String(), true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func text(s string) *types.Content {
	return &types.Content{Data: aws.String(s), Charset: aws.String(charset)}
}

func headers(hs []mailer.Header) []types.MessageHeader {
	var out []types.MessageHeader
	for _, h := range hs {
		out = append(out, types.MessageHeader{Name: aws.String(h.Name), Value: aws.String(h.Value)})
	}
	return out
}

func tags(ts []mailer.Tag) []types.MessageTag {
	var out []types.MessageTag
	for _, t := range ts {
		out = append(out, types.MessageTag{Name: aws.String(t.Name), Value: aws.String(t.Value)})
	}
	return out
}
