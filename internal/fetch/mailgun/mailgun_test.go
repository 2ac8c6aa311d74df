package mailgun_test

// Real: the client. Fake: Mailgun, as a transport, since the client asks no
// other host.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"onefold/internal/fetch"
	"onefold/internal/fetch/mailgun"
)

const (
	place = "https://storage-europe-west1.api.mailgun.net/v3/domains/demo.example/messages/samplekey"
	mail  = "From: ann@example.org\r\nSubject: Hello\r\n\r\nHello.\r\n"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answers(status int, body string) transport {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{"Location": {"https://evil.example/"}}}, nil
	}
}

func TestTheStoredMailIsGivenByteForByte(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(map[string]string{"body-mime": mail, "subject": "Hello"})
	if err != nil {
		t.Fatal(err)
	}
	c := mailgun.New(http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		user, key, _ := r.BasicAuth()
		if r.URL.String() != place || user != "api" || key != "key-sample" || r.Header.Get("Accept") != "message/rfc2822" {
			t.Errorf("%s as %q, %q", r.URL, user, r.Header.Get("Accept"))
		}
		return answers(200, string(body))(r)
	})})
	if got, err := c.Raw(t.Context(), "key-sample", place); err != nil || string(got) != mail {
		t.Errorf("%q, %v", got, err)
	}
}

func TestEachFailureIsNamedAndNothingIsGiven(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by   transport
		want error
	}{
		"gone": {answers(404, ""), fetch.ErrGone}, "another's key": {answers(401, ""), fetch.ErrRefused}, "busy": {answers(429, ""), fetch.ErrUnavailable},
		"a redirect": {answers(302, ""), fetch.ErrUnavailable}, "no JSON": {answers(200, "<html>"), fetch.ErrUnavailable}, "no mail": {answers(200, "{}"), fetch.ErrUnavailable},
		"a mail without end": {answers(200, `{"body-mime":"`+strings.Repeat("x", fetch.MaxContent+1)+`"}`), fetch.ErrTooLarge},
		"no connection":      {func(*http.Request) (*http.Response, error) { return nil, errors.New("refused by " + place) }, fetch.ErrUnavailable},
	} {
		got, err := mailgun.New(http.Client{Transport: c.by}).Raw(t.Context(), "key-sample", place)
		if !errors.Is(err, c.want) || got != nil {
			t.Errorf("%s: %d bytes, %v, want %v", name, len(got), err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "samplekey") || strings.Contains(err.Error(), "key-sample")) {
			t.Errorf("%s: the error holds the key or the address", name)
		}
	}
}

func TestTheKeyGoesToMailgunAlone(t *testing.T) {
	t.Parallel()
	c := mailgun.New(http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		t.Errorf("asked %s", r.URL)
		return nil, context.Canceled
	})})
	for _, address := range []string{"https://evil.example/v3/domains/d/messages/k", "http://api.mailgun.net/v3/domains/d/messages/k", "https://api.mailgun.net.evil.example/v3/domains/d/messages/k", ""} {
		if _, err := c.Raw(t.Context(), "key-sample", address); !errors.Is(err, fetch.ErrUnavailable) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
