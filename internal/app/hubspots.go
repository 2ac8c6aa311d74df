package app

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crmsync"
	"onefold/internal/secret"
)

// hubspots gives each tenant the HubSpot account of its own token, and no
// other's: a tenant without a token has none. The token is asked for with each
// call, so that a new one is used as soon as the store gives it.
//
// No connection is kept: one that died while the process was paused would turn
// a write into an unknown outcome.
func hubspots(secrets secret.Store, baseURL string) crmsync.Accounts {
	var mu sync.Mutex
	known := map[string]crm.CRM{}
	return func(ctx context.Context, tenantID string) (crm.CRM, error) {
		name := secret.CRM(tenantID)
		// Each time: a secret that was taken away ends the account.
		if _, err := secrets.Get(ctx, name); errors.Is(err, secret.ErrNone) {
			return nil, crmsync.ErrNoAccount
		} else if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		if c := known[tenantID]; c != nil {
			return c, nil
		}
		c, err := hubspot.New(hubspot.Config{
			BaseURL: baseURL, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}},
			Token: func(ctx context.Context) (string, error) {
				kept, err := secrets.Get(ctx, name)
				return kept.Current, err
			},
		})
		if err != nil {
			return nil, err
		}
		known[tenantID] = c
		return c, nil
	}
}
