package mailgun_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"mime/multipart"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/reading/rawmail"
	"onefold/internal/webhook"
	"onefold/internal/webhook/mailgun"
	"onefold/internal/webhook/webhooktest"
)

const key = "key-sample-of-nobody-0001"

func now() time.Time { return time.Unix(1_772_600_000, 0) }

// proof signs as Mailgun's page says: time and token, and nothing else.
func proof(key string, at time.Time, token string) map[string]string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(stamp + token))
	return map[string]string{"timestamp": stamp, "token": token, "signature": hex.EncodeToString(m.Sum(nil))}
}

func token(event string) string { return (event + strings.Repeat("0", 50))[:50] }

func fields(all ...map[string]string) webhook.Request {
	v := url.Values{}
	for _, m := range all {
		for name, value := range m {
			v.Set(name, value)
		}
	}
	return webhook.Request{Method: "POST", URL: "https://hooks.demo.example/v1/demo/sales-mime", Body: []byte(v.Encode()), Headers: webhook.Header{"content-type": "application/x-www-form-urlencoded"}}
}

func files(t testing.TB, boundary string, all ...map[string]string) webhook.Request {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.SetBoundary(boundary); err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		for name, value := range m {
			if err := w.WriteField(name, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	f, err := w.CreateFormFile("attachment-1", "plan.pdf")
	if err == nil {
		_, err = f.Write([]byte("%PDF\x00\xff"))
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return webhook.Request{Method: "POST", URL: "https://hooks.demo.example/v1/demo/sales", Body: b.Bytes(), Headers: webhook.Header{"content-type": w.FormDataContentType()}}
}

func whole(event string) map[string]string {
	return map[string]string{"recipient": "Sales@demo.example", "sender": "ann@example.org", "body-mime": "From: ann@example.org\r\nSubject: " + event + "\r\n\r\nHello.\r\n"}
}

func apart(event string) map[string]string {
	return map[string]string{
		"recipient": "sales@demo.example", "sender": "ann@example.org", "from": "Ann <ann@example.org>", "subject": event, "body-plain": "Grüße " + event, "body-html": "<p>Grüße</p>",
		"stripped-text": "Grüße", "attachment-count": "1", "message-headers": `[["From","Ann <ann@example.org>"],["Subject","` + event + `"],["Message-Id","<` + event + `@example.org>"],["Content-Type","multipart/mixed"]]`,
	}
}

func stored(event string) map[string]string {
	m := apart(event)
	m["message-url"] = "https://storage-europe-west1.api.mailgun.net/v3/domains/demo.example/messages/" + event + "Key="
	return m
}

func kits() map[string]webhooktest.Kit {
	k := webhooktest.Kit{
		Source: mailgun.New(), Content: webhook.ContentMail, Now: now(), BodyUncovered: true,
		Secrets: [3]string{key, "key-sample-of-nobody-0002", "key-of-a-stranger-0003"},
		InBody: func(r webhook.Request) []string {
			var all []string
			for _, text := range []string{key, "key-sample-of-nobody-0002"} {
				for _, v := range proof(text, now(), token("one")) {
					if bytes.Contains(r.Body, []byte(v)) {
						all = append(all, v)
					}
				}
			}
			return all
		},
	}
	of := func(make func(testing.TB, ...map[string]string) webhook.Request, content func(string) map[string]string) webhooktest.Kit {
		k.Request = func(t testing.TB, secret string, at time.Time, e ...string) webhook.Request {
			return make(t, content(e[0]), proof(secret, at, token(e[0])))
		}
		return k
	}
	plain := func(_ testing.TB, all ...map[string]string) webhook.Request { return fields(all...) }
	return map[string]webhooktest.Kit{
		"MIME": of(plain, whole), "in parts": of(plain, apart), "stored": of(plain, stored),
		"MIME in a multipart": of(func(t testing.TB, all ...map[string]string) webhook.Request { return files(t, "abc", all...) }, whole),
		"parts and a file":    of(func(t testing.TB, all ...map[string]string) webhook.Request { return files(t, "abc", all...) }, apart),
	}
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

func FuzzMIME(f *testing.F)  { webhooktest.Fuzz(f, kits()["MIME"]) }
func FuzzFiles(f *testing.F) { webhooktest.Fuzz(f, kits()["parts and a file"]) }

func secrets(t *testing.T, text string) []webhook.Secret {
	t.Helper()
	s, err := webhook.TextSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	return []webhook.Secret{s}
}

func TestTheVectorsAreAuthentic(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ Source, Origin, Key, Timestamp, Token, Signature string }
	if err := json.Unmarshal(raw, &all); err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	for _, v := range all {
		sent := map[string]string{"timestamp": v.Timestamp, "token": v.Token, "signature": v.Signature}
		set := webhook.Setting{Content: webhook.ContentMail, Secrets: secrets(t, v.Key), Now: time.Unix(1539112500, 0)}
		if got, err := mailgun.New().Open(fields(whole("x"), sent), set); err != nil || got.Deliveries[0].Once != v.Token {
			t.Errorf("%s: %+v, %v", v.Source, got, err)
		}
		sent["token"] = strings.Replace(v.Token, "7", "8", 1)
		if _, err := mailgun.New().Open(fields(whole("x"), sent), set); !errors.Is(err, webhook.ErrBadSignature) {
			t.Errorf("%s with another token: %v", v.Source, err)
		}
	}
}

func open(t *testing.T, r webhook.Request) (webhook.Delivery, error) {
	t.Helper()
	got, err := mailgun.New().Open(r, webhook.Setting{Content: webhook.ContentMail, Secrets: secrets(t, key), Now: now()})
	if err != nil {
		return webhook.Delivery{}, err
	}
	if len(got.Deliveries) != 1 {
		t.Fatalf("%+v", got)
	}
	return got.Deliveries[0], nil
}

func taken(t *testing.T, r webhook.Request) webhook.Delivery {
	t.Helper()
	d, err := open(t, r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The mail is not signed: with the proof of another it is told apart by the
// token, whatever ID it makes.
func TestAProofIsGoodForOneToken(t *testing.T) {
	t.Parallel()
	p := proof(key, now(), token("one"))
	a, b := taken(t, fields(whole("one"), p)), taken(t, fields(whole("forged"), p))
	if a.ID == b.ID || a.Once != b.Once || a.Once == "" || a.Fingerprint == b.Fingerprint {
		t.Errorf("%+v and %+v", a, b)
	}
	again := taken(t, fields(whole("one"), proof(key, now().Add(time.Minute), token("later"))))
	if again.ID != a.ID || again.Fingerprint != a.Fingerprint {
		t.Error("a try that is signed anew is another event")
	}
}

func TestADigitDoesNotGoOverFromTimeToToken(t *testing.T) {
	t.Parallel()
	p := proof(key, now(), "1"+token("one"))
	p["timestamp"], p["token"] = p["timestamp"]+"1", p["token"][1:]
	if _, err := open(t, fields(whole("one"), p)); !webhook.Unproven(err) {
		t.Errorf("%v, want a refusal", err)
	}
}

func TestWhoSentAndForWhomIsTheEnvelope(t *testing.T) {
	t.Parallel()
	d := taken(t, fields(whole("one"), proof(key, now(), token("one"))))
	if d.Mailbox != "sales@demo.example" || d.EnvelopeFrom != "ann@example.org" || d.ID != webhook.MailID("ann@example.org", "Sales@demo.example", d.Raw) {
		t.Errorf("%+v", d)
	}
	bounce := whole("one")
	bounce["sender"] = ""
	if d := taken(t, fields(bounce, proof(key, now(), token("one")))); d.EnvelopeFrom != webhook.NullSender {
		t.Errorf("an empty sender is %q", d.EnvelopeFrom)
	}
	for _, other := range []string{"info@demo.example", "x@demo.example"} {
		for _, content := range []map[string]string{whole("one"), apart("one"), stored("one")} {
			first := taken(t, fields(content, proof(key, now(), token("one"))))
			content["recipient"] = other
			if second := taken(t, fields(content, proof(key, now(), token("two")))); second.ID == first.ID || second.Mailbox != other {
				t.Errorf("one mail to two mailboxes is one event: %s", second.ID)
			}
		}
	}
	nobody := whole("one")
	delete(nobody, "recipient")
	if _, err := open(t, fields(nobody, proof(key, now(), token("one")))); !errors.Is(err, webhook.ErrMalformed) {
		t.Errorf("without a recipient: %v", err)
	}
}

func TestAMailInPartsReadsAsItWas(t *testing.T) {
	t.Parallel()
	one := taken(t, files(t, "abc", apart("Hut"), proof(key, now(), token("one"))))
	two := taken(t, files(t, "another", apart("Hut"), proof(key, now(), token("two"))))
	if one.ID != two.ID || one.Fingerprint != two.Fingerprint || !bytes.Equal(one.Raw, two.Raw) {
		t.Error("the boundary of the request, or the order of its fields, makes another mail")
	}
	m := rawmail.Parse(one.Raw, func(string) bool { return false })
	if len(m.From) != 1 || m.From[0].Address != "ann@example.org" || m.Subject != "Hut" || m.MessageID != "Hut@example.org" || !strings.HasPrefix(m.Visible, "Grüße") {
		t.Errorf("%+v", m)
	}
	if len(m.Attachments) != 1 || m.Attachments[0].Name != "plan.pdf" || m.Attachments[0].Size != 6 {
		t.Errorf("%+v", m.Attachments)
	}
}

func TestStoredMailIsFetchedFromMailgunAlone(t *testing.T) {
	t.Parallel()
	d := taken(t, fields(stored("one"), proof(key, now(), token("one"))))
	if d.Fetch != stored("one")["message-url"] || len(d.Raw) == 0 {
		t.Errorf("%+v", d)
	}
	elsewhere := stored("one")
	elsewhere["message-url"] = "https://se.api.mailgun.net/v3/domains/demo.example/messages/oneKey="
	if again := taken(t, fields(elsewhere, proof(key, now(), token("two")))); again.ID != d.ID || again.Fingerprint != d.Fingerprint {
		t.Error("the same mail at another host is another event")
	}
	for _, place := range []string{
		"http://se.api.mailgun.net/v3/domains/d/messages/k", "https://mailgun.net.evil.example/v3/domains/d/messages/k", "https://evilmailgun.net/v3/domains/d/messages/k",
		"https://x@se.api.mailgun.net/v3/domains/d/messages/k", "https://se.api.mailgun.net:8443/v3/domains/d/messages/k", "https://se.api.mailgun.net/v3/domains/d/messages/k?x=1",
		"https://se.api.mailgun.net/v3/routes", "https://se.api.mailgun.net/v3/domains/d/messages/", "https://se.api.mailgun.net/v3/domains/d/messages/k/attachments/0",
		"https://evil.example/.mailgun.net/v3/domains/d/messages/k", "//se.api.mailgun.net/v3/domains/d/messages/k", "k",
	} {
		m := stored("one")
		m["message-url"] = place
		if d, err := open(t, fields(m, proof(key, now(), token("one")))); !errors.Is(err, webhook.ErrMalformed) {
			t.Errorf("%s: %+v, %v", place, d.Fetch, err)
		}
	}
}

func TestNoAnswerEndsMailgunsTries(t *testing.T) {
	t.Parallel()
	a := mailgun.New().About().Answers
	for _, code := range []int{a.Recorded, a.Duplicate, a.Conflict, a.Unauthenticated, a.Kind, a.Malformed, a.TooLarge, a.UnknownEndpoint, a.Fault} {
		if code == 406 {
			t.Errorf("%d ends them for good", code)
		}
	}
}
