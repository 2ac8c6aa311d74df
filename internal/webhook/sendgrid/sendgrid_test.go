package sendgrid_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/sendgrid"
	"onefold/internal/webhook/webhooktest"
)

const (
	signatureHeader = "x-twilio-email-event-webhook-signature"
	timestampHeader = "x-twilio-email-event-webhook-timestamp"
)

func now() time.Time { return time.Unix(1_772_600_000, 0) }

// form writes fields as SendGrid does, in their order.
func form(boundary string, fields ...string) webhook.Request {
	var b bytes.Buffer
	for i := 0; i+1 < len(fields); i += 2 {
		b.WriteString("--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + fields[i] + "\"\r\n\r\n" + fields[i+1] + "\r\n")
	}
	b.WriteString("--" + boundary + "--\r\n")
	return webhook.Request{Method: "POST", URL: "https://hooks.demo.example/v1/demo/sendgrid", Body: b.Bytes(), Headers: webhook.Header{"content-type": "multipart/form-data; boundary=" + boundary}}
}

func mail(event string) string {
	return "From: ann@example.org\r\nSubject: " + event + "\r\n\r\nHello.\r\n"
}

func whole(event string) webhook.Request {
	return form("xYzZY", "email", mail(event), "to", "sales@demo.example", "envelope", `{"to":["Sales@demo.example"],"from":"ann@example.org"}`)
}

func apart(event string) webhook.Request {
	return form("xYzZY", "headers", "Received: by x;\n  Thu, 1 Jan 2026\nFrom: Ann <ann@example.org>\nSubject: "+event+"\nMessage-ID: <"+event+"@example.org>\n", "text", "Gr\xfc\xdfe", "html", "<p>Grüße</p>",
		"charsets", `{"to":"UTF-8","text":"iso-8859-1","html":"UTF-8"}`, "envelope", `{"to":["sales@demo.example"],"from":"ann@example.org"}`, "attachments", "0")
}

func basic(r webhook.Request, pair string) webhook.Request {
	r.Headers["authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
	return r
}

// signed signs by the description of SendGrid's libraries: ECDSA over the
// SHA-256 of time and body, in DER and base64.
func signed(t testing.TB, key *ecdsa.PrivateKey, r webhook.Request, at time.Time) webhook.Request {
	t.Helper()
	stamp := strconv.FormatInt(at.Unix(), 10)
	sum := sha256.Sum256(append([]byte(stamp), r.Body...))
	signature, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	r.Headers[signatureHeader], r.Headers[timestampHeader] = base64.StdEncoding.EncodeToString(signature), stamp
	return r
}

func newKey(t testing.TB, curve elliptic.Curve) (*ecdsa.PrivateKey, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return key, base64.StdEncoding.EncodeToString(der)
}

func kits(t testing.TB) map[string]webhooktest.Kit {
	t.Helper()
	keys := map[string]*ecdsa.PrivateKey{}
	k := webhooktest.Kit{Source: sendgrid.New(), Content: webhook.ContentMail, Now: now(), Needs: []string{signatureHeader, timestampHeader}}
	for i := range k.Secrets {
		key, public := newKey(t, elliptic.P256())
		k.Secrets[i], keys[public] = public, key
	}
	by := k
	by.Request = func(t testing.TB, secret string, at time.Time, e ...string) webhook.Request {
		return signed(t, keys[secret], whole(e[0]), at)
	}
	inParts := k
	inParts.Request = func(t testing.TB, secret string, at time.Time, e ...string) webhook.Request {
		return signed(t, keys[secret], apart(e[0]), at)
	}
	word := webhooktest.Kit{
		Source: sendgrid.New(), Content: webhook.ContentMail, Now: now(), Needs: []string{"authorization"}, BodyUncovered: true,
		Secrets: [3]string{"onefold:sample password 1", "onefold:sample password 2", "onefold:of a stranger"},
		Request: func(_ testing.TB, secret string, _ time.Time, e ...string) webhook.Request {
			return basic(whole(e[0]), secret)
		},
	}
	return map[string]webhooktest.Kit{"signed": by, "signed, in parts": inParts, "with a password": word}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, k := range kits(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			webhooktest.Run(t, k)
		})
	}
}

func FuzzSigned(f *testing.F)   { webhooktest.Fuzz(f, kits(f)["signed"]) }
func FuzzPassword(f *testing.F) { webhooktest.Fuzz(f, kits(f)["with a password"]) }

func secrets(t *testing.T, texts ...string) []webhook.Secret {
	t.Helper()
	var all []webhook.Secret
	for _, text := range texts {
		s, err := webhook.TextSecret(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func TestTheVectorsAreAuthentic(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Source, Origin, Timestamp, Signature, Body string
		PublicKey                                  string `json:"public_key"`
	}
	if err := json.Unmarshal(raw, &all); err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	for _, v := range all {
		r := webhook.Request{Method: "POST", Body: []byte(v.Body), Headers: webhook.Header{"content-type": "application/json", signatureHeader: v.Signature, timestampHeader: v.Timestamp}}
		set := webhook.Setting{Content: webhook.ContentMail, Secrets: secrets(t, v.PublicKey), Now: now()}
		// Authentic, and no mail.
		if _, err := sendgrid.New().Open(r, set); !errors.Is(err, webhook.ErrKind) {
			t.Errorf("%s: %v, want ErrKind", v.Source, err)
		}
		r.Body = bytes.TrimRight(r.Body, "\r\n")
		if _, err := sendgrid.New().Open(r, set); !errors.Is(err, webhook.ErrBadSignature) {
			t.Errorf("%s without its last line end: %v, want ErrBadSignature", v.Source, err)
		}
	}
}

// Which proof is wanted, the secret says; while one is changed for the other,
// both are good.
func TestTheSecretSaysWhichProofIsWanted(t *testing.T) {
	t.Parallel()
	key, public := newKey(t, elliptic.P256())
	other, _ := newKey(t, elliptic.P256())
	_, wide := newKey(t, elliptic.P384())
	der, err := base64.StdEncoding.DecodeString(public)
	if err != nil {
		t.Fatal(err)
	}
	armoured := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	const pair = "onefold:sample password 1"
	for _, c := range []struct {
		name    string
		r       webhook.Request
		secrets []string
		want    error
	}{
		{"signed", signed(t, key, whole("a"), now()), []string{public}, nil},
		{"signed, key in PEM", signed(t, key, whole("a"), now()), []string{armoured}, nil},
		{"a password for a key", basic(whole("a"), public), []string{public}, webhook.ErrMissingHeader},
		{"a signature for a password", signed(t, key, whole("a"), now()), []string{pair}, webhook.ErrMissingHeader},
		{"signed, both set", signed(t, key, whole("a"), now()), []string{public, pair}, nil},
		{"a password, both set", basic(whole("a"), pair), []string{public, pair}, nil},
		{"neither, both set", whole("a"), []string{public, pair}, webhook.ErrMissingHeader},
		{"another's signature with a wrong password, both set", basic(signed(t, other, whole("a"), now()), "x:y"), []string{pair, public}, webhook.ErrBadSignature},
		{"a key of another curve", signed(t, key, whole("a"), now()), []string{wide}, webhook.ErrNoSecret},
		{"a secret of no form", signed(t, key, whole("a"), now()), []string{"whatever", public}, webhook.ErrNoSecret},
	} {
		_, err := sendgrid.New().Open(c.r, webhook.Setting{Secrets: secrets(t, c.secrets...), Now: now()})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// Of a request, time and body are signed, and the content type is not: neither
// a digit that goes over from the time to the body nor another boundary may make
// another mail of what was signed once.
func TestTheSignedBytesAreReadInOneWay(t *testing.T) {
	t.Parallel()
	key, public := newKey(t, elliptic.P256())
	secret, err := webhook.TextSecret(public)
	if err != nil {
		t.Fatal(err)
	}
	set := webhook.Setting{Content: webhook.ContentMail, Secrets: []webhook.Secret{secret}, Now: now()}
	inner := string(form("inner", "email", mail("other"), "envelope", `{"to":["boss@demo.example"],"from":"eve@example.org"}`).Body)
	r := form("xYzZY", "email", mail("one")+"\r\n"+inner+"&envelope=%7B%22to%22:[%22boss@demo.example%22],%22from%22:%22%22%7D&email=From:a&", "envelope", `{"to":["sales@demo.example"],"from":"ann@example.org"}`)
	r = signed(t, key, r, now())
	want, err := sendgrid.New().Open(r, set)
	if err != nil || len(want.Deliveries) != 1 {
		t.Fatalf("%+v, %v", want, err)
	}
	stamp := r.Headers[timestampHeader]
	for name, change := range map[string]func(*webhook.Request){
		"a digit of the time before the body": func(r *webhook.Request) {
			r.Headers[timestampHeader] = stamp[:len(stamp)-1]
			r.Body = append([]byte(stamp[len(stamp)-1:]), r.Body...)
		},
		"a boundary within the mail": func(r *webhook.Request) { r.Headers["content-type"] = "multipart/form-data; boundary=inner" },
		"another kind of form":       func(r *webhook.Request) { r.Headers["content-type"] = "application/x-www-form-urlencoded" },
		"the beginning of a boundary": func(r *webhook.Request) {
			r.Headers["content-type"] = "multipart/form-data; boundary=xYz"
		},
	} {
		changed := r
		changed.Headers = webhook.Header{}
		for k, v := range r.Headers {
			changed.Headers[k] = v
		}
		change(&changed)
		if got, err := sendgrid.New().Open(changed, set); err == nil {
			t.Errorf("%s: %+v, want a refusal", name, got)
		}
	}
}
