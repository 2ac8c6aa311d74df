// Package postmark is the source for mail that Postmark receives and posts as
// JSON.
//
// Its invariant: an event is Postmark's MessageID, which Postmark makes for each
// mail, and never the sender's Message-ID, which stands among the headers.
// Postmark signs nothing: the proof is the user and password in the webhook's
// address. It refuses to answer 403 whatever happens, since that ends Postmark's
// tries for good.
package postmark

import (
	"encoding/base64"
	"encoding/json"
	"net/mail"
	"strings"

	"onefold/internal/webhook"
	"onefold/internal/webhook/basicauth"
	"onefold/internal/webhook/parsedmail"
)

// Source is Postmark.
type Source struct{}

// New makes the source.
func New() Source { return Source{} }

// About is the source's row.
func (Source) About() webhook.About {
	return webhook.About{
		Scheme: "postmark", Name: "Postmark inbound", Contents: []string{webhook.ContentMail},
		ID:     "`MessageID`, Postmark's own of the mail",
		Auth:   "user and password in the webhook's address (secret: `user:password`); nothing is signed",
		Replay: "nothing is signed, so nothing is dated: the ID stands against a repeat. 10 tries in 10.5 hours, then a try by hand",
		Answers: webhook.Answers{
			// 200 and no other 2xx is success to Postmark.
			Recorded: 200, Duplicate: 200,
			// It is before a person, and ten more tries would not better it.
			Conflict: 200,
			// Tried again, which bridges a change of the password. Never 403.
			Unauthenticated: 401,
			Kind:            415, Malformed: 400, TooLarge: 413, UnknownEndpoint: webhook.UnknownEndpoint, Fault: 503,
		},
		Final: []int{403}, MaxBody: webhook.MaxBody,
		Checks: "SpamAssassin's tests in `X-Spam-Tests`, which Postmark writes into each mail, so that with one of the sender's there are two and neither counts; of `SPF_PASS` the domain in the `Received-SPF` directly below it. `DKIM_VALID_AU` is a signature of the domain in `From`. Nothing is said of DMARC",
		Limits: "Postmark posts 35 MB, of which 4 MiB are taken here: about 3 MB of mail. Switch on \"Include raw email content\"; without it the mail is put together again from its parts",
		Facts: []string{
			"https://postmarkapp.com/developer/webhooks/inbound-webhook",
			"https://postmarkapp.com/support/article/understanding-inbound-webhook-retries-in-postmark",
		},
		Unverified: []string{
			"that `Received-SPF` is directly below `X-Spam-Tests` in `Headers`, as in the example: if not, SPF is not read",
			"that Postmark posts 35 MB at most",
			"that `OriginalRecipient` is always there: where it is not, the first of `ToFull` counts",
			"that a mail for several of our addresses has a `MessageID` for each: the mailbox is part of an event's identity, so one for all is fine too",
			"in what form `RawEmail` has bytes that are no UTF-8: it is taken as it stands",
			"that the password is decoded from the address before it is sent: choose letters and digits",
		},
	}
}

// inbound is what of the JSON is read; the names are Postmark's, whose case does
// not count.
type inbound struct {
	MessageID, OriginalRecipient, RawEmail string
	From, To, Cc, ReplyTo, Subject, Date   string
	TextBody, HTMLBody                     string
	FromFull                               struct{ Email, Name string }
	ToFull                                 []struct{ Email string }
	Headers                                []struct{ Name, Value string }
	Attachments                            []attachment
}

type attachment struct{ Name, Content, ContentType, ContentID string }

// Open checks the password and gives the mail.
func (Source) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	if first := set.Secrets; len(first) > 0 && !first[0].IsZero() && !basicauth.Is(first[0]) {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrNoSecret, "secret_missing", "the endpoint's secret is no user:password; the delivery will be taken when it is")
	}
	if err := basicauth.Check(r.Headers, set.Secrets); err != nil {
		return webhook.Opened{}, err
	}
	var in inbound
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "body_not_postmark", "the body is Postmark's JSON of a mail")
	}
	if !webhook.ValidID(in.MessageID) {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrBadID, "message_id_invalid", "the body has Postmark's MessageID")
	}
	to := in.OriginalRecipient
	if to == "" && len(in.ToFull) > 0 {
		to = in.ToFull[0].Email
	}
	mailbox := webhook.Mailbox(to)
	if mailbox == "" {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "recipient_missing", "OriginalRecipient names the mailbox, in at most 256 bytes")
	}
	raw, mail := []byte(in.RawEmail), in.mail()
	fingerprint := webhook.Fingerprint(raw)
	if len(raw) == 0 {
		// Of the parts: newer code may write the message otherwise between two tries.
		raw, fingerprint = mail.Bytes(), mail.Content()
	}
	return webhook.Opened{Deliveries: []webhook.Delivery{{
		// MAIL FROM is not among Postmark's fields; the mail's own Return-Path says
		// it, where there is one.
		ID: in.MessageID, Content: webhook.ContentMail, Mailbox: mailbox, Raw: raw, Fingerprint: fingerprint,
		Verdicts: verdicts(mail),
	}}}, nil
}

// mail puts the mail together again. Headers has what Postmark does not give
// as fields.
func (in inbound) mail() parsedmail.Mail {
	var m parsedmail.Mail
	for _, h := range in.Headers {
		m.Fields = append(m.Fields, parsedmail.Field{Name: h.Name, Value: h.Value})
	}
	from := in.From
	if in.FromFull.Email != "" {
		from = (&mail.Address{Name: in.FromFull.Name, Address: in.FromFull.Email}).String()
	}
	m.Add("From", from)
	m.Add("To", in.To)
	m.Add("Cc", in.Cc)
	m.Add("Reply-To", in.ReplyTo)
	m.Add("Subject", in.Subject)
	m.Add("Date", in.Date)
	if in.TextBody != "" {
		m.Texts = append(m.Texts, parsedmail.Part{Type: "text/plain; charset=utf-8", Body: []byte(in.TextBody)})
	}
	if in.HTMLBody != "" {
		m.Texts = append(m.Texts, parsedmail.Part{Type: "text/html; charset=utf-8", Body: []byte(in.HTMLBody)})
	}
	for _, a := range in.Attachments {
		body, err := base64.StdEncoding.DecodeString(a.Content)
		if err != nil {
			body = []byte(a.Content) // nothing is lost, whatever it is
		}
		m.Files = append(m.Files, parsedmail.Part{Type: a.ContentType, Name: a.Name, ID: strings.TrimPrefix(a.ContentID, "cid:"), Body: body})
	}
	return m
}
