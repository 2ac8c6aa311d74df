package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"onefold/internal/digest"
)

// Fingerprint is the hex SHA-256 of a body as received. What only changes in
// the headers (timestamp, signature) is left out by nature. Of JSON the value
// counts besides (Delivery.JSON): many senders write their object again for
// each try.
func Fingerprint(body []byte) string {
	return digest.Content(body)
}

// MailID is the delivery ID of one raw mail: "mail_" and the hex SHA-256 of
// envelopeFrom, LF, envelopeTo, LF and the message's bytes. A sender of raw mail
// (an email worker, a pipe from a mail server) has to use it as webhook-id, and
// the receiver compares it with the ID that was signed.
//
// Why: a raw message does not hold its envelope, so that travels in headers,
// which the scheme does not sign. As a part of the signed ID it is: whoever
// changes the recipient in transit breaks the comparison. It also makes the ID
// what an ID has to be, the same whenever the mail transfer is tried again, and
// another for each recipient, so that a mail to two mailboxes is two events.
// The Message-ID cannot serve: strangers choose it, and it may be absent.
//
// Neither address may hold a line feed, or the parts could be divided in
// another way. RFC 5321, section 4.1.2, has none in a path; the receiver
// refuses control characters in the envelope before it asks.
func MailID(envelopeFrom, envelopeTo string, raw []byte) string {
	h := sha256.New()
	_, _ = io.WriteString(h, envelopeFrom+"\n"+envelopeTo+"\n") // a hash never fails
	h.Write(raw)
	return "mail_" + hex.EncodeToString(h.Sum(nil))
}
