package webhook_test

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
)

// The vectors that the authors of the scheme publish: the first in the test
// suites of their libraries, the second in the manual of Svix. The second's
// secret has 18 bytes, fewer than the specification allows.
var vectors = []struct {
	name, secret, id string
	at               int64
	body, signature  string
}{
	{
		name: "libraries", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
		at: 1614265330, body: `{"test": 2432232314}`, signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	},
	{
		name: "manual", secret: "whsec_plJ3nmyCDGBKInavdOK15jsl", id: "msg_loFOjxBNrRLzqYUf",
		at: 1731705121, body: `{"event_type":"ping","data":{"success":true}}`, signature: "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
	},
}

func unchecked(t *testing.T, text string) webhook.Secret {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	return webhook.ShortSecret(key)
}

func secret(t *testing.T, text string) webhook.Secret {
	t.Helper()
	s, err := webhook.ParseSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPublishedVectorsSignAndVerify(t *testing.T) {
	t.Parallel()
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			s, at := unchecked(t, v.secret), time.Unix(v.at, 0)
			if got := webhook.Sign(s, v.id, at, []byte(v.body)); got != v.signature {
				t.Errorf("Sign = %q, want %q", got, v.signature)
			}
			h := webhook.Headers{ID: v.id, Timestamp: strconv.FormatInt(v.at, 10), Signature: v.signature}
			if err := webhook.Verify([]webhook.Secret{s}, h, []byte(v.body), at); err != nil {
				t.Errorf("Verify = %v, want nil", err)
			}
		})
	}
}

func TestSecretFormIsChecked(t *testing.T) {
	t.Parallel()
	encode := func(n int) string { return "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"24 bytes", encode(24), true},
		{"64 bytes", encode(64), true},
		{"newline of a file around it", " " + encode(32) + "\r\n", true},
		{"empty", "", false},
		{"prefix only", "whsec_", false},
		{"23 bytes", encode(23), false},
		{"65 bytes", encode(65), false},
		{"18 bytes of the manual's sample", vectors[1].secret, false},
		{"no prefix", strings.TrimPrefix(encode(24), "whsec_"), false},
		{"asymmetric private", "whsk_" + encode(32)[6:], false},
		{"asymmetric public", "whpk_" + encode(32)[6:], false},
		{"URL alphabet", "whsec_" + strings.Repeat("-_-_", 8), false},
		{"padding left out", strings.TrimRight(encode(25), "="), false},
		{"line end inside", "whsec_AAAAAAAAAAAAAAAA\nAAAAAAAAAAAAAAAA", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := webhook.ParseSecret(c.text)
			if (err == nil) != c.ok || s.IsZero() == c.ok {
				t.Fatalf("ParseSecret: zero %v, error %v, want accepted %v", s.IsZero(), err, c.ok)
			}
			if err != nil && len(c.text) > 10 && strings.Contains(err.Error(), strings.TrimSpace(c.text)[6:]) {
				t.Error("the error repeats the secret")
			}
		})
	}
}
