package web_test

// Real: the client, HTTP on loopback. Fake: who keeps the document.

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onefold/internal/fetch"
	"onefold/internal/fetch/web"
)

func serve(t *testing.T, answer http.HandlerFunc) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestADocumentIsFetchedOnceAndAVisitEachTime(t *testing.T) {
	t.Parallel()
	url, asked := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("certificate")) })
	c := web.NewLocal(http.Client{}, time.Minute)
	for range 3 {
		if got, err := c.Document(t.Context(), url+"/a.pem"); err != nil || string(got) != "certificate" {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
	for range 2 {
		if err := c.Visit(t.Context(), url+"/?Action=ConfirmSubscription"); err != nil {
			t.Fatal(err)
		}
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("%d requests, want one document and two visits", n)
	}
	for i := range 100 { // the memory has an end
		if _, err := c.Document(t.Context(), url+"/"+strings.Repeat("x", i)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFailureGivesNothingAndIsNotRemembered(t *testing.T) {
	t.Parallel()
	answers := map[string]http.HandlerFunc{
		"gone":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"large":      func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 65<<10)) },
		"empty":      func(http.ResponseWriter, *http.Request) {},
	}
	for name, answer := range answers {
		url, asked := serve(t, answer)
		c := web.NewLocal(http.Client{}, time.Minute)
		for range 2 {
			got, err := c.Document(t.Context(), url+"/planted")
			if got != nil || !errors.Is(err, fetch.ErrUnavailable) && !errors.Is(err, fetch.ErrTooLarge) {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
			if err != nil && strings.Contains(err.Error(), "planted") {
				t.Errorf("%s: the error holds the address", name)
			}
		}
		if n := asked.Load(); n != 2 {
			t.Errorf("%s: asked %d times, want each time and no further", name, n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	url, _ := serve(t, answers["empty"])
	if err := web.NewLocal(http.Client{}, time.Minute).Visit(ctx, url); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone: %v", err)
	}
}

func TestNothingIsAskedWithoutHTTPS(t *testing.T) {
	t.Parallel()
	url, asked := serve(t, func(http.ResponseWriter, *http.Request) {})
	c := web.New(http.Client{}, time.Minute)
	for _, address := range []string{url, "ftp" + strings.TrimPrefix(url, "http"), "", "/etc/passwd", "https://", "https://u:p@a.example/"} {
		if err := c.Visit(t.Context(), address); !errors.Is(err, fetch.ErrUnavailable) {
			t.Errorf("%q: %v", address, err)
		}
	}
	if asked.Load() != 0 {
		t.Error("asked all the same")
	}
}
