// Package mailgun is the source for mail that Mailgun's routes post: forwarded
// as MIME or in parts, or stored at Mailgun and announced.
//
// Its invariant: one token is one event. Mailgun signs a time and a token and
// neither the mail nor its recipient, so whoever has seen one request could
// send another with its proof; the token, which is used once, stands against
// that, and the mail's own hash makes the ID. It refuses to answer 406 whatever
// happens, since that ends Mailgun's tries for good, and to name for fetching
// what is not at Mailgun, since that address is not signed either.
package mailgun

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/formdata"
)

// Mailgun tries for 8 hours, and whether a try is signed anew is not
// documented, so what was signed before all its tries is taken.
const (
	past   = 9 * time.Hour
	future = 5 * time.Minute
)

// Source is Mailgun.
type Source struct{}

// New makes the source.
func New() Source { return Source{} }

// About is the source's row.
func (Source) About() webhook.About {
	return webhook.About{
		Scheme: "mailgun", Name: "Mailgun routes", Contents: []string{webhook.ContentMail},
		ID:   "of MIME the hash of envelope and message; of parts a hash of `recipient`, `Message-Id` and content; of stored mail its key in `message-url`",
		Auth: "HMAC-SHA256 hex over `timestamp` and `token` with the webhook signing key; the mail itself is not signed",
		Past: past, Future: future,
		Replay: "a token is good for one event: with other content it is a conflict. Mailgun tries for 8 hours",
		Answers: webhook.Answers{
			Recorded: 200, Duplicate: 200,
			// It is before a person, and eight hours of tries would not better it.
			Conflict: 200,
			// Tried again, which bridges a change of the key. Never 406.
			Unauthenticated: 401,
			Kind:            415, Malformed: 400, TooLarge: 413, UnknownEndpoint: webhook.UnknownEndpoint, Fault: 503,
		},
		Final: []int{406}, MaxBody: webhook.MaxBody,
		Checks: "`X-Mailgun-Spf` and `X-Mailgun-Dkim-Check-Result`, where the domain's spam filter marks mail. Whether Mailgun takes such fields out that come with a mail is not documented: each counts only once in the mail and above the `Received` of mailgun.org or mailgun.net. DKIM's domain is that of the only signature. Nothing is said of DMARC",
		Limits: "4 MiB of Mailgun's 25 MB: larger mail by `store(notify=…)`, which keeps it at Mailgun for 3 days, from where it is fetched with the API key that is the secret `…-api` beside the endpoint's. Mailgun posts MIME to an address that ends in `mime`: name the endpoint so (`sales-mime`); else the mail is put together again from its parts",
		Facts: []string{
			"https://documentation.mailgun.com/docs/mailgun/user-manual/receive-forward-store/receive-http",
			"https://documentation.mailgun.com/docs/mailgun/user-manual/receive-forward-store/storing-and-recieveing-messages",
			"https://documentation.mailgun.com/docs/mailgun/user-manual/receive-forward-store/spam-filter",
		},
		Unverified: []string{
			"whether a try has a new timestamp, token and signature: both are taken, for 9 hours",
			"that a token is of one post alone: if one mail to two of our mailboxes came with one token, the second would be taken for a repeat",
			"that Mailgun takes 25 MB at most",
			"that Mailgun writes what it found out above its own `Received`: if not, it is not read",
			"under which hosts stored mail lies: https and below mailgun.net or mailgun.org is taken, anything else is not fetched",
		},
	}
}

// Open checks the proof among the fields and gives the mail.
func (Source) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	form, err := formdata.Read(r)
	if err != nil {
		return webhook.Opened{}, err
	}
	token, err := verify(form, set)
	if err != nil {
		return webhook.Opened{}, err
	}
	d, err := read(form)
	if err != nil {
		return webhook.Opened{}, err
	}
	d.Once = token
	return webhook.Opened{Deliveries: []webhook.Delivery{d}}, nil
}

// verify gives the token of a request that Mailgun signed.
func verify(form formdata.Form, set webhook.Setting) (string, error) {
	stamp, token, offered := form.Get("timestamp"), form.Get("token"), form.Get("signature")
	if stamp == "" || token == "" || offered == "" {
		return "", webhook.Refuse(webhook.ErrMissingHeader, "signature_missing", "the fields timestamp, token and signature are needed")
	}
	at, ok := readTime(stamp)
	if !ok {
		return "", webhook.ErrBadTimestamp
	}
	// The two are signed without anything between: of a fixed form, so that a
	// digit cannot go over from one to the other. Mailgun's tokens have 50
	// characters.
	if len(token) < 20 || len(token) > 100 || !webhook.ValidID(token) || len(stamp) != 10 {
		return "", webhook.ErrBadSignature
	}
	known, fits := false, false
	for _, s := range set.Secrets {
		if s.IsZero() {
			continue
		}
		known = true
		m := hmac.New(sha256.New, []byte(s.Text()))
		m.Write([]byte(stamp + token))
		fits = hmac.Equal([]byte(offered), []byte(hex.EncodeToString(m.Sum(nil)))) || fits
	}
	switch {
	case !known:
		return "", webhook.ErrNoSecret
	case !fits:
		return "", webhook.ErrBadSignature
	case set.Now.Sub(at) > past:
		return "", webhook.ErrTooOld
	case at.Sub(set.Now) > future:
		return "", webhook.ErrTooNew
	}
	return token, nil
}

// readTime reads Unix seconds.
func readTime(text string) (time.Time, bool) {
	if len(text) > 12 {
		return time.Time{}, false
	}
	var n int64
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return time.Time{}, false
		}
		n = n*10 + int64(text[i]-'0')
	}
	return time.Unix(n, 0), true
}
