package webhook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"onefold/internal/webhook"
)

func TestASecretNeverPrintsItself(t *testing.T) {
	t.Parallel()
	s := secret(t, secretB)
	holder := struct{ S webhook.Secret }{s}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b", "%t"} {
		fmt.Fprintf(&out, verb+"\n", s)
		fmt.Fprintf(&out, verb+"\n", &s)
		fmt.Fprintf(&out, verb+"\n", holder)
		fmt.Fprintf(&out, verb+"\n", []webhook.Secret{s})
	}
	fmt.Fprintln(&out, s.String(), s.GoString(), errors.New(s.String()))
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "secret", s, "holder", holder)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "secret", s, "holder", holder)
	encoded, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(encoded)
	// The key is the bytes 0 to 23: as decimals, hex of both cases, and base64.
	for _, leak := range []string{"0 1 2 3", "0, 1, 2, 3", "00010203", "0x0, 0x1", "1 10 11 100", "AAECAwQF", "\x00\x01\x02", `\x00\x01`} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("output contains %q", leak)
		}
	}
	if !strings.Contains(out.String(), "redacted") {
		t.Error("output does not say that something was left out")
	}
}

func TestFingerprintIsSHA256OfTheBytes(t *testing.T) {
	t.Parallel()
	// FIPS 180-2, appendix B.1, and the empty message.
	for in, want := range map[string]string{
		"abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"":    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	} {
		if got := webhook.Fingerprint([]byte(in)); got != want {
			t.Errorf("Fingerprint(%q) = %s, want %s", in, got, want)
		}
	}
	if webhook.Fingerprint([]byte(`{"a":1,"b":2}`)) == webhook.Fingerprint([]byte(`{"b":2,"a":1}`)) {
		t.Error("JSON was read: the fingerprint is of the bytes")
	}
}

func TestMailIDCoversEnvelopeAndMessage(t *testing.T) {
	t.Parallel()
	// printf 'a@example.org\nb@demo.example\nSubject: x\r\n\r\nhi' | sha256sum
	const want = "mail_4cb9268ac4ae3df7e4fbed751bd4be5ea208588ddcbbb2fe341c90388367b09f"
	from, to, raw := "a@example.org", "b@demo.example", "Subject: x\r\n\r\nhi"
	if got := webhook.MailID(from, to, []byte(raw)); got != want {
		t.Errorf("MailID = %s, want %s", got, want)
	}
	for name, other := range map[string]string{
		"other sender":    webhook.MailID("c@example.org", to, []byte(raw)),
		"null sender":     webhook.MailID("", to, []byte(raw)),
		"other recipient": webhook.MailID(from, "c@demo.example", []byte(raw)),
		"other message":   webhook.MailID(from, to, []byte(raw+"!")),
	} {
		if other == want {
			t.Errorf("%s gives the same ID", name)
		}
	}
}

func TestAMailIDIsAValidDeliveryID(t *testing.T) {
	t.Parallel()
	h := signedID(t, webhook.MailID("", "b@demo.example", body))
	if err := webhook.Verify([]webhook.Secret{secret(t, secretA)}, h, body, base); err != nil {
		t.Fatalf("Verify = %v, want nil", err)
	}
}

func TestStandardWebhooksAnswersNeverDisableAnEndpoint(t *testing.T) {
	t.Parallel()
	a := webhook.StandardWebhooks()
	success := map[string]bool{"Recorded": true, "Duplicate": true}
	v := reflect.ValueOf(a)
	for i := range v.NumField() {
		name, code := v.Type().Field(i).Name, int(v.Field(i).Int())
		if (code >= 200 && code <= 299) != success[name] {
			t.Errorf("%s = %d: 2xx means recorded, and nothing else does", name, code)
		}
		switch {
		case code == 410:
			t.Errorf("%s = 410 would disable the endpoint", name)
		case code == 429, code == 502, code == 504:
			t.Errorf("%s = %d would slow the sender down", name, code)
		case code < 200, code >= 300 && code < 400, code > 599:
			t.Errorf("%s = %d is no final answer", name, code)
		}
	}
	want := webhook.Answers{
		Recorded: 200, Duplicate: 200, Conflict: 409, Unauthenticated: 401, Kind: 415, Malformed: 400, TooLarge: 413, UnknownEndpoint: 503, Fault: 503,
	}
	if a != want {
		t.Errorf("StandardWebhooks() = %+v, want %+v", a, want)
	}
}

func TestAllRefusalsOfStrangersLookAlike(t *testing.T) {
	t.Parallel()
	a := webhook.StandardWebhooks()
	for err, want := range map[error]int{
		webhook.ErrMissingHeader: 401, webhook.ErrBadTimestamp: 401, webhook.ErrBadSignature: 401,
		webhook.ErrTooOld: 401, webhook.ErrTooNew: 401,
		webhook.ErrBadID: 400, webhook.ErrNoSecret: 503, errors.New("disk full"): 503,
	} {
		if got := a.Refusal(fmt.Errorf("ingest: %w", err)); got != want {
			t.Errorf("Refusal(%v) = %d, want %d", err, got, want)
		}
	}
}
