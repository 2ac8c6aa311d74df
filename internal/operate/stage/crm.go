package stage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"onefold/internal/app"
	"onefold/internal/policy/versions"
	"onefold/internal/secret"
)

// ErrNoCRM means that no policy of the tenant names a CRM.
var ErrNoCRM = errors.New("no policy names a CRM")

// SetUpCRM makes what Onefold needs in a tenant's account at the CRM that its
// policy names: what holds its references and keeps them unique. token is used
// this once, since this may need rights that daily work does not; "" is the
// tenant's own token. url is another address of the CRM's API, "" its own.
//
// Repeating it is safe. Errors are ErrNoCRM, secret.ErrNone and those of
// crm.Vendor's SetUp.
func (o *Opened) SetUpCRM(ctx context.Context, tenantID, token, url string) error {
	policy, err := o.Policies.Current(ctx, tenantID)
	if errors.Is(err, versions.ErrNone) || err == nil && policy.CRM.Kind == "" {
		return fmt.Errorf("%w for tenant %s", ErrNoCRM, tenantID)
	}
	if err != nil {
		return err
	}
	kind, err := app.FindCRM(policy.CRM.Kind)
	if err != nil {
		return err
	}
	if token == "" {
		kept, err := o.Secrets.Get(ctx, secret.CRM(tenantID))
		if err != nil {
			return fmt.Errorf("read the token of tenant %s: %w", tenantID, err)
		}
		token = kept.Current
	}
	client, err := kind.Open(app.Account{
		URL: url, HTTP: &http.Client{Timeout: 30 * time.Second},
		Token: func(context.Context) (string, error) { return token, nil },
	})
	if err == nil {
		err = client.SetUp(ctx)
	}
	if err != nil {
		return fmt.Errorf("set up the CRM of tenant %s: %w", tenantID, err)
	}
	return nil
}
