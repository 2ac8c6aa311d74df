package mailgun

import (
	"encoding/json"
	"net/url"
	"strings"

	"onefold/internal/digest"
	"onefold/internal/reading/rawmail"
	"onefold/internal/record/inbound"
	"onefold/internal/webhook"
	"onefold/internal/webhook/authres"
	"onefold/internal/webhook/formdata"
	"onefold/internal/webhook/parsedmail"
)

// read makes the delivery of an authentic form.
func read(form formdata.Form) (webhook.Delivery, error) {
	d := webhook.Delivery{Content: webhook.ContentMail}
	recipient := form.Get("recipient")
	if d.Mailbox = webhook.Mailbox(recipient); d.Mailbox == "" {
		return d, webhook.Refuse(webhook.ErrMalformed, "recipient_missing", "recipient names the mailbox, in at most 256 bytes")
	}
	if sender, stated := form.Look("sender"); stated {
		var err error
		if d.EnvelopeFrom, err = webhook.EnvelopeFrom(string(sender)); err != nil {
			return d, err
		}
	}
	if raw, ok := form.Look("body-mime"); ok && len(raw) > 0 {
		d.ID, d.Raw, d.Fingerprint = webhook.MailID(form.Get("sender"), recipient, raw), raw, webhook.Fingerprint(raw)
		d.Verdicts = verdicts(raw, form.Get("sender"))
		return d, nil
	}
	mail := parts(form)
	d.Raw = mail.Bytes()
	d.Verdicts = verdicts(d.Raw, form.Get("sender"))
	if place := form.Get("message-url"); place != "" {
		return stored(d, place)
	}
	content := mail.Content()
	d.Fingerprint = content
	var err error
	// Whatever the mail says, it is the recipient's by itself: the ID is never of
	// the content alone.
	d.ID, err = webhook.DerivedID(recipient, "mail", content, mail.MessageID())
	return d, err
}

// verdicts are what Mailgun found out (User Manual, "Spam Filter", read 2026-12):
// see About.Checks.
func verdicts(raw []byte, sender string) inbound.Verdicts {
	top := rawmail.TopOf(raw)
	own := func(name string) string { return authres.Above(top, name, "mailgun.org", "mailgun.net") }
	checks := authres.Checks{SPF: authres.Check{Word: own("x-mailgun-spf"), Domain: sender}}
	if word := own("x-mailgun-dkim-check-result"); word != "" {
		signer := authres.Tag(authres.Only(top, "dkim-signature"), "d")
		checks.DKIM = []authres.Check{{Word: word, Domain: signer}}
	}
	return checks.Verdicts(authres.Sender(top))
}

// stored is a mail that Mailgun keeps: what came is its parts without the files,
// and stays the content if it cannot be fetched.
func stored(d webhook.Delivery, place string) (webhook.Delivery, error) {
	key, ok := StoredKey(place)
	if !ok {
		return d, webhook.Refuse(webhook.ErrMalformed, "message_url_invalid", "message-url is an address of Mailgun's API")
	}
	d.Fetch = place
	d.Fingerprint = digest.Parts("stored", key, d.Mailbox)
	var err error
	d.ID, err = webhook.DerivedID(key, "stored", d.Mailbox)
	return d, err
}

// StoredKey is the key of a stored mail in its address, which is the same from
// whatever host it is read; false for an address that is not of Mailgun's API,
// https://…/v3/domains/{domain}/messages/{key}. The account's key may be sent
// to no other.
func StoredKey(place string) (key string, ok bool) {
	u, err := url.Parse(place)
	if err != nil || u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" || u.Port() != "" || len(place) > 2048 {
		return "", false
	}
	host := strings.ToLower(u.Host)
	if !strings.HasSuffix(host, ".mailgun.net") && !strings.HasSuffix(host, ".mailgun.org") {
		return "", false
	}
	steps := strings.Split(u.EscapedPath(), "/")
	if len(steps) != 6 || steps[1] != "v3" || steps[2] != "domains" || steps[3] == "" || steps[4] != "messages" || steps[5] == "" || steps[5] == ".." {
		return "", false
	}
	return steps[5], true
}

// parts puts a mail together of its fields.
func parts(form formdata.Form) parsedmail.Mail {
	var m parsedmail.Mail
	var headers [][]string
	if json.Unmarshal([]byte(form.Get("message-headers")), &headers) == nil {
		for _, h := range headers {
			if len(h) == 2 {
				m.Fields = append(m.Fields, parsedmail.Field{Name: h[0], Value: h[1]})
			}
		}
	}
	// The headers stand as fields too, where the list cannot be read.
	for _, name := range []string{"From", "To", "Cc", "Reply-To", "Subject", "Date", "Message-Id", "In-Reply-To", "References", "Auto-Submitted", "Precedence", "List-Id", "Return-Path"} {
		m.Add(name, form.Get(name))
	}
	m.Add("From", form.Get("from"))
	m.Add("Subject", form.Get("subject"))
	for _, text := range []struct{ field, media string }{{"body-plain", "text/plain"}, {"body-html", "text/html"}} {
		if value := form.Get(text.field); value != "" {
			m.Texts = append(m.Texts, parsedmail.Part{Type: text.media + "; charset=utf-8", Body: []byte(value)})
		}
	}
	for _, f := range form.Files() {
		m.Files = append(m.Files, parsedmail.Part{Type: f.Type, Name: f.FileName, Body: f.Value})
	}
	return m
}
