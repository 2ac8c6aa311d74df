package crmtest

import (
	"net/http/httptest"
	"testing"

	"onefold/internal/crm/hubspottest"
)

// Token is the access token that Start's servers accept.
const Token = "crmtest-token"

// Running is a server that listens on a loopback port until the test ends.
type Running struct {
	*hubspottest.Server
	URL  string
	http *httptest.Server
}

// Start runs a server for a test. It accepts Token unless opts names another.
func Start(t testing.TB, opts hubspottest.Options) *Running {
	t.Helper()
	if opts.Token == "" {
		opts.Token = Token
	}
	s := hubspottest.New(opts)
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return &Running{Server: s, URL: h.URL, http: h}
}

// Stop closes the port at once; it may be called before the test ends.
func (r *Running) Stop() {
	r.http.CloseClientConnections()
	r.http.Close()
}
