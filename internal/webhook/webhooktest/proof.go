package webhooktest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
)

func withoutSecret(t *testing.T, k Kit) {
	r := k.request(t, "one")
	for name, secrets := range map[string][]webhook.Secret{"none": nil, "a zero one": {{}}, "two zero ones": {{}, {}}} {
		set := k.setting(t)
		set.Secrets = secrets
		if got, err := k.Source.Open(r, set); !errors.Is(err, webhook.ErrNoSecret) || len(got.Deliveries) > 0 {
			t.Errorf("%s: %v, want ErrNoSecret", name, err)
		}
	}
}

func rotation(t *testing.T, k Kit) {
	current, previous, stranger := k.Secrets[0], k.Secrets[1], k.Secrets[2]
	rows := []struct {
		name, signs string
		set         []string
		taken       bool
	}{
		{"current, no previous", current, []string{current}, true},
		{"current", current, []string{current, previous}, true},
		{"previous", previous, []string{current, previous}, true},
		{"a stranger's", stranger, []string{current, previous}, false},
		{"previous after it was revoked", previous, []string{current}, false},
	}
	if k.Source.About().Keyless { // whose document is the current one's
		rows[3].set = nil
		rows = append(rows[:1], rows[3])
	}
	for _, c := range rows {
		got, err := k.Source.Open(k.Request(t, c.signs, k.Now, "one"), k.setting(t, c.set...))
		if c.taken != (err == nil && len(got.Deliveries) == 1) {
			t.Errorf("signed with %s: %v, want taken %t", c.name, err, c.taken)
		}
		if !c.taken && !errors.Is(err, webhook.ErrBadSignature) {
			t.Errorf("signed with %s: %v, want ErrBadSignature", c.name, err)
		}
	}
}

func missing(t *testing.T, k Kit) {
	if len(k.Needs) == 0 && k.InBody == nil {
		t.Fatal("the kit names no header that holds the proof")
	}
	for _, header := range k.Needs {
		for name, change := range map[string]func(webhook.Header){
			"left out": func(h webhook.Header) { delete(h, header) },
			"empty":    func(h webhook.Header) { h[header] = "" },
			"a comma":  func(h webhook.Header) { h[header] = "," },
		} {
			r := k.request(t, "one")
			if _, ok := r.Headers[header]; !ok {
				t.Fatalf("a valid request has no %s", header)
			}
			change(r.Headers)
			if _, err := k.Source.Open(r, k.usual(t)); !webhook.Unproven(err) && !errors.Is(err, webhook.ErrBadID) {
				t.Errorf("%s %s: %v, want a refusal", header, name, err)
			}
		}
	}
}

// tampered changes every byte of the body and of what the proof stands in, in
// each of several ways.
func tampered(t *testing.T, k Kit) {
	r := k.request(t, "one")
	want := k.opens(t, r, k.usual(t))
	if !k.BodyUncovered {
		refused := func(name string, body []byte) {
			changed := clone(r)
			changed.Body = body
			if got, err := k.Source.Open(changed, k.usual(t)); !webhook.Unproven(err) || len(got.Deliveries) > 0 {
				t.Fatalf("body %s: %v, want a refusal", name, err)
			}
		}
		for i := range r.Body {
			for _, bit := range []byte{0x01, 0x20, 0x80} {
				body := append([]byte(nil), r.Body...)
				body[i] ^= bit
				refused("with a changed byte", body)
			}
		}
		refused("cut", r.Body[:len(r.Body)-1])
		refused("without its first byte", r.Body[1:])
		for _, more := range []string{" ", "\n", "\x00", "0"} {
			refused("lengthened", append(append([]byte(nil), r.Body...), more...))
			refused("lengthened before", append([]byte(more), r.Body...))
		}
	}
	if k.InBody != nil {
		inBody(t, k, r)
	}
	for _, header := range k.Needs {
		value := r.Headers[header]
		for i := range value {
			for _, c := range []byte("A1.,= \x00\xff") {
				changed := clone(r)
				changed.Headers[header] = value[:i] + string([]byte{c}) + value[i+1:]
				if changed.Headers[header] == value {
					continue
				}
				got, err := k.Source.Open(changed, k.usual(t))
				if err == nil && len(got.Deliveries) > 0 && !k.sameOf(header, got.Deliveries, want) {
					t.Fatalf("%s changed at %d: another event", header, i)
				}
			}
		}
	}
}

// inBody changes every byte of the proof that stands in the body.
func inBody(t *testing.T, k Kit, r webhook.Request) {
	for _, text := range k.InBody(r) {
		at := bytes.Index(r.Body, []byte(text))
		if text == "" || at < 0 {
			t.Fatal("the kit names a text that is not in the body")
		}
		for i := range text {
			for _, bit := range []byte{0x01, 0x20, 0x80} {
				changed := clone(r)
				changed.Body[at+i] ^= bit
				if got, err := k.Source.Open(changed, k.usual(t)); err == nil || len(got.Deliveries) > 0 {
					t.Fatalf("byte %d of a text of %d changed: %v, want a refusal", i, len(text), err)
				}
			}
		}
	}
}

// encoded: verifying what a gateway made of the bytes would take this.
func encoded(t *testing.T, k Kit) {
	if k.BodyUncovered {
		return
	}
	r := k.request(t, "one")
	r.Body = []byte(base64.StdEncoding.EncodeToString(r.Body))
	if _, err := k.Source.Open(r, k.usual(t)); !webhook.Unproven(err) {
		t.Errorf("base64 of the body: %v, want a refusal", err)
	}
}

func window(t *testing.T, k Kit) {
	about := k.Source.About()
	for _, c := range []struct {
		name  string
		shift time.Duration // of the signing, from now
		bound time.Duration
		want  error
	}{
		{"old", -1, about.Past, webhook.ErrTooOld},
		{"in the future", 1, about.Future, webhook.ErrTooNew},
	} {
		inside, outside := c.bound-2*time.Second, c.bound+2*time.Second
		if c.bound == 0 { // no window: what is signed is good for ever
			if _, err := k.Source.Open(k.Request(t, k.Secrets[0], k.Now.Add(c.shift*1000*time.Hour), "one"), k.usual(t)); err != nil {
				t.Errorf("%s, without a window: %v", c.name, err)
			}
			continue
		}
		if _, err := k.Source.Open(k.Request(t, k.Secrets[0], k.Now.Add(c.shift*inside), "one"), k.usual(t)); err != nil {
			t.Errorf("%s within the window: %v", c.name, err)
		}
		for _, by := range []time.Duration{outside, 10 * outside, 100_000 * time.Hour} {
			if _, err := k.Source.Open(k.Request(t, k.Secrets[0], k.Now.Add(c.shift*by), "one"), k.usual(t)); !errors.Is(err, c.want) {
				t.Errorf("%s by %s: %v, want %v", c.name, by, err, c.want)
			}
		}
	}
}

func silent(t *testing.T, k Kit) {
	plain := k.request(t, "planted-word")
	for name, r := range map[string]webhook.Request{
		"of a stranger":       k.Request(t, k.Secrets[2], k.Now, "planted-word"),
		"without headers":     {Method: plain.Method, URL: plain.URL, Body: plain.Body, Headers: webhook.Header{}},
		"with a changed body": {Method: plain.Method, URL: plain.URL, Body: append([]byte("x"), plain.Body...), Headers: maps.Clone(plain.Headers)},
	} {
		_, err := k.Source.Open(r, k.usual(t))
		if err == nil {
			continue
		}
		word, hint := webhook.Told(err)
		for _, text := range []string{err.Error(), word, hint} {
			for _, planted := range append(k.Secrets[:], "planted-word") {
				if strings.Contains(text, planted) {
					t.Errorf("%s: the error holds a secret or the content", name)
				}
			}
		}
	}
}
