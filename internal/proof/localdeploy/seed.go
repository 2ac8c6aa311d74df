package localdeploy

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"

	sm "github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"onefold/internal/app"
	"onefold/internal/crm/hubspot"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/schema"
	"onefold/internal/secret"
	"onefold/internal/secret/secretsmanager"
	"onefold/internal/webhook"
)

// Seeded is what was put into the deployment so that it can work.
type Seeded struct {
	Tenant  string
	Secrets map[string]webhook.Secret // by endpoint
}

// samplePolicy is the example policy for this deployment: its rule sends
// without asking, its mail is reported on, and what SES receives is taken in.
func samplePolicy(stage string) ([]byte, error) {
	var p struct {
		Endpoints []map[string]any `json:"endpoints"`
		Rules     []map[string]any `json:"rules"`
		Sender    map[string]any   `json:"sender"`
	}
	var whole map[string]any
	for _, into := range []any{&p, &whole} {
		if err := json.Unmarshal(tenant.Example(), into); err != nil {
			return nil, fmt.Errorf("read the example policy: %w", err)
		}
	}
	for _, r := range p.Rules {
		r["mode"] = "auto"
	}
	p.Sender["configuration_set"] = configurationSet(stage)
	whole["rules"], whole["sender"] = p.Rules, p.Sender
	whole["endpoints"] = append(p.Endpoints, map[string]any{
		"name": "received", "content": tenant.ContentMail, "scheme": tenant.SchemeSES, "mailboxes": []string{"@demo.example"},
	})
	return json.Marshal(whole)
}

// seed does what an operator does after the first deployment: a policy, the
// secrets of its endpoints, the token of the CRM, its properties.
func (d *Deployment) seed(ctx context.Context) error {
	secrets := secretsmanager.New(sm.NewFromConfig(d.config()), secretsmanager.Options{Prefix: schema.SecretPrefix(d.Stage), Like: schema.SecretIdentifierKey})
	kept, err := secrets.Get(ctx, schema.SecretIdentifierKey)
	if err != nil {
		return fmt.Errorf("read the identifier key: %w", err)
	}
	if d.IDs, err = app.DeriveKey(kept.Current); err != nil {
		return err
	}
	if err := app.ClaimLedger(ctx, d.Store, d.IDs); err != nil {
		return err
	}
	book := &versions.Book{Store: d.Store, Now: app.Clock}
	document, err := samplePolicy(d.Stage)
	if err != nil {
		return err
	}
	policy, err := book.Apply(ctx, document, "local")
	if err != nil {
		return fmt.Errorf("apply the policy: %w", err)
	}
	d.Seeded = Seeded{Tenant: policy.Tenant, Secrets: map[string]webhook.Secret{}}
	for _, ep := range policy.Endpoints {
		if ep.Secret == "" {
			continue
		}
		var b [32]byte
		_, _ = rand.Read(b[:]) // never fails (crypto/rand, Go 1.24)
		text := "whsec_" + base64.StdEncoding.EncodeToString(b[:])
		if err := secrets.Put(ctx, secret.Webhook(policy.Tenant, ep.Secret), text); err != nil {
			return err
		}
		if d.Seeded.Secrets[ep.Name], err = webhook.ParseSecret(text); err != nil {
			return err
		}
	}
	if err := secrets.Put(ctx, secret.CRM(policy.Tenant), crmToken); err != nil {
		return err
	}
	hub, err := hubspot.New(hubspot.Config{
		BaseURL: d.CRMURL, Token: func(context.Context) (string, error) { return crmToken, nil },
	})
	if err != nil {
		return fmt.Errorf("set up the CRM: %w", err)
	}
	return hub.SetUp(ctx)
}
