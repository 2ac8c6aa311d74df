package bedrock

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	connectTimeout   = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	idleTimeout      = 60 * time.Second
	// maxAnswer is far above any record; more is not read.
	maxAnswer = 1 << 20
)

// transport waits for an answer as long as the call may last: a model writes
// all of it before the first byte comes.
func transport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout: handshakeTimeout,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12}, // and with it no HTTP/2
		IdleConnTimeout:     idleTimeout,
		MaxIdleConnsPerHost: 4,
	}
}

// bounded reads no more than maxAnswer of an answer.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}
