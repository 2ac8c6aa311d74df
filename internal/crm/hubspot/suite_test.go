package hubspot_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crm/hubspottest"
)

func newClient(t *testing.T, baseURL string) *hubspot.Client {
	t.Helper()
	// A transport of its own: connections of one test must not serve another.
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := hubspot.New(hubspot.Config{
		BaseURL:    baseURL,
		Token:      func(context.Context) (string, error) { return token, nil },
		HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newReady(t *testing.T, baseURL string) crm.CRM {
	t.Helper()
	c := newClient(t, baseURL)
	if err := c.SetUp(context.Background()); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestConformance runs with each form of a refusal that HubSpot's
// documentation leaves open.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} {
		for _, conflict := range []bool{false, true} {
			t.Run(fmt.Sprintf("whole=%v,409=%v", whole, conflict), func(t *testing.T) {
				t.Parallel()
				crmtest.Suite(t, func(t *testing.T) (crmtest.Vendor, crm.CRM) {
					srv := start(t, hubspottest.Options{WholeBatch: whole, Unique409: conflict})
					return srv, newReady(t, srv.URL())
				})
			})
		}
	}
}
