package sendgrid

import (
	"encoding/json"
	"regexp"
	"strings"

	"onefold/internal/reading/rawmail"
	"onefold/internal/record/inbound"
	"onefold/internal/webhook"
	"onefold/internal/webhook/authres"
	"onefold/internal/webhook/formdata"
	"onefold/internal/webhook/parsedmail"
)

// read makes a delivery for each envelope recipient.
func read(form formdata.Form) (webhook.Opened, error) {
	var out webhook.Opened
	var envelope struct {
		From *string
		To   []string
	}
	if err := json.Unmarshal([]byte(form.Get("envelope")), &envelope); err != nil || envelope.From == nil || len(envelope.To) == 0 {
		return out, webhook.Refuse(webhook.ErrMalformed, "envelope_missing", "the field envelope names sender and recipients")
	}
	if len(envelope.To) > webhook.MaxDeliveries {
		return out, webhook.Refuse(webhook.ErrTooLarge, "too_many_recipients", "at most 200 recipients at once")
	}
	from, err := webhook.EnvelopeFrom(*envelope.From)
	if err != nil {
		return out, err
	}
	raw, whole := form.Look("email")
	content, id := "", ""
	if whole = whole && len(raw) > 0; whole {
		content = webhook.Fingerprint(raw)
	} else {
		mail := parts(form)
		raw, content, id = mail.Bytes(), mail.Content(), mail.MessageID()
	}
	found := verdicts(form, raw, from)
	made := map[string]bool{}
	for _, to := range envelope.To {
		d := webhook.Delivery{Content: webhook.ContentMail, Mailbox: webhook.Mailbox(to), EnvelopeFrom: from, Raw: raw, Fingerprint: content, Verdicts: found}
		switch {
		case d.Mailbox == "":
			out.Broken++
			continue
		case made[d.Mailbox]:
			continue
		case whole:
			d.ID = webhook.MailID(from, d.Mailbox, raw)
		default:
			if d.ID, err = webhook.DerivedID(d.Mailbox, "mail", content, id); err != nil {
				return webhook.Opened{}, err // unreachable: none is empty
			}
		}
		made[d.Mailbox] = true
		out.Deliveries = append(out.Deliveries, d)
	}
	return out, nil
}

// oneSignature is the field dkim of a mail with one signature.
var oneSignature = regexp.MustCompile(`^\{@([A-Za-z0-9.-]+) : ([a-z]+)\}$`)

// verdicts are what SendGrid found out (Inbound Parse, "Default parameters",
// read 2026-12): see About.Checks.
func verdicts(form formdata.Form, raw []byte, from string) inbound.Verdicts {
	checks := authres.Checks{SPF: authres.Check{Word: form.Only("SPF"), Domain: from}}
	if found := oneSignature.FindStringSubmatch(strings.TrimSpace(form.Only("dkim"))); found != nil {
		checks.DKIM = []authres.Check{{Word: found[2], Domain: found[1]}}
	}
	return checks.Verdicts(authres.Sender(rawmail.TopOf(raw)))
}

// parts puts a mail together of its fields. The texts are in the charsets that
// the field charsets names.
func parts(form formdata.Form) parsedmail.Mail {
	m := parsedmail.Mail{Fields: headers(form.Get("headers"))}
	for _, name := range []string{"from", "to", "cc", "subject"} {
		m.Add(strings.ToUpper(name[:1])+name[1:], form.Get(name))
	}
	charsets := map[string]string{}
	_ = json.Unmarshal([]byte(form.Get("charsets")), &charsets) // without it: UTF-8
	for _, name := range []string{"text", "html"} {
		value, ok := form.Look(name)
		if !ok || len(value) == 0 {
			continue
		}
		media := map[string]string{"text": "text/plain", "html": "text/html"}[name] + "; charset="
		if c := charsets[name]; c != "" && strings.Trim(strings.ToLower(c), "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" {
			media += c
		} else {
			media += "utf-8"
		}
		m.Texts = append(m.Texts, parsedmail.Part{Type: media, Body: value})
	}
	for _, f := range form.Files() {
		m.Files = append(m.Files, parsedmail.Part{Type: f.Type, Name: f.FileName, ID: f.ID, Body: f.Value})
	}
	return m
}

// headers reads the mail's header block: a line that begins with space goes on
// with the one before it (RFC 5322, section 2.2.3).
func headers(block string) []parsedmail.Field {
	var all []parsedmail.Field
	for block != "" && len(all) < formdata.MaxParts {
		end := 0
		for end < len(block) && (end == 0 || block[end-1] != '\n' || block[end] == ' ' || block[end] == '\t') {
			end++
		}
		// Folds become spaces where the mail is put together.
		if name, value, ok := strings.Cut(block[:end], ":"); ok {
			all = append(all, parsedmail.Field{Name: name, Value: strings.TrimSpace(value)})
		}
		block = block[end:]
	}
	return all
}
