// Package sendgrid is the source for mail that Twilio SendGrid's Inbound Parse
// posts, raw or in parts.
//
// Its invariant: an event is the hash of envelope and message, for each
// envelope recipient one, since SendGrid gives no ID. The proof is either its
// ECDSA signature over the whole body or the user and password in the webhook's
// address; which of them, the form of the endpoint's secret says. It refuses to
// answer 4xx to what a change of ours may mend, since SendGrid's pages disagree
// on whether that is tried again.
package sendgrid

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"

	"onefold/internal/webhook"
	"onefold/internal/webhook/basicauth"
	"onefold/internal/webhook/formdata"
)

// The headers of the signature, as SendGrid's libraries have them for its event
// webhook.
const (
	headerSignature = "x-twilio-email-event-webhook-signature"
	headerTimestamp = "x-twilio-email-event-webhook-timestamp"
)

// Source is Inbound Parse.
type Source struct{}

// New makes the source.
func New() Source { return Source{} }

// About is the source's row.
func (Source) About() webhook.About {
	return webhook.About{
		Scheme: "sendgrid", Name: "SendGrid Inbound Parse", Contents: []string{webhook.ContentMail},
		ID:     "hash of envelope and message, for each envelope recipient; of parts a hash of recipient, `Message-ID` and content",
		Auth:   "ECDSA P-256 over timestamp and body (secret: SendGrid's public key), or user and password in the webhook's address (secret: `user:password`)",
		Replay: "all that makes the ID is signed, so a repeat is a duplicate however old; tries for 3 days",
		Answers: webhook.Answers{
			Recorded: 200, Duplicate: 200,
			Conflict: 200, // it is before a person, and no try betters it
			// One of SendGrid's pages says that 5xx alone is tried again.
			Unauthenticated: 503,
			Kind:            415, Malformed: 400, TooLarge: 413, UnknownEndpoint: webhook.UnknownEndpoint, Fault: 503,
		},
		MaxBody: webhook.MaxBody,
		Checks:  "the fields `SPF` and `dkim`, which are beside the mail and not in it. A mail that holds SendGrid's boundary could bring fields of its own: each counts only if it comes once, and `dkim` only with one signature, since its text is made of what signatures say of themselves. Nothing is said of DMARC",
		Limits:  "4 MiB of SendGrid's 20 to 30 MB: larger mail is refused, and SendGrid drops it without a word. Switch on \"POST the raw, full MIME message\"; without it the mail is put together again from its parts",
		Facts: []string{
			"https://www.twilio.com/docs/sendgrid/for-developers/parsing-email/setting-up-the-inbound-parse-webhook",
			"https://www.twilio.com/docs/sendgrid/for-developers/parsing-email/securing-your-parse-webhooks",
			"https://github.com/sendgrid/sendgrid-go",
		},
		Unverified: []string{
			"the form of `dkim`, such as `{@example.org : pass}`: another is not read",
			"that the signature of Inbound Parse stands in the headers of the event webhook: if not, every delivery is refused with 503 and tried again",
			"whether a try is signed anew: it need not be",
			"whether a mail for several of our addresses is posted once or once for each: both make one event for each",
			"whether 4xx is tried again: two of its pages disagree",
			"that the password is decoded from the address before it is sent: choose letters and digits",
		},
	}
}

// Open checks the proof and gives the mail, once for each recipient.
func (Source) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	bySignature, err := verify(r, set.Secrets)
	if err != nil {
		return webhook.Opened{}, err
	}
	switch {
	case bySignature && r.Headers.MediaType() != "multipart/form-data":
		return webhook.Opened{}, webhook.Refuse(webhook.ErrKind, "media_type", "send multipart/form-data")
	case bySignature && !formdata.OneWay(r):
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "form_malformed", "the body is multipart/form-data that begins with its boundary")
	}
	form, err := formdata.Read(r)
	if err != nil {
		return webhook.Opened{}, err
	}
	return read(form)
}

// verify wants one proof that fits one secret of its form. A password is not
// taken where the secrets are keys, nor the reverse.
func verify(r webhook.Request, secrets []webhook.Secret) (bySignature bool, err error) {
	var keys []*ecdsa.PublicKey
	pairs := 0
	for i, s := range secrets {
		key := publicKey(s.Text())
		switch {
		case key != nil:
			keys = append(keys, key)
		case basicauth.Is(s):
			pairs++
		case i == 0 && !s.IsZero():
			return false, webhook.Refuse(webhook.ErrNoSecret, "secret_missing", "the endpoint's secret is neither user:password nor SendGrid's public key; the delivery will be taken when it is")
		}
	}
	if len(keys) > 0 { // while one form is changed for the other there are both
		if err := verifySignature(r, keys); err == nil || pairs == 0 {
			return true, err
		}
	}
	if pairs == 0 {
		return false, webhook.ErrNoSecret
	}
	return false, basicauth.Check(r.Headers, secrets)
}

func verifySignature(r webhook.Request, keys []*ecdsa.PublicKey) error {
	offered, stamp := r.Headers.Get(headerSignature), r.Headers.Get(headerTimestamp)
	if offered == "" || stamp == "" {
		return webhook.Refuse(webhook.ErrMissingHeader, "header_missing", "SendGrid's signature and timestamp headers are needed")
	}
	signature, err := base64.StdEncoding.Strict().DecodeString(offered)
	if err != nil {
		return webhook.ErrBadSignature
	}
	// Unix seconds, of ten digits until the year 2286: the body is signed right
	// behind it, so a digit more or less would be one of the body's.
	if len(stamp) != 10 || strings.Trim(stamp, "0123456789") != "" {
		return webhook.ErrBadTimestamp
	}
	h := sha256.New()
	h.Write([]byte(stamp))
	h.Write(r.Body)
	sum := h.Sum(nil)
	for _, key := range keys { // public: time tells nothing
		if ecdsa.VerifyASN1(key, sum, signature) {
			return nil
		}
	}
	return webhook.ErrBadSignature
}

// publicKey reads the base64 of a PKIX key on P-256, as SendGrid shows it, or
// the same in PEM; nil for anything else.
func publicKey(text string) *ecdsa.PublicKey {
	der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if block, _ := pem.Decode([]byte(text)); block != nil {
		der, err = block.Bytes, nil
	}
	if err != nil {
		return nil
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	key, ok := parsed.(*ecdsa.PublicKey)
	if err != nil || !ok || key.Curve != elliptic.P256() {
		return nil
	}
	return key
}
