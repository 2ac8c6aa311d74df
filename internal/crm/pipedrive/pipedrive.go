package pipedrive

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// DefaultBaseURL is the root of the API.
const DefaultBaseURL = "https://api.pipedrive.com"

// The fields of persons that SetUp makes, by name: an account gives each a code
// of its own.
const (
	FieldRef     = "Onefold contact ID"
	FieldCompany = "Onefold company"
)

// Config is what New needs.
type Config struct {
	BaseURL    string // DefaultBaseURL if empty
	Token      func(context.Context) (string, error)
	HTTPClient *http.Client
}

// indexLag is assumed: others wait some seconds (see the package comment).
const indexLag = 10 * time.Minute

// Client is the CRM at one account. It is safe for concurrent use.
type Client struct {
	base  string
	token func(context.Context) (string, error)
	http  *http.Client

	mu    sync.Mutex
	known codes
}

var _ crm.Vendor = (*Client)(nil)

// New checks the configuration; it makes no call.
func New(cfg Config) (*Client, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = DefaultBaseURL
	}
	base, err := onecall.Base(cfg.BaseURL)
	if err == nil && cfg.Token == nil {
		err = errors.New("no token source")
	}
	if err != nil {
		return nil, fmt.Errorf("pipedrive: %w", err)
	}
	return &Client{base: base, token: cfg.Token, http: onecall.Client(cfg.HTTPClient)}, nil
}

// Capabilities declares what the package comment argues.
func (c *Client) Capabilities() crm.Capabilities {
	const (
		source = "https://developers.pipedrive.com/docs/api/v1 by the vendor's client github.com/pipedrive/client-nodejs at 97e5382f, read 2026-12-01"
		pages  = "https://pipedrive.readme.io/docs/"
	)
	return crm.Capabilities{
		Name: "pipedrive", Contacts: crm.ByLooking, Notes: crm.ByLooking, Tasks: crm.ByLooking,
		IndexLag: indexLag, InFlight: 2 * time.Minute, EditLost: 2 * onecall.Timeout,
		Calls:  crm.Calls{New: 3, Adopted: 4, Changed: 2, Unchanged: 1, Note: 3, Task: 3},
		Secret: "the API token of a user who sees all persons; `onefold crm setup` once with that of an administrator, who may make fields",
		Facts: []crm.Fact{
			{Says: "no field of a person, note or activity can be unique, and none is made by a key of the caller's", Source: source},
			{Says: "`persons/search` finds a person by a custom text field or an address, exactly but for case", Source: source},
			{Says: "notes and activities are listed by person; persons by pages of 500 in the order of their IDs, without a word on who wants no mail", Source: source},
			{Says: "a list of addresses or numbers is written whole, so what somebody adds between read and write is lost", Source: source},
			{Says: "custom fields are of persons, organizations, deals and products, not of notes and activities, which carry the reference in a last line", Source: pages + "core-api-concepts-custom-fields, read 2026-12-01"},
			{Says: "an enquiry of somebody new costs 92 of the account's tokens a day (contact 45, note 31, task 16), of which there are 30,000 a seat in the smallest plan; then 429 until the next", Source: pages + "core-api-concepts-rate-limiting and the x-token-cost of the OpenAPI documents, read 2026-12-01"},
			{Says: "a deleted person can be read for 30 days and says when it was deleted; of a merge, which deletes one of the two, the search is given time to know", Source: pages + "pipedrive-api-v2-migration-guide and webhooks-v2-migration-guide, read 2026-12-01"},
			{Says: "the search shows a write after ten minutes at the latest; the lists show it at once", Source: ""},
			{Says: "no request takes effect later than two minutes after its caller gave up", Source: ""},
		},
	}
}

// codes are the account's own names of our fields.
type codes struct{ ref, company string }

type field struct {
	Name   string `json:"field_name"`
	Code   string `json:"field_code"`
	Custom bool   `json:"is_custom_field"`
}

// fields finds the codes, and remembers them once all are there.
func (c *Client) fields(ctx context.Context) (codes, map[string]int, verdict) {
	c.mu.Lock()
	known := c.known
	c.mu.Unlock()
	if known.ref != "" && known.company != "" {
		return known, map[string]int{FieldRef: 1, FieldCompany: 1}, done()
	}
	count := map[string]int{}
	for cursor := ""; ; {
		page, more, v := ask[[]field](ctx, c, http.MethodGet, "/api/v2/personFields", url.Values{"limit": {"500"}, "cursor": {cursor}}, nil)
		if !v.ok() {
			return codes{}, nil, v
		}
		for _, f := range page {
			if !f.Custom {
				continue
			}
			count[f.Name]++
			switch f.Name {
			case FieldRef:
				known.ref = f.Code
			case FieldCompany:
				known.company = f.Code
			}
		}
		if cursor = more.Next; cursor == "" {
			break
		}
	}
	if count[FieldRef] != 1 || count[FieldCompany] != 1 {
		return codes{}, count, because(crm.Refused, crm.ReasonSetup)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = known
	return known, count, done()
}

// current tells whether the codes are still the account's. They are not after a
// field was made anew, or when the token is now one of another account.
func (c *Client) current(ctx context.Context, at codes) bool {
	c.mu.Lock()
	c.known = codes{}
	c.mu.Unlock()
	now, _, v := c.fields(ctx)
	return v.ok() && now == at
}

// ErrSetup says that a field could not be read or made; the wrapping text has the
// outcome and reason words. Repeating is safe.
var ErrSetup = errors.New("pipedrive: setup call failed")

// SetUp makes the fields that are missing. Two of one name, as of two that set up
// at once, are crm.ErrNotUnique.
func (c *Client) SetUp(ctx context.Context) error {
	_, count, v := c.fields(ctx)
	if count == nil {
		return fmt.Errorf("read the fields of persons: %w: %s %s", ErrSetup, v.Outcome, v.Reason)
	}
	for _, name := range []string{FieldRef, FieldCompany} {
		switch {
		case count[name] > 1:
			return fmt.Errorf("%d fields of persons are named %q; in Pipedrive's settings, under data fields, delete all but the one that holds values: %w", count[name], name, crm.ErrNotUnique)
		case count[name] == 0: // without an answer it may be there: running this again looks first
			if v := c.call(ctx, http.MethodPost, "/api/v2/personFields", nil, map[string]string{"field_name": name, "field_type": "varchar"}, nil); !v.ok() {
				return fmt.Errorf("make the field %q of persons: %w: %s %s", name, ErrSetup, v.Outcome, v.Reason)
			}
		}
	}
	if _, _, v := c.fields(ctx); !v.ok() {
		return fmt.Errorf("read the fields of persons again: %w: %s %s", ErrSetup, v.Outcome, v.Reason)
	}
	return nil
}
