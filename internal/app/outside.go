package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"onefold/internal/blob"
	"onefold/internal/blob/s3"
	"onefold/internal/fetch"
	"onefold/internal/fetch/mailgun"
	"onefold/internal/fetch/resend"
	"onefold/internal/fetch/web"
	"onefold/internal/ingest"
	"onefold/internal/policy/tenant"
	"onefold/internal/secret"
	"onefold/internal/webhook/sns"
)

// outsideTime is how long ingest waits for a document, a confirmation or a
// content, all its calls together: SNS and the function itself give up after 15
// seconds.
const outsideTime = 8 * time.Second

// Outside is what ingest asks of others while it takes a delivery: the
// certificate that a source verifies with, the confirmation of a subscription,
// and content that a webhook only names. The zero value asks nobody.
type Outside struct {
	Document func(ctx context.Context, url string) ([]byte, error)
	Visit    func(ctx context.Context, url string) error
	Content  func(ctx context.Context, tenantID string, ep tenant.Endpoint, id string) ([]byte, error)
}

// NewOutside asks the providers, with the API keys of the store, and the bucket
// of received mail, if there is one.
func NewOutside(secrets secret.Store, in *Inbox) (Outside, error) {
	w := web.New(http.Client{}, outsideTime)
	r, err := resend.New(resend.API, http.Client{Timeout: outsideTime})
	if err != nil {
		return Outside{}, err
	}
	c := contents{secrets: secrets, by: map[string]fetch.Mail{"resend": r, "mailgun": mailgun.New(http.Client{Timeout: outsideTime})}}
	if in != nil {
		c.bucket, c.object = in.Bucket, s3.NewInbox(in.Client, in.Bucket, ingest.MaxMail).Get
	}
	return Outside{Document: w.Document, Visit: w.Visit, Content: c.fetch}, nil
}

// contents fetches what deliveries name.
type contents struct {
	secrets secret.Store
	by      map[string]fetch.Mail // by scheme
	bucket  string
	object  ingest.Object // nil: no bucket of mail
}

// APIKey is the name of the secret that holds the provider's API key of an
// endpoint, beside the endpoint's own.
func APIKey(ep tenant.Endpoint) string { return ep.Secret + tenant.APIKeySuffix }

func (c contents) fetch(ctx context.Context, tenantID string, ep tenant.Endpoint, id string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, outsideTime)
	defer cancel()
	if ep.Scheme == tenant.SchemeSNS {
		return c.fromBucket(ctx, tenantID, id)
	}
	by := c.by[ep.Scheme]
	if by == nil {
		return nil, fetch.ErrGone // unreachable: no other source names content
	}
	key, err := c.secrets.Get(ctx, secret.Webhook(tenantID, APIKey(ep)))
	if errors.Is(err, secret.ErrNone) {
		// The provider comes again, so the key can still be set.
		return nil, fmt.Errorf("%w: set the secret %s", fetch.ErrRefused, secret.Webhook(tenantID, APIKey(ep)))
	}
	if err != nil {
		return nil, err
	}
	return by.Raw(ctx, key.Current, id)
}

// fromBucket reads a mail that SES put into our bucket under the tenant's own
// prefix. What lies elsewhere is not this tenant's to read, for the notice is
// its topic's word alone: the notice is recorded, and a person sees it.
func (c contents) fromBucket(ctx context.Context, tenantID, id string) ([]byte, error) {
	bucket, key, ok := strings.Cut(strings.TrimPrefix(id, sns.FetchPrefix), "/")
	if !ok || c.object == nil || bucket != c.bucket || !strings.HasPrefix(key, tenantID+"/") {
		return nil, fetch.ErrGone
	}
	raw, err := c.object(ctx, key)
	switch {
	case errors.Is(err, s3.ErrTooLarge):
		return nil, fetch.ErrTooLarge
	case errors.Is(err, blob.ErrMissing), err == nil && len(raw) == 0:
		return nil, fmt.Errorf("%w: the mail is not in the bucket", fetch.ErrUnavailable)
	}
	return raw, err
}
