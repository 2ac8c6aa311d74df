package standard

import (
	"strings"

	"onefold/internal/webhook"
)

// Headers by which a sender of raw mail states the SMTP envelope. They are
// not signed themselves; webhook-id, which is, holds their hash.
const (
	HeaderEnvelopeFrom = "x-onefold-envelope-from"
	HeaderEnvelopeTo   = "x-onefold-envelope-to"
)

// readMail takes any bytes as mail: what cannot be parsed is for a person to
// see, since a mail cannot be asked for again. Only the envelope has a form.
func readMail(r webhook.Request, d *webhook.Delivery) error {
	from, stated := r.Headers[HeaderEnvelopeFrom]
	to := r.Headers[HeaderEnvelopeTo]
	malformed := func(word, hint string) error { return webhook.Refuse(webhook.ErrMalformed, word, hint) }
	switch {
	case len(r.Body) == 0:
		return malformed("mail_empty", "the body is the raw MIME message")
	case !stated:
		// Left out it could be a bounce's, and a bounce must never be answered.
		return malformed("envelope_missing", HeaderEnvelopeFrom+" names the envelope sender; of mail that has none it is empty or <>")
	case to == "" || len(to) > webhook.MaxIDSize || len(from) > webhook.MaxIDSize:
		return malformed("envelope_missing", HeaderEnvelopeTo+" names the envelope recipient, at most 256 bytes")
	case webhook.HasControl(from) || webhook.HasControl(to):
		// The hash below joins its parts with line feeds; none may hold one.
		return malformed("envelope_invalid", "the envelope addresses have no control characters")
	case d.ID != webhook.MailID(from, to, r.Body):
		return malformed("id_not_of_this_mail", "webhook-id of raw mail is mail_ and the hex SHA-256 of envelope sender, LF, envelope recipient, LF, message")
	}
	d.Mailbox, d.EnvelopeFrom = webhook.Mailbox(to), from
	if sender := strings.TrimSpace(from); sender == "" || sender == webhook.NullSender {
		d.EnvelopeFrom = webhook.NullSender
	}
	return nil
}
