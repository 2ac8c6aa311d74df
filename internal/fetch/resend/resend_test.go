package resend_test

// Real: the client, HTTP on loopback. Fake: Resend, after its API description.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"onefold/internal/fetch"
	"onefold/internal/fetch/resend"
)

const (
	key  = "re_sample_key_of_nobody"
	id   = "4ef9a417-02e9-4d39-ad75-9611e0fcc33c"
	mail = "From: ann@example.org\r\nSubject: Hello\r\n\r\nHello.\r\n"
)

// fake is Resend: its API, and the place where it keeps mail.
type fake struct {
	*httptest.Server
	api, place     func(w http.ResponseWriter, r *http.Request)
	leaked, loaded atomic.Int64
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{}
	f.api = func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"object":"email","id":"%s","raw":{"download_url":"%s/kept/1?token=x","expires_at":"2026-03-04T06:06:07Z"}}`, id, f.URL)
	}
	f.place = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(mail)) }
	mux := http.NewServeMux()
	mux.HandleFunc("GET /emails/receiving/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key || r.PathValue("id") != id {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		f.api(w, r)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		f.loaded.Add(1)
		if r.Header.Get("Authorization") != "" {
			f.leaked.Add(1)
		}
		f.place(w, r)
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) raw(ctx context.Context, t *testing.T, key string) ([]byte, error) {
	t.Helper()
	c, err := resend.New(f.URL, http.Client{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Raw(ctx, key, id)
}

func TestTheRawMailIsGivenByteForByte(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for range 2 { // it may be asked again at any time
		if got, err := f.raw(t.Context(), t, key); err != nil || string(got) != mail {
			t.Errorf("%q, %v", got, err)
		}
	}
	if f.leaked.Load() > 0 {
		t.Error("the key went to the place of the mail")
	}
}

func TestEachFailureIsNamedAndNothingIsGiven(t *testing.T) {
	t.Parallel()
	says := func(status int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	}
	writes := func(text string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
	}
	redirects := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }
	large := func(w http.ResponseWriter, _ *http.Request) {
		block := []byte(strings.Repeat("x", 1<<20))
		for range 43 {
			_, _ = w.Write(block)
		}
	}
	for name, c := range map[string]struct {
		api, place func(http.ResponseWriter, *http.Request)
		key        string
		want       error
	}{
		"another's key":          {nil, nil, "re_other", fetch.ErrRefused},
		"gone":                   {says(404), nil, key, fetch.ErrGone},
		"too many requests":      {says(429), nil, key, fetch.ErrUnavailable},
		"its fault":              {says(500), nil, key, fetch.ErrUnavailable},
		"a redirect of the API":  {redirects, nil, key, fetch.ErrUnavailable},
		"no JSON":                {writes("<html>"), nil, key, fetch.ErrUnavailable},
		"no place":               {writes(`{"raw":{}}`), nil, key, fetch.ErrUnavailable},
		"a place that is a path": {writes(`{"raw":{"download_url":"/etc/passwd"}}`), nil, key, fetch.ErrUnavailable},
		"a place that lapsed":    {nil, says(403), key, fetch.ErrUnavailable},
		"a redirect of the mail": {nil, redirects, key, fetch.ErrUnavailable},
		"an empty mail":          {nil, says(200), key, fetch.ErrUnavailable},
		"a mail that is cut": {nil, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(mail))
		}, key, fetch.ErrUnavailable},
		"a mail without end": {nil, large, key, fetch.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			if c.api != nil {
				f.api = c.api
			}
			if c.place != nil {
				f.place = c.place
			}
			got, err := f.raw(t.Context(), t, c.key)
			if !errors.Is(err, c.want) || got != nil {
				t.Fatalf("%d bytes, %v; want %v", len(got), err, c.want)
			}
			for _, secret := range []string{key, "re_other", id, f.URL, "token"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error holds %q", secret)
				}
			}
		})
	}
}

func TestWhoHasGoneIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.raw(ctx, t, key); !errors.Is(err, fetch.ErrUnavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestTheAddressIsHTTPSButOnThisMachine(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		resend.API: true, "http://127.0.0.1:9000": true, "http://localhost": true,
		"http://api.resend.example": false, "": false, "api.resend.example": false, "https://": false, "https://a.example/v1": false,
	} {
		if _, err := resend.New(base, http.Client{}); (err == nil) != want {
			t.Errorf("%q: %v", base, err)
		}
	}
}
