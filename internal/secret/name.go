package secret

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"onefold/internal/schema"
	"onefold/internal/webhook"
)

// maxValue is the most bytes of a value: what Secrets Manager takes (65,536;
// "AWS Secrets Manager quotas", size of a secret value).
const maxValue = 65536

// Webhook is the name of a webhook secret: name is what the endpoint's policy
// calls it.
func Webhook(tenantID, name string) string { return schema.SecretWebhooks + tenantID + "/" + name }

// CRM is the name of a tenant's CRM token.
func CRM(tenantID string) string { return schema.SecretCRM + tenantID }

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}(/[a-z0-9][a-z0-9-]{0,63}){0,3}$`)

// CheckName tells whether a text can be the name of a secret: up to four parts
// of lower-case letters, digits and hyphens, which every store can keep as it
// is.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%w: a name has up to four parts of a-z, 0-9 and -, with / between", ErrRefused)
	}
	return nil
}

// CheckPut tells whether a value can be put under a name. The error repeats
// nothing of the value.
func CheckPut(name, value string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	switch {
	case name == schema.SecretIdentifierKey:
		return fmt.Errorf("%w: the identifier key is never replaced: every opt-out and follow-up is named with it", ErrRefused)
	case value == "":
		return fmt.Errorf("%w: the value is empty", ErrRefused)
	case len(value) > maxValue:
		return fmt.Errorf("%w: the value has more than %d bytes", ErrRefused, maxValue)
	case value != strings.TrimSpace(value):
		return fmt.Errorf("%w: the value begins or ends with white space", ErrRefused)
	}
	if strings.HasPrefix(name, schema.SecretWebhooks) {
		if _, err := webhookSecret(value); err != nil {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
	}
	return nil
}

// minWebhook is the fewest bytes of a webhook secret: what a provider makes is
// longer, and what a person makes up should be.
const minWebhook = 16

// webhookSecret reads a webhook secret. What it has to look like is for the
// endpoint's source to say, which this package does not know.
func webhookSecret(text string) (webhook.Secret, error) {
	if len(strings.TrimSpace(text)) < minWebhook {
		return webhook.Secret{}, fmt.Errorf("secret: a webhook secret has at least %d bytes", minWebhook)
	}
	return webhook.TextSecret(text)
}

// Webhooks gives the webhook secrets of an endpoint, current first, as ingest
// asks for them: none where none is set up. A current one that cannot be read
// is an error, since whoever signs with it would be refused; a previous one
// that cannot be read never signed anything.
func Webhooks(from Store) func(ctx context.Context, tenantID, name string) ([]webhook.Secret, error) {
	return func(ctx context.Context, tenantID, name string) ([]webhook.Secret, error) {
		kept, err := from.Get(ctx, Webhook(tenantID, name))
		if errors.Is(err, ErrNone) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		var keys []webhook.Secret
		for i, text := range kept.Values() {
			key, err := webhookSecret(text)
			if err == nil {
				keys = append(keys, key)
			} else if i == 0 {
				return nil, fmt.Errorf("webhook secret %s/%s: %w", tenantID, name, err)
			}
		}
		return keys, nil
	}
}
