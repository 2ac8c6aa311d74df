package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"onefold/internal/app"
	"onefold/internal/ingest"
	"onefold/internal/webhook"
)

// Sender posts deliveries to a running system as a provider would: signed anew
// for each attempt.
type Sender struct {
	URL     string
	Tenant  string
	Secrets map[string]webhook.Secret // by endpoint
	Now     func() time.Time
	Client  *http.Client
}

// Outgoing is one delivery to send.
type Outgoing struct {
	Endpoint     string
	ID           string // of a form; of mail it is made of the mail
	EnvelopeFrom string
	EnvelopeTo   string // "" of a form
	Body         []byte
}

// Send makes one attempt.
func (s Sender) Send(ctx context.Context, o Outgoing) (ingest.Response, error) {
	id := o.ID
	contentType := "application/json"
	if o.EnvelopeTo != "" {
		id, contentType = webhook.MailID(o.EnvelopeFrom, o.EnvelopeTo, o.Body), "message/rfc822"
	}
	now := s.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/"+s.Tenant+"/"+o.Endpoint, bytes.NewReader(o.Body))
	if err != nil {
		return ingest.Response{}, err
	}
	h := req.Header
	h.Set("Content-Type", contentType)
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", fmt.Sprint(now.Unix()))
	h.Set("webhook-signature", webhook.Sign(s.Secrets[o.Endpoint], id, now, o.Body))
	if o.EnvelopeTo != "" {
		h.Set(ingest.HeaderEnvelopeFrom, o.EnvelopeFrom)
		h.Set(ingest.HeaderEnvelopeTo, o.EnvelopeTo)
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return ingest.Response{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	var out ingest.Response
	err = json.NewDecoder(resp.Body).Decode(&out)
	out.Status = resp.StatusCode
	return out, err
}

// Sender makes a sender for this system.
func (s *System) Sender(ctx context.Context) (Sender, error) {
	out := Sender{URL: s.URL, Tenant: s.Tenant, Now: app.Clock, Client: &http.Client{Timeout: 30 * time.Second}, Secrets: map[string]webhook.Secret{}}
	policy, err := s.Policies.Current(ctx, s.Tenant)
	if err != nil {
		return out, err
	}
	for _, ep := range policy.Endpoints {
		if ep.Secret == "" {
			continue
		}
		if out.Secrets[ep.Name], err = webhook.ParseSecret(s.Secrets.Webhooks[s.Tenant+"/"+ep.Secret]); err != nil {
			return out, err
		}
	}
	return out, nil
}
