package bottlecrm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// fieldRef is the custom field of contacts and tasks that has Onefold's reference.
const fieldRef = "onefold_ref"

// Config is what New needs.
type Config struct {
	// BaseURL is the server's root. Plain http is accepted for loopback alone,
	// since the token travels with it.
	BaseURL string
	// Token gives a personal access token for each call; the organisation is the
	// token's. Its error is not shown.
	Token func(context.Context) (string, error)
	// Intake has people filed as leads, taken in by this lead webhook; without it
	// they are contacts.
	Intake *Intake
	// HTTPClient is used without its redirect policy: redirects are not followed.
	// http.DefaultTransport serves if it is nil.
	HTTPClient *http.Client
}

// Intake is a lead webhook of the kind "generic", which a person makes there after
// the custom field (SetUp makes it too) with the mapping from onefold_ref to
// custom_fields.onefold_ref. The key is shown once, when it is made.
type Intake struct{ ID, Key string }

// Client is the CRM of one organisation on one server. It is safe for concurrent
// use, as far as Capabilities goes: two calls with one reference at once can make
// two records.
type Client struct {
	base   string
	token  func(context.Context) (string, error)
	people people
	intake *Intake // of leads
	http   *http.Client
}

var _ crm.Vendor = (*Client)(nil)

// New checks the configuration; it makes no call.
func New(cfg Config) (*Client, error) {
	base, err := onecall.Base(cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("bottlecrm: %w", err)
	}
	if cfg.Token == nil {
		return nil, errors.New("bottlecrm: no token source")
	}
	c := &Client{base: base, token: cfg.Token, people: contacts(), http: onecall.Client(cfg.HTTPClient)}
	if cfg.Intake != nil {
		c.people, c.intake = leads(), cfg.Intake
	}
	return c, nil
}

// Capabilities declares what the package comment argues. A look reads the
// database that the write went to, so nothing lags. InFlight is an assumption:
// gunicorn's default worker is killed with its request after 30 s, and as much
// again is for what a proxy before it may hold; a worker with threads has no such
// bound. EditLost is from the beginning of the look to the last moment at which
// the write can take effect.
func (c *Client) Capabilities() crm.Capabilities {
	const inFlight = time.Minute
	return crm.Capabilities{
		Name: c.people.name, Contacts: c.people.repeat, Notes: crm.ByLooking, Tasks: crm.ByLooking,
		InFlight: inFlight, EditLost: 2*onecall.Timeout + inFlight,
	}
}

// Look asks for a contact that nobody is. Whether the token may also write
// cannot be read: no endpoint tells a token its scopes.
func (c *Client) Look(ctx context.Context) crm.Result {
	_, v := c.peopleWith(ctx, "cf_"+fieldRef, "onefold-look")
	return v.Result
}

// definition is one custom field of one kind of record.
type definition struct {
	Target string `json:"target_model"`
	Key    string `json:"key"`
	Label  string `json:"label"`
	Type   string `json:"field_type"`
	Active bool   `json:"is_active"`
}

func (c *Client) needed() []definition {
	return []definition{
		{c.people.target, fieldRef, "Onefold reference", "text", true},
		{"Task", fieldRef, "Onefold reference", "text", true},
	}
}

// SetUp makes the custom fields; the token has to be an administrator's. One that
// somebody switched off is an error: a person there switches it on.
func (c *Client) SetUp(ctx context.Context) error {
	for _, d := range c.needed() {
		has, v := c.hasField(ctx, d)
		if v.ok() && !has {
			v = c.call(ctx, http.MethodPost, "/api/custom-fields/", nil, d, new(definition))
		}
		if !v.ok() {
			return fmt.Errorf("bottlecrm: field %s of %s: %s (%s)", d.Key, d.Target, v.Outcome, v.Reason)
		}
	}
	return nil
}

// hasField reports whether the field exists and is on. The server drops a value
// of any other field without a word, so a record would lose its reference and be
// made again by each repeat: this is asked before each create.
func (c *Client) hasField(ctx context.Context, d definition) (bool, verdict) {
	var out struct {
		Definitions []definition `json:"definitions"`
	}
	q := url.Values{"target_model": {d.Target}, "active_only": {"true"}, "include_counts": {"false"}}
	v := c.call(ctx, http.MethodGet, "/api/custom-fields/", q, nil, &out).ofList()
	for _, has := range out.Definitions {
		if has.Key == d.Key && has.Type == d.Type {
			return true, v
		}
	}
	return false, v
}

// mayCreate reports whether a record of the kind would keep its reference.
func (c *Client) mayCreate(ctx context.Context, target string) verdict {
	for _, d := range c.needed() {
		if d.Target != target {
			continue
		}
		has, v := c.hasField(ctx, d)
		if v.ok() && !has {
			return because(crm.Refused, crm.ReasonSetup)
		}
		return v
	}
	return because(crm.Refused, crm.ReasonSetup) // unreachable: of people and tasks alone
}
