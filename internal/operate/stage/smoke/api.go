package smoke

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"onefold/internal/ingest"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/inbound"
	"onefold/internal/secret"
	"onefold/internal/webhook"
)

// simulator is a mailbox of SES's own: mail to it is delivered to nobody and
// harms no reputation, in the sandbox too (SES Developer Guide, "Sending test
// emails in Amazon SES with the simulator", read 2026-11).
const simulator = "success+%s@simulator.amazonses.com"

// fetch asks a page, following no redirect.
func (l *look) fetch(req *http.Request) (int, []byte, error) {
	client := *l.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, body, err
}

func (l *look) get(ctx context.Context, address string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	status, _, err := l.fetch(req)
	return status, err
}

// domain asks the API's own domain for something that is not there: any answer
// of ours came over TLS through the domain.
func domain(ctx context.Context, l *look) (Outcome, string) {
	u, err := url.Parse(l.outputs["ApiUrl"])
	switch {
	case l.outputs["ApiUrl"] == "" || err != nil:
		return notChecked("the stack tells of no URL")
	case l.noAWS || strings.Contains(u.Host, ".execute-api."):
		return notChecked("the API has no domain of its own: deploy with domain")
	}
	status, err := l.get(ctx, u.String()+"/optout/none")
	if err != nil {
		return failed("%s does not answer: %s", u.Host, said(err))
	}
	if status >= 500 {
		return failed("%s answers %d", u.Host, status)
	}
	return verified("%s answers", u.Host)
}

// console asks the console for its first page, and the issuer for its document
// (OpenID Connect Discovery 1.0, section 4). The page is asked for with its
// slash: without one any function sends on to it, sign-in or not.
func console(ctx context.Context, l *look) (Outcome, string) {
	issuer, api := l.outputs["ConsoleIssuer"], l.outputs["ApiUrl"]
	if issuer == "" || api == "" {
		return notChecked("the stack tells of no issuer")
	}
	if l.noAWS {
		return notChecked("the emulator's user pool has no sign-in page")
	}
	status, err := l.get(ctx, issuer+"/.well-known/openid-configuration")
	if err != nil || status != http.StatusOK {
		return failed("the issuer answers %d, %v", status, err)
	}
	status, err = l.get(ctx, api+"/console/")
	if err != nil || status != http.StatusSeeOther {
		return failed("the console answers %d, %v; it should send to the sign-in page", status, err)
	}
	return verified("the console sends to the sign-in page, and the issuer answers")
}

// webhookKey is the endpoint's current secret.
func webhookKey(ctx context.Context, l *look, tenantID, endpoint string) (webhook.Secret, error) {
	policy, err := l.opened.Policies.Current(ctx, tenantID)
	if err != nil {
		return webhook.Secret{}, err
	}
	ep, ok := policy.Endpoint(endpoint)
	if !ok || ep.Content != tenant.ContentForm || ep.Scheme != tenant.SchemeStandardWebhooks {
		return webhook.Secret{}, errors.New("it is no endpoint of content form and scheme standard-webhooks")
	}
	kept, err := l.opened.Secrets.Get(ctx, secret.Webhook(tenantID, ep.Secret))
	if err != nil {
		return webhook.Secret{}, err
	}
	return webhook.ParseSecret(kept.Current)
}

// webhookRoundTrip sends one delivery wrongly signed, rightly, and again, until
// the event is decided: each answer to a repetition tells the event's state.
func webhookRoundTrip(ctx context.Context, l *look) (Outcome, string) {
	tenantID, endpoint, ok := strings.Cut(l.Webhook, "/")
	switch {
	case l.Webhook == "":
		return notChecked("name an endpoint of content form: -webhook TENANT/ENDPOINT. It makes a contact, and whatever the policy says follows")
	case !ok:
		return notChecked("-webhook takes TENANT/ENDPOINT")
	case l.outputs["ApiUrl"] == "":
		return notChecked("the stack tells of no URL")
	}
	key, err := webhookKey(ctx, l, tenantID, endpoint)
	if err != nil {
		return notChecked("endpoint %s: %s", l.Webhook, said(err))
	}
	began := l.cloud.Now()
	d := delivery{
		url: l.outputs["ApiUrl"] + "/v1/" + tenantID + "/" + endpoint, id: fmt.Sprintf("smoke_%d", began.UnixNano()),
		body: fmt.Appendf(nil, `{"type":"enquiry","data":{"email":%q,"name":"Smoke Test","message":"This is the smoke test of a deployment."}}`,
			fmt.Sprintf(simulator, fmt.Sprint(began.UnixNano()))),
	}
	wrong, err := d.send(ctx, l, webhook.Secret{})
	if err != nil {
		return failed("the API does not answer: %s", said(err))
	}
	if wrong.Status != http.StatusUnauthorized {
		return failed("a delivery without a valid signature is answered %d", wrong.Status)
	}
	first, err := d.send(ctx, l, key)
	if err != nil || first.Answer != inbound.AnswerRecorded {
		return failed("a signed delivery is answered %d %s, %v", first.Status, first.Error, err)
	}
	for {
		again, err := d.send(ctx, l, key)
		took := l.cloud.Now().Sub(began).Round(time.Second)
		switch {
		case err != nil || again.Answer != inbound.AnswerDuplicate:
			return failed("its repetition is answered %d %s, %v", again.Status, again.Answer, err)
		case again.Event != first.Event:
			return failed("its repetition is another event")
		case again.State == inbound.Decided || again.State == inbound.InReview:
			return verified("recorded, refused, duplicate; %s within %s: `onefold explain -stage %s -event %s -tenant %s`", again.State, took, l.cloud.Stage, again.Event, tenantID)
		case took > l.Wait:
			return failed("recorded and duplicate, but still %s after %s", again.State, took)
		}
		l.Pause(ctx, 2*time.Second)
		if ctx.Err() != nil {
			return notChecked("interrupted")
		}
	}
}

// delivery is what is sent, as a provider would.
type delivery struct {
	url, id string
	body    []byte
}

// send signs and sends it once; with no key the signature is none of ours.
func (d delivery) send(ctx context.Context, l *look, key webhook.Secret) (ingest.Response, error) {
	var out ingest.Response
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, bytes.NewReader(d.body))
	if err != nil {
		return out, err
	}
	now := l.cloud.Now()
	signature := "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	if !key.IsZero() {
		signature = webhook.Sign(key, d.id, now, d.body)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("webhook-id", d.id)
	req.Header.Set("webhook-timestamp", fmt.Sprint(now.Unix()))
	req.Header.Set("webhook-signature", signature)
	status, body, err := l.fetch(req)
	if err != nil {
		return out, err
	}
	_ = json.Unmarshal(body, &out) // what is not ours has no answer
	out.Status = status
	return out, nil
}
