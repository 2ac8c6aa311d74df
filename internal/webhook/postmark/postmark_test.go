package postmark_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/rawmail"
	"onefold/internal/webhook"
	"onefold/internal/webhook/postmark"
	"onefold/internal/webhook/webhooktest"
)

// The names and the form are those of Postmark's page "Inbound webhook"; the
// content is invented.
const parts = `{"FromName":"Ann Example","MessageStream":"inbound","From":"ann@example.org","FromFull":{"Email":"ann@example.org","Name":"Ann Example","MailboxHash":""},
"To":"\"Sales\" <Sales+walk@demo.example>","ToFull":[{"Email":"Sales+walk@demo.example","Name":"Sales","MailboxHash":"walk"}],"Cc":"","CcFull":[],"Bcc":"","BccFull":[],
"OriginalRecipient":"Sales+walk@demo.example","Subject":"Größe der Hütte","MessageID":"73e6d360-66eb-11e1-8e72-a8904824019b","ReplyTo":"ann@home.example.org","MailboxHash":"walk",
"Date":"Fri, 1 Aug 2025 16:45:32 -04:00","TextBody":"Grüße","HtmlBody":"<p>Grüße</p>","StrippedTextReply":"","Tag":"",
"Headers":[{"Name":"X-Spam-Status","Value":"No"},{"Name":"MIME-Version","Value":"1.0"},{"Name":"Message-ID","Value":"<CAGX+R=1@mail.example.org>"},{"Name":"Auto-Submitted","Value":"no"}],
"Attachments":[{"Name":"plan.txt","Content":"aGVsbG8=","ContentType":"text/plain","ContentLength":5,"ContentID":""}]}`

const pair = "onefold:sample password 1"

func post(secret, body string) webhook.Request {
	return webhook.Request{Method: "POST", URL: "https://hooks.demo.example/v1/demo/postmark", Body: []byte(body), Headers: webhook.Header{
		"content-type": "application/json; charset=utf-8", "authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(secret)),
	}}
}

func raw(event string) string {
	return "From: ann@example.org\r\nSubject: " + event + "\r\n\r\nHello.\r\n"
}

func withRaw(t testing.TB, event string) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"MessageID": "id-" + event, "OriginalRecipient": "sales@demo.example", "RawEmail": raw(event)})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func kits() map[string]webhooktest.Kit {
	k := webhooktest.Kit{
		Source: postmark.New(), Content: webhook.ContentMail, Now: time.Unix(1_772_600_000, 0), BodyUncovered: true, Needs: []string{"authorization"},
		Secrets: [3]string{pair, "onefold:sample password 2", "onefold:of a stranger"},
	}
	whole, taken := k, k
	whole.Request = func(t testing.TB, secret string, _ time.Time, e ...string) webhook.Request {
		return post(secret, withRaw(t, e[0]))
	}
	taken.Request = func(_ testing.TB, secret string, _ time.Time, e ...string) webhook.Request {
		return post(secret, strings.Replace(parts, "73e6d360", e[0], 1))
	}
	return map[string]webhooktest.Kit{"raw": whole, "in parts": taken}
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

func FuzzRaw(f *testing.F)   { webhooktest.Fuzz(f, kits()["raw"]) }
func FuzzParts(f *testing.F) { webhooktest.Fuzz(f, kits()["in parts"]) }

func open(t *testing.T, body string) (webhook.Opened, error) {
	t.Helper()
	s, err := webhook.TextSecret(pair)
	if err != nil {
		t.Fatal(err)
	}
	return postmark.New().Open(post(pair, body), webhook.Setting{Content: webhook.ContentMail, Secrets: []webhook.Secret{s}, Now: time.Unix(1, 0)})
}

func one(t *testing.T, body string) webhook.Delivery {
	t.Helper()
	got, err := open(t, body)
	if err != nil || len(got.Deliveries) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	return got.Deliveries[0]
}

func TestTheRawMailIsKeptAsItIs(t *testing.T) {
	t.Parallel()
	d := one(t, withRaw(t, "Hut"))
	if d.ID != "id-Hut" || d.Mailbox != "sales@demo.example" || d.EnvelopeFrom != "" || string(d.Raw) != raw("Hut") {
		t.Errorf("%+v", d)
	}
}

func TestAMailInPartsReadsAsItWas(t *testing.T) {
	t.Parallel()
	d := one(t, parts)
	if d.ID != "73e6d360-66eb-11e1-8e72-a8904824019b" || d.Mailbox != "sales+walk@demo.example" {
		t.Errorf("%q %q", d.ID, d.Mailbox)
	}
	m := rawmail.Parse(d.Raw, func(string) bool { return false })
	if len(m.From) != 1 || m.From[0].Address != "ann@example.org" || m.From[0].Name != "Ann Example" || m.Subject != "Größe der Hütte" {
		t.Errorf("from %+v, subject %q", m.From, m.Subject)
	}
	if len(m.ReplyTo) != 1 || m.ReplyTo[0].Address != "ann@home.example.org" || !strings.Contains(m.MessageID, "CAGX+R=1@mail.example.org") {
		t.Errorf("reply to %+v, message ID %q", m.ReplyTo, m.MessageID)
	}
	if !strings.HasPrefix(m.Visible, "Grüße") || len(m.Attachments) != 1 || m.Attachments[0].Size != 5 {
		t.Errorf("text %q, attachments %+v", m.Visible, m.Attachments)
	}
	if bytes.Count(d.Raw, []byte("MIME-Version")) != 1 {
		t.Error("two headers of structure")
	}
}

func TestAMailWithoutItsIDOrMailboxIsRefused(t *testing.T) {
	t.Parallel()
	if d := one(t, strings.Replace(parts, `"OriginalRecipient":"Sales+walk@demo.example",`, "", 1)); d.Mailbox != "sales+walk@demo.example" {
		t.Errorf("mailbox %q", d.Mailbox)
	}
	for name, c := range map[string]struct {
		body string
		want error
	}{
		"no ID": {strings.Replace(parts, `"MessageID"`, `"X"`, 1), webhook.ErrBadID}, "an ID with a space": {strings.Replace(parts, "73e6d360", "73 e", 1), webhook.ErrBadID},
		"no mailbox": {`{"MessageID":"1","RawEmail":"x"}`, webhook.ErrMalformed}, "a list": {`[]`, webhook.ErrMalformed}, "a number for a text": {`{"MessageID":1}`, webhook.ErrMalformed},
		"no JSON": {"{", webhook.ErrMalformed}, "a long mailbox": {`{"MessageID":"1","OriginalRecipient":"` + strings.Repeat("a", 300) + `"}`, webhook.ErrMalformed},
	} {
		if got, err := open(t, c.body); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, %v, want %v", name, got, err, c.want)
		}
	}
}

// 403 would end Postmark's tries for good, and every 2xx but 200 is a failure
// to it.
func TestNoAnswerIsOneThatPostmarkTakesOtherwise(t *testing.T) {
	t.Parallel()
	a := postmark.New().About().Answers
	for _, code := range []int{a.Recorded, a.Duplicate, a.Conflict} {
		if code != 200 {
			t.Errorf("%d, and Postmark knows 200 alone", code)
		}
	}
	for _, code := range []int{a.Unauthenticated, a.Kind, a.Malformed, a.TooLarge, a.UnknownEndpoint, a.Fault} {
		if code == 403 || code < 400 {
			t.Errorf("%d", code)
		}
	}
}

// A mail without raw content is put together of its parts. Newer code may write
// it otherwise between two tries, so what makes them the same is the parts.
func TestTheFingerprintOfAMailInPartsIsOfTheParts(t *testing.T) {
	t.Parallel()
	open := func(more string) webhook.Delivery {
		body := `{"MessageID":"73e6d360-66eb-11e1-8e72-a8904824019b","OriginalRecipient":"sales@demo.example","From":"ann@example.org","Subject":"Hut",` +
			more + `"TextBody":"Hello"}`
		secret, err := webhook.TextSecret("onefold:sample password 1")
		if err != nil {
			t.Fatal(err)
		}
		got, err := postmark.New().Open(webhook.Request{Method: "POST", Body: []byte(body), Headers: webhook.Header{
			"authorization": "Basic " + base64.StdEncoding.EncodeToString([]byte(secret.Text())),
		}}, webhook.Setting{Content: webhook.ContentMail, Secrets: []webhook.Secret{secret}, Now: time.Unix(1_772_600_000, 0)})
		if err != nil || len(got.Deliveries) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		return got.Deliveries[0]
	}
	one, traced := open(""), open(`"Headers":[{"Name":"X-Trace","Value":"1"}],`)
	if one.Fingerprint != traced.Fingerprint || string(one.Raw) == string(traced.Raw) {
		t.Errorf("%q and %q", one.Fingerprint, traced.Fingerprint)
	}
	if other := open(`"ReplyTo":"eve@example.org",`); other.Fingerprint == one.Fingerprint {
		t.Error("another Reply-To is the same mail")
	}
}
