package hubspottest_test

import (
	"net/http/httptest"
	"testing"

	"onefold/internal/crm/hubspottest"
)

// token is the access token that the servers of these tests accept.
const token = "hubspot-test-token"

// running is a server on a loopback port until the test ends.
type running struct {
	*hubspottest.Server
	URL string
}

func start(t testing.TB, opts hubspottest.Options) *running {
	t.Helper()
	if opts.Token == "" {
		opts.Token = token
	}
	s := hubspottest.New(opts)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return &running{s, web.URL}
}
