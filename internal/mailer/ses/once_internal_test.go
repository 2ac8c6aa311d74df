package ses

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

type counting struct{ requests []*http.Request }

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests = append(c.requests, r)
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func TestSecondRequestOfOneCallIsRefused(t *testing.T) {
	t.Parallel()
	next := &counting{}
	var f flight
	r, err := http.NewRequestWithContext(withFlight(t.Context(), &f), http.MethodPost, "http://ses.example.invalid/", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Idempotency-Key", "k")
	for i, want := range []error{nil, errSecondTrip} {
		if _, err := (once{next}).RoundTrip(r); !errors.Is(err, want) {
			t.Errorf("request %d: error %v, want %v", i+1, err, want)
		}
	}
	if len(next.requests) != 1 {
		t.Fatalf("%d requests reached the transport, want 1", len(next.requests))
	}
	// Either would let net/http send the body again (request.go, isReplayable).
	if got := next.requests[0]; got.GetBody != nil || got.Header.Get("Idempotency-Key") != "" {
		t.Error("the transport could repeat the request")
	}
}

func TestRequestOutsideACallIsRefused(t *testing.T) {
	t.Parallel()
	next := &counting{}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://ses.example.invalid/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (once{next}).RoundTrip(r); err == nil || len(next.requests) != 0 {
		t.Errorf("error %v, %d requests", err, len(next.requests))
	}
}
