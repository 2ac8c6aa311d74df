package ses

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

const (
	connectTimeout   = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	// maxAnswer is far above any answer of SendEmail; more is not read.
	maxAnswer = 1 << 20
)

// errSecondTrip is what a second request of one call gets.
var errSecondTrip = errors.New("ses: second request of one call refused")

// flight is what is known of one call's way to the network.
type flight struct {
	trips     atomic.Int32 // requests handed to the transport
	connected atomic.Bool  // a connection was obtained: bytes may have left
}

type flightKey struct{}

func withFlight(ctx context.Context, f *flight) context.Context {
	return context.WithValue(ctx, flightKey{}, f)
}

// once lets one request of a call through and notes whether that request got a
// connection. httptrace calls GotConn after the dial and the TLS handshake and
// before the first byte of the request is written, so "not connected" proves
// that nothing was sent; the reverse proves nothing.
type once struct{ next http.RoundTripper }

func (o once) RoundTrip(r *http.Request) (*http.Response, error) {
	f, _ := r.Context().Value(flightKey{}).(*flight)
	if f == nil || f.trips.Add(1) > 1 {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must; nothing was read from it
		}
		return nil, errSecondTrip
	}
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { f.connected.Store(true) },
	})
	r = r.Clone(ctx)
	// Without GetBody, and without the header by which net/http takes a POST
	// for repeatable, the transport cannot send the body a second time.
	r.GetBody = nil
	r.Header.Del("Idempotency-Key")
	r.Header.Del("X-Idempotency-Key")
	resp, err := o.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}

// newClient makes the HTTP client of a Mailer from a transport, which is not
// changed.
func newClient(base *http.Transport) *http.Client {
	if base == nil {
		base = &http.Transport{
			DialContext:     (&net.Dialer{Timeout: connectTimeout}).DialContext,
			TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		}
	}
	t := base.Clone()
	if t.TLSHandshakeTimeout == 0 {
		t.TLSHandshakeTimeout = handshakeTimeout
	}
	// A fresh connection for each request: net/http repeats a request only
	// when the connection had been used before (transport.go,
	// shouldRetryRequest).
	t.DisableKeepAlives = true
	// HTTP/1 only: HTTP/2 replays requests inside the transport after GOAWAY.
	t.ForceAttemptHTTP2 = false
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	t.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	return &http.Client{
		Transport: once{next: t},
		// A redirect of a POST (307, 308) would be a second request.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
