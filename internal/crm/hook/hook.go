package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
	"onefold/internal/webhook"
)

// KeyLife is how long a receiver remembers the IDs of messages.
const KeyLife = 7 * 24 * time.Hour

// Config is what New needs.
type Config struct {
	// Secret gives the account's secret for each message: a JSON document such as
	// {"url":"https://crm.example.com/onefold","secrets":["whsec_…"]}. With two
	// secrets a message has both signatures, the first secret's first.
	Secret func(context.Context) (string, error)
	// BaseURL replaces scheme and host of the url; "" leaves them. With it alone
	// the url may be on this machine.
	BaseURL string
	HTTP    *http.Client
	Now     func() time.Time // of the signature
}

// Client is the CRM at one receiver. It is safe for concurrent use.
type Client struct {
	cfg  Config
	base string
	http *http.Client
}

var _ crm.Vendor = (*Client)(nil)

// New checks the configuration; it makes no call.
func New(cfg Config) (*Client, error) {
	c := &Client{cfg: cfg, http: onecall.Client(cfg.HTTP)}
	if cfg.Secret == nil || cfg.Now == nil {
		return nil, errors.New("webhook CRM: no secret, or no clock")
	}
	if cfg.BaseURL != "" {
		var err error
		if c.base, err = onecall.Base(cfg.BaseURL); err != nil {
			return nil, fmt.Errorf("webhook CRM: %w", err)
		}
	}
	return c, nil
}

// Capabilities declares what docs/crm-webhook.md asks of a receiver.
func (c *Client) Capabilities() crm.Capabilities {
	return crm.Capabilities{
		Name: "webhook", Contacts: crm.ByIdempotencyKey, Notes: crm.ByIdempotencyKey, Tasks: crm.ByIdempotencyKey,
		InFlight: 2 * time.Minute, KeyLife: KeyLife, EditLost: crm.CannotLook,
		Calls:  crm.Calls{New: 1, Adopted: 1, Changed: 1, Note: 1, Task: 1},
		Secret: "`{\"url\":\"https://…\",\"secrets\":[\"whsec_…\"]}`, as [crm-webhook.md](crm-webhook.md) says",
		Facts: []crm.Fact{
			{Says: "each message is signed and has an ID that a repeat has too", Source: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, read 2026-12-01"},
			{Says: "the receiver does a message of one ID once, and answers a repeat as it did the first", Source: "[crm-webhook.md](crm-webhook.md), which the receiver keeps"},
			{Says: "no message takes effect later than two minutes after its sender gave up", Source: "[crm-webhook.md](crm-webhook.md), which the receiver keeps"},
		},
	}
}

// SetUp asks the receiver whether it takes messages; it makes nothing.
func (c *Client) SetUp(ctx context.Context) error {
	if r := c.Look(ctx); r.Outcome != crm.Done {
		return fmt.Errorf("webhook CRM: the receiver does not take a ping: %s %s", r.Outcome, r.Reason)
	}
	return nil
}

// account is what the secret says.
type account struct {
	URL     string   `json:"url"`
	Secrets []string `json:"secrets"`
}

// ErrAccount means that the secret is not what Config.Secret says. The text names
// the member, and no value.
var ErrAccount = errors.New("webhook CRM: the secret is a JSON document with url and secrets")

// Check reads a secret as each message does, for whoever sets it.
func Check(secret string) error { _, _, err := read(secret, ""); return err }

func read(secret, base string) (*url.URL, []webhook.Secret, error) {
	var a account
	d := json.NewDecoder(strings.NewReader(secret))
	d.DisallowUnknownFields()
	if d.Decode(&a) != nil || d.More() {
		return nil, nil, ErrAccount
	}
	u, err := url.Parse(a.URL)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return nil, nil, fmt.Errorf("%w: url is no address", ErrAccount)
	case base != "":
		root, err := url.Parse(base)
		if err != nil {
			return nil, nil, ErrAccount
		}
		u.Scheme, u.Host = root.Scheme, root.Host
	case u.Scheme != "https":
		return nil, nil, fmt.Errorf("%w: url is not https", ErrAccount)
	}
	if len(a.Secrets) < 1 || len(a.Secrets) > 2 {
		return nil, nil, fmt.Errorf("%w: secrets has one, or two while one is replaced", ErrAccount)
	}
	var secrets []webhook.Secret
	for _, text := range a.Secrets {
		s, err := webhook.ParseSecret(text)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: each of secrets is whsec_ and base64 of 24 to 64 bytes", ErrAccount)
		}
		secrets = append(secrets, s)
	}
	return u, secrets, nil
}

// send makes one message. Its result is Done for any 2xx.
func (c *Client) send(ctx context.Context, id string, m message) (onecall.Answer, crm.Result) {
	text, err := c.cfg.Secret(ctx)
	if err != nil || text == "" {
		return onecall.Answer{}, crm.Result{Outcome: crm.NotBegun, Reason: crm.ReasonNoToken, Account: true}
	}
	u, secrets, err := read(text, c.base)
	if err != nil {
		return onecall.Answer{}, crm.Result{Outcome: crm.Refused, Reason: crm.ReasonSetup, Account: true}
	}
	now := c.cfg.Now()
	m.Timestamp = now.UTC().Format(time.RFC3339)
	body, err := json.Marshal(m)
	if err != nil {
		return onecall.Answer{}, crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	req, err := http.NewRequest(http.MethodPost, u.String(), bytes.NewReader(body)) //nolint:noctx // onecall.Send gives it one
	if err != nil {
		return onecall.Answer{}, crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	var signatures []string
	for _, s := range secrets {
		signatures = append(signatures, webhook.Sign(s, id, now, body))
	}
	req.Header = http.Header{
		"Content-Type": {"application/json"}, "Webhook-Id": {id}, "Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {strings.Join(signatures, " ")},
	}
	answer, fault := onecall.Send(ctx, c.http, req)
	if fault.Outcome != "" {
		return answer, fault
	}
	return answer, judge(answer)
}
