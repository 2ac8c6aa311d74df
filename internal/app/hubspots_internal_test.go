package app

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crm/hubspottest"
	"onefold/internal/crmsync"
	"onefold/internal/secret"
)

// kept are secrets by name; "!" stands for a store that does not answer.
type kept map[string]string

func (k kept) Get(_ context.Context, name string) (secret.Secret, error) {
	switch v := k[name]; v {
	case "":
		return secret.Secret{}, secret.ErrNone
	case "!":
		return secret.Secret{}, secret.ErrUnavailable
	default:
		return secret.Secret{Current: v}, nil
	}
}

// portal is a HubSpot account that knows one token.
func portal(t *testing.T, token string) (*hubspottest.Server, string) {
	t.Helper()
	s := hubspottest.New(hubspottest.Options{Now: time.Now, Token: token})
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web.URL
}

func upsert(t *testing.T, accounts crmsync.Accounts, tenantID string) crm.Result {
	t.Helper()
	c, err := accounts(t.Context(), tenantID)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := c.(*hubspot.Client).EnsureProperties(ctx); err != nil {
		return crm.Result{Outcome: crm.Refused}
	}
	return c.UpsertContact(ctx, crm.Contact{Ref: "ref-" + tenantID, Email: tenantID + "@example.com"}, "")
}

// A token is what tells accounts apart: a tenant's is never used for another.
func TestEachTenantHasTheAccountOfItsOwnToken(t *testing.T) {
	t.Parallel()
	_, url := portal(t, "token-of-one")
	secrets := kept{"crm/one": "token-of-one", "crm/two": "token-of-two"}
	accounts := hubspots(secrets, url)
	if res := upsert(t, accounts, "one"); res.Outcome != crm.Done {
		t.Errorf("the tenant of the account: %+v", res)
	}
	if res := upsert(t, accounts, "two"); res.Outcome == crm.Done {
		t.Errorf("a tenant with another token: %+v", res)
	}
	// A token that was replaced is used at once.
	secrets["crm/two"] = "token-of-one"
	if res := upsert(t, accounts, "two"); res.Outcome != crm.Done {
		t.Errorf("after the token was replaced: %+v", res)
	}
}

func TestATenantWithoutATokenHasNoAccount(t *testing.T) {
	t.Parallel()
	secrets := kept{"crm/one": "token", "crm/two": "!"}
	accounts := hubspots(secrets, "http://127.0.0.1:1")
	if _, err := accounts(t.Context(), "three"); !errors.Is(err, crmsync.ErrNoAccount) {
		t.Errorf("no secret: %v", err)
	}
	if _, err := accounts(t.Context(), "two"); err == nil || errors.Is(err, crmsync.ErrNoAccount) {
		t.Errorf("a store that does not answer: %v", err)
	}
	if _, err := accounts(t.Context(), "one"); err != nil {
		t.Error(err)
	}
	delete(secrets, "crm/one")
	if _, err := accounts(t.Context(), "one"); !errors.Is(err, crmsync.ErrNoAccount) {
		t.Errorf("a secret that was taken away: %v", err)
	}
}
