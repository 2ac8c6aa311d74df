package stage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"onefold/internal/app"
	"onefold/internal/crm"
	"onefold/internal/ledger"
	"onefold/internal/policy/versions"
	"onefold/internal/record/outbox"
	"onefold/internal/schema"
	"onefold/internal/secret"
)

// ErrNoCRM means that no policy of the tenant names a CRM.
var ErrNoCRM = errors.New("no policy names a CRM")

// CRMState is how it stands with a tenant's CRM.
type CRMState struct {
	Tenant string
	Kind   string // "" where the policy names none, or there is no policy
	Down   *outbox.Connection
}

// CRMs tells of every tenant that has a token, by name.
func (o *Opened) CRMs(ctx context.Context) ([]CRMState, error) {
	kept, err := o.Secrets.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the tokens of CRMs: %w", err)
	}
	var all []CRMState
	for _, entry := range kept {
		tenantID, is := strings.CutPrefix(entry.Name, schema.SecretCRM)
		if !is {
			continue
		}
		state := CRMState{Tenant: tenantID}
		policy, err := o.Policies.Current(ctx, tenantID)
		if err != nil && !errors.Is(err, versions.ErrNone) {
			return nil, err
		}
		if state.Kind = policy.CRM.Kind; state.Kind != "" {
			c, err := ledger.Read[outbox.Connection](ctx, o.Store, ledger.CRMConnection.Under(tenantID, "crm", state.Kind))
			if err != nil {
				return nil, err
			}
			if c != nil && c.State == outbox.Down {
				state.Down = c
			}
		}
		all = append(all, state)
	}
	return all, nil
}

// SetUpCRM makes in a tenant's account what Onefold needs there: what holds its
// references and keeps them unique. token and url are as in OpenCRM; making that
// may need rights that daily work does not have.
//
// Repeating it is safe. Errors are those of OpenCRM and of crm.Vendor's SetUp.
func (o *Opened) SetUpCRM(ctx context.Context, tenantID, token, url string) error {
	client, err := o.OpenCRM(ctx, tenantID, token, url)
	if err != nil {
		return err
	}
	if err := client.SetUp(ctx); err != nil {
		return fmt.Errorf("set up the CRM of tenant %s: %w", tenantID, err)
	}
	return nil
}

// OpenCRM opens a tenant's account at the CRM that its policy names. token is
// used this once, "" is the tenant's own; url is another address of the CRM's
// API, "" its own. It makes no call there. Errors are ErrNoCRM, secret.ErrNone
// and those of the ledger and the secrets.
func (o *Opened) OpenCRM(ctx context.Context, tenantID, token, url string) (crm.Vendor, error) {
	policy, err := o.Policies.Current(ctx, tenantID)
	if errors.Is(err, versions.ErrNone) || err == nil && policy.CRM.Kind == "" {
		return nil, fmt.Errorf("%w for tenant %s", ErrNoCRM, tenantID)
	}
	if err != nil {
		return nil, err
	}
	if o.LocalCRM != nil && token == "" && url == "" {
		return o.LocalCRM, nil
	}
	kind, err := app.FindCRM(policy.CRM.Kind)
	if err != nil {
		return nil, err
	}
	if token == "" {
		kept, err := o.Secrets.Get(ctx, secret.CRM(tenantID))
		if err != nil {
			return nil, fmt.Errorf("read the token of tenant %s: %w", tenantID, err)
		}
		token = kept.Current
	}
	client, err := kind.Open(app.Account{
		URL: url, HTTP: &http.Client{Timeout: 30 * time.Second},
		Token: func(context.Context) (string, error) { return token, nil },
	})
	if err != nil {
		return nil, fmt.Errorf("open the CRM of tenant %s: %w", tenantID, err)
	}
	return client, nil
}
