package standard_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/standard"
	"onefold/internal/webhook/webhooktest"
)

// Secrets of bytes that are invented here.
func secrets() [3]string {
	var all [3]string
	for i, c := range "abc" {
		all[i] = "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(c), 32)))
	}
	return all
}

// sign is made from the specification ("Signature scheme": base64 of
// HMAC-SHA256 over id.timestamp.body), not by the code under test.
func sign(t testing.TB, prefix, secret, id string, at time.Time, body string) webhook.Request {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	m := hmac.New(sha256.New, key)
	m.Write([]byte(id + "." + stamp + "." + body))
	return webhook.Request{Method: "POST", URL: "https://hooks.demo.example/v1/demo/form", Body: []byte(body), Headers: webhook.Header{
		"content-type": "application/json",
		prefix + "id":  id, prefix + "timestamp": stamp, prefix + "signature": "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil)),
	}}
}

func kits() map[string]webhooktest.Kit {
	now := time.Unix(1_772_600_000, 0)
	form := func(prefix string) func(testing.TB, string, time.Time, ...string) webhook.Request {
		return func(t testing.TB, secret string, at time.Time, events ...string) webhook.Request {
			return sign(t, prefix, secret, "msg_"+events[0], at, `{"data":{"email":"ann@example.org","message":"`+events[0]+`"}}`)
		}
	}
	needs := func(prefix string) []string {
		return []string{prefix + "id", prefix + "timestamp", prefix + "signature"}
	}
	return map[string]webhooktest.Kit{
		"form": {Source: standard.Standard(), Content: webhook.ContentForm, Secrets: secrets(), Now: now, Request: form("webhook-"), Needs: needs("webhook-")},
		"mail": {
			Source: standard.Standard(), Content: webhook.ContentMail, Secrets: secrets(), Now: now, Needs: needs("webhook-"),
			Request: func(t testing.TB, secret string, at time.Time, events ...string) webhook.Request {
				const from, to = "ann@example.org", "Sales@demo.example"
				raw := "From: ann@example.org\r\nSubject: " + events[0] + "\r\n\r\nHello.\r\n"
				r := sign(t, "webhook-", secret, webhook.MailID(from, to, []byte(raw)), at, raw)
				r.Headers[standard.HeaderEnvelopeFrom], r.Headers[standard.HeaderEnvelopeTo] = from, to
				return r
			},
		},
		"svix":            {Source: standard.Svix(), Content: webhook.ContentForm, Secrets: secrets(), Now: now, Request: form("svix-"), Needs: needs("svix-")},
		"svix, new names": {Source: standard.Svix(), Content: webhook.ContentForm, Secrets: secrets(), Now: now, Request: form("webhook-"), Needs: needs("webhook-")},
		"resend": {
			Source: standard.Resend(), Content: webhook.ContentMail, Secrets: secrets(), Now: now, Needs: needs("svix-"),
			Request: func(t testing.TB, secret string, at time.Time, events ...string) webhook.Request {
				return sign(t, "svix-", secret, "msg_"+events[0], at, received(events[0]))
			},
		},
	}
}

// received is what Resend sends of a mail (resend-openapi, email.received).
func received(id string) string {
	return `{"type":"email.received","created_at":"2026-03-04T05:06:07.000Z","data":{"email_id":"` + id +
		`","created_at":"2026-03-04T05:06:06.000Z","from":"Ann <ann@example.org>","to":["sales@demo.example"],"subject":"Hello","attachments":[]}}`
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, k := range kits() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			webhooktest.Run(t, k)
		})
	}
}

func FuzzStandard(f *testing.F) { webhooktest.Fuzz(f, kits()["form"]) }
func FuzzMail(f *testing.F)     { webhooktest.Fuzz(f, kits()["mail"]) }
func FuzzSvix(f *testing.F)     { webhooktest.Fuzz(f, kits()["svix"]) }
func FuzzResend(f *testing.F)   { webhooktest.Fuzz(f, kits()["resend"]) }

func open(t *testing.T, name string, r webhook.Request) (webhook.Opened, error) {
	t.Helper()
	k := kits()[name]
	s, err := webhook.TextSecret(k.Secrets[0])
	if err != nil {
		t.Fatal(err)
	}
	return k.Source.Open(r, webhook.Setting{Content: k.Content, Secrets: []webhook.Secret{s}, Now: k.Now})
}

func TestOneMailOfResendIsOneEventUnderAnyWebhookID(t *testing.T) {
	t.Parallel()
	k := kits()["resend"]
	var ids []string
	for _, webhookID := range []string{"msg_1", "msg_2"} { // two webhooks of one account
		got, err := open(t, "resend", sign(t, "svix-", k.Secrets[0], webhookID, k.Now, received("4ef9a417-02e9-4d39-ad75-9611e0fcc33c")))
		if err != nil || len(got.Deliveries) != 1 {
			t.Fatal(err)
		}
		d := got.Deliveries[0]
		if d.Fetch != "4ef9a417-02e9-4d39-ad75-9611e0fcc33c" || d.Content != webhook.ContentMail || d.Kind != "email.received" {
			t.Errorf("%+v", d)
		}
		ids = append(ids, d.ID)
	}
	if ids[0] != ids[1] {
		t.Errorf("two events, %v", ids)
	}
}

func TestWhatBecameOfOurOwnMailIsNoEventOfResend(t *testing.T) {
	t.Parallel()
	k := kits()["resend"]
	got, err := open(t, "resend", sign(t, "svix-", k.Secrets[0], "msg_1", k.Now, `{"type":"email.delivered","data":{"email_id":"x"}}`))
	if err != nil || len(got.Deliveries) != 0 || got.Broken != 0 {
		t.Errorf("%+v, %v; want nothing", got, err)
	}
	for _, body := range []string{`{}`, `[]`, `{"type":"email.received"}`, `{"type":"email.received","data":{"email_id":"a b"}}`, `{"type":"email.received","data":{"email_id":{}}}`} {
		if _, err := open(t, "resend", sign(t, "svix-", k.Secrets[0], "msg_1", k.Now, body)); !errors.Is(err, webhook.ErrBadID) {
			t.Errorf("%s: %v, want ErrBadID", body, err)
		}
	}
}

func TestASecretOfAnotherSchemeIsOurFault(t *testing.T) {
	t.Parallel()
	k := kits()["form"]
	other, err := webhook.TextSecret("a literal secret of some length")
	if err != nil {
		t.Fatal(err)
	}
	previous, err := webhook.TextSecret(k.Secrets[0])
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Source.Open(k.Request(t, k.Secrets[0], k.Now, "one"), webhook.Setting{
		Content: k.Content, Secrets: []webhook.Secret{other, previous}, Now: k.Now,
	})
	if !errors.Is(err, webhook.ErrNoSecret) {
		t.Errorf("%v, want ErrNoSecret: who signs with the current one would be refused", err)
	}
}
