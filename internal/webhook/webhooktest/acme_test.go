package webhooktest_test

// The source that docs/add-a-source.md builds. A test holds the page to it.

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"onefold/internal/webhook"
)

// Acme is the forms of Acme. They sign the hash of the body and not the body,
// which no configuration of the scheme "hmac" says.
type Acme struct{}

func (Acme) About() webhook.About {
	return webhook.About{
		Scheme: "acme", Name: "Acme Forms", Contents: []string{webhook.ContentForm},
		ID:   "derived of `form`, `number` and `saved_at`",
		Auth: "HMAC-SHA256 hex over time and hash of the body",
		Past: 10 * time.Minute, Future: time.Minute,
		Answers: webhook.Answers{
			Recorded: 200, Duplicate: 200,
			Conflict:  200, // they disable an endpoint after 20 answers of 4xx
			Malformed: 400, Kind: 415, TooLarge: 413, Unauthenticated: 401,
			UnknownEndpoint: webhook.UnknownEndpoint, Fault: 503,
		},
		Final: []int{403, 410}, MaxBody: 1 << 20,
		Facts:      []string{"https://docs.acme.example/webhooks"},
		Unverified: []string{"whether `saved_at` is the same on each try: if not, a repeat is a second event"},
	}
}

func (a Acme) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	if err := a.verify(r, set); err != nil {
		return webhook.Opened{}, err
	}
	return a.split(r.Body)
}

// verify: the shape of the headers, then the signature, then the age.
func (Acme) verify(r webhook.Request, set webhook.Setting) error {
	stamp, offered := r.Headers.Get("x-acme-time"), r.Headers.Get("x-acme-signature")
	if stamp == "" || offered == "" {
		return webhook.ErrMissingHeader
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || seconds < 0 || seconds > 1<<40 {
		return webhook.ErrBadTimestamp
	}
	got, err := hex.DecodeString(offered)
	if err != nil {
		return webhook.ErrBadSignature
	}
	sum := sha256.Sum256(r.Body)
	known, fits := false, false
	for _, secret := range set.Secrets { // all of them: current and previous are both good
		if secret.IsZero() {
			continue
		}
		known = true
		m := hmac.New(sha256.New, []byte(secret.Text()))
		m.Write([]byte(stamp + "\n" + hex.EncodeToString(sum[:])))
		fits = hmac.Equal(got, m.Sum(nil)) || fits
	}
	at := time.Unix(seconds, 0)
	switch {
	case !known:
		return webhook.ErrNoSecret
	case !fits:
		return webhook.ErrBadSignature
	case set.Now.Sub(at) > 10*time.Minute:
		return webhook.ErrTooOld
	case at.Sub(set.Now) > time.Minute:
		return webhook.ErrTooNew
	}
	return nil
}

// split gives each submission as one delivery.
func (Acme) split(body []byte) (webhook.Opened, error) {
	tree, err := webhook.ReadJSON(body)
	if err != nil {
		return webhook.Opened{}, err
	}
	list, ok := webhook.At(tree, "/submissions").([]any)
	if !ok {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "body_no_list", "the body has a list of submissions")
	}
	if len(list) > webhook.MaxDeliveries {
		return webhook.Opened{}, webhook.ErrTooLarge
	}
	var out webhook.Opened
	for _, s := range list {
		id, err := webhook.DerivedID(webhook.TextAt(s, "/form")+"/"+webhook.TextAt(s, "/number"), "submitted", webhook.TextAt(s, "/saved_at"))
		if _, isObject := s.(map[string]any); err != nil || !isObject {
			out.Broken++ // the others are taken all the same
			continue
		}
		raw, err := json.Marshal(s)
		if err != nil {
			return webhook.Opened{}, webhook.ErrMalformed
		}
		fingerprint, err := webhook.FingerprintWithout(s, []string{"/attempt"})
		if err != nil {
			return webhook.Opened{}, err
		}
		out.Deliveries = append(out.Deliveries, webhook.Delivery{
			ID: id, Content: webhook.ContentForm, Kind: "submitted", Raw: raw, Fingerprint: fingerprint,
		})
	}
	return out, nil
}
