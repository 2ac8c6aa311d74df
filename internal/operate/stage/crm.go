package stage

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"onefold/internal/crm/hubspot"
	"onefold/internal/secret"
)

// SetUpCRM makes what Onefold needs in a tenant's CRM account: the properties
// that hold its references and keep them unique. token is used this once, since
// making properties needs rights that daily work does not; "" is the tenant's
// own token. url is another address of the CRM's API, "" its own.
//
// Repeating it is safe. Errors are secret.ErrNone, hubspot.ErrNotUnique and
// hubspot.ErrSetup; a crash leaves some of the properties.
func (c *Cloud) SetUpCRM(ctx context.Context, tenantID, token, url string) error {
	if token == "" {
		kept, err := c.Secrets().Get(ctx, secret.CRM(tenantID))
		if err != nil {
			return fmt.Errorf("read the token of tenant %s: %w", tenantID, err)
		}
		token = kept.Current
	}
	client, err := hubspot.New(hubspot.Config{
		BaseURL: url, HTTPClient: &http.Client{Timeout: 30 * time.Second},
		Token: func(context.Context) (string, error) { return token, nil },
	})
	if err != nil {
		return fmt.Errorf("set up the CRM of tenant %s: %w", tenantID, err)
	}
	if err := client.EnsureProperties(ctx); err != nil {
		return fmt.Errorf("set up the CRM of tenant %s: %w", tenantID, err)
	}
	return nil
}

// ErrNotUnique is hubspot.ErrNotUnique, for those who know no adapter.
var ErrNotUnique = hubspot.ErrNotUnique
