package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"onefold/internal/crm"
	"onefold/internal/crm/hook"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crm/pipedrive"
	"onefold/internal/crm/salesforce"
	"onefold/internal/crmsync"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/secret"
)

// Account is what an adapter needs to reach a tenant's account at its CRM.
type Account struct {
	URL   string                                // of the API, "" the vendor's own
	Token func(context.Context) (string, error) // the tenant's secret, in the adapter's form
	HTTP  *http.Client
}

// CRM is one kind of CRM.
type CRM struct {
	Kind string // the word of crm.kind in a policy, and of the adapter's Capabilities
	Open func(Account) (crm.Vendor, error)
}

// CRMs lists the kinds there are. docs/add-a-crm.md tells how to add one.
func CRMs() []CRM {
	return []CRM{
		{"hubspot", func(a Account) (crm.Vendor, error) {
			return hubspot.New(hubspot.Config{BaseURL: a.URL, Token: a.Token, HTTPClient: a.HTTP})
		}},
		{"pipedrive", func(a Account) (crm.Vendor, error) {
			return pipedrive.New(pipedrive.Config{BaseURL: a.URL, Token: a.Token, HTTPClient: a.HTTP})
		}},
		{"salesforce", func(a Account) (crm.Vendor, error) {
			return salesforce.New(salesforce.Config{BaseURL: a.URL, Secret: a.Token, HTTPClient: a.HTTP, Now: Clock})
		}},
		{"webhook", func(a Account) (crm.Vendor, error) {
			return hook.New(hook.Config{BaseURL: a.URL, Secret: a.Token, HTTP: a.HTTP, Now: Clock})
		}},
	}
}

// ErrUnknownCRM means that there is no such kind. No policy that was checked
// names one.
var ErrUnknownCRM = errors.New("app: no such kind of CRM")

// FindCRM finds a kind of CRM. The error is ErrUnknownCRM.
func FindCRM(kind string) (CRM, error) {
	for _, c := range CRMs() {
		if c.Kind == kind {
			return c, nil
		}
	}
	return CRM{}, fmt.Errorf("%w: %q", ErrUnknownCRM, kind)
}

// accounts gives each tenant the account of the CRM that its policy names, by
// the tenant's own token, and no other's: a tenant without one of the two has
// none. The token is asked for with each call, so that a new one is used as soon
// as the store gives it. urls are other addresses of APIs, by kind.
//
// No connection is kept: one that died while the process was paused would turn
// a write into an unknown outcome.
func accounts(book *versions.Book, secrets secret.Store, urls map[string]string) crmsync.Accounts {
	var mu sync.Mutex
	type account struct{ tenant, kind string }
	known := map[account]crm.CRM{}
	return func(ctx context.Context, tenantID string) (crmsync.Account, error) {
		none := crmsync.Account{}
		policy, err := book.Current(ctx, tenantID)
		switch {
		case errors.Is(err, versions.ErrNone), err == nil && policy.CRM.Kind == "":
			return none, crmsync.ErrNoAccount
		case err != nil:
			return none, err
		}
		kind, err := FindCRM(policy.CRM.Kind)
		if err != nil {
			return none, err
		}
		name := secret.CRM(tenantID)
		// Each time: a secret that was taken away ends the account.
		if _, err := secrets.Get(ctx, name); errors.Is(err, secret.ErrNone) {
			return none, crmsync.ErrNoAccount
		} else if err != nil {
			return none, err
		}
		mu.Lock()
		defer mu.Unlock()
		at, edited := account{tenantID, kind.Kind}, policy.CRM.Edited
		of := crmsync.Account{CRM: known[at], Ours: fieldsOf(edited, tenant.EditOurs), Ask: fieldsOf(edited, tenant.EditAsk)}
		if of.CRM != nil {
			return of, nil
		}
		c, err := kind.Open(Account{
			URL: urls[kind.Kind], HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}},
			Token: func(ctx context.Context) (string, error) {
				kept, err := secrets.Get(ctx, name)
				return kept.Current, err
			},
		})
		if err != nil {
			return none, err
		}
		known[at], of.CRM = c, c
		return of, nil
	}
}

// fieldsOf are the fields that have a rule.
func fieldsOf(rules tenant.EditRules, rule string) []crm.Field {
	var fields []crm.Field
	for _, f := range crm.Fields() {
		if rules.Of(string(f)) == rule {
			fields = append(fields, f)
		}
	}
	return fields
}
