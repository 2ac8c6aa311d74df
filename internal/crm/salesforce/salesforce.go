package salesforce

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// The custom fields.
const (
	FieldRef     = "Onefold_Contact_ID__c" // of contacts: text, external ID, unique
	FieldCompany = "Onefold_Company__c"    // of contacts: text
	FieldEvent   = "Onefold_Event_Key__c"  // of tasks: text, external ID, unique
)

// version of the API: Spring '26.
const version = "/services/data/v66.0"

// Config is what New needs.
type Config struct {
	// Secret gives the account's secret; Capabilities says its form.
	Secret func(context.Context) (string, error)
	// BaseURL replaces the login URL and the instance's; "" leaves them.
	BaseURL    string
	HTTPClient *http.Client
	Now        func() time.Time
}

// Client is the CRM at one account. It is safe for concurrent use.
type Client struct {
	cfg  Config
	base string
	http *http.Client

	door    chan struct{} // who holds it may use session
	session session
}

var _ crm.Vendor = (*Client)(nil)

// New checks the configuration; it makes no call.
func New(cfg Config) (*Client, error) {
	if cfg.Secret == nil || cfg.Now == nil {
		return nil, errors.New("salesforce: no secret or no clock")
	}
	c := &Client{cfg: cfg, http: onecall.Client(cfg.HTTPClient), door: make(chan struct{}, 1)}
	if cfg.BaseURL != "" {
		var err error
		if c.base, err = onecall.Base(cfg.BaseURL); err != nil {
			return nil, fmt.Errorf("salesforce: %w", err)
		}
	}
	return c, nil
}

// Capabilities declares what the package comment argues.
func (c *Client) Capabilities() crm.Capabilities {
	const docs = "https://developer.salesforce.com/docs/"
	const guide = docs + "platform/api-rest/guide/"
	return crm.Capabilities{
		Name: "salesforce", Contacts: crm.ByReference, Notes: crm.ByReference, Tasks: crm.ByReference,
		InFlight: 10 * time.Minute, EditLost: time.Second,
		Calls: crm.Calls{New: 2, Adopted: 2, Changed: 2, Unchanged: 1, Note: 2, Task: 2},
		Secret: "`{\"login_url\":\"https://login.salesforce.com\",\"client_id\":\"…\",\"username\":\"…\",\"private_key\":\"-----BEGIN …\",\"account_id\":\"001…\"}`: " +
			"an external client app with the JWT bearer flow, whose certificate is that of the key, and a user it is approved for, who may view all contacts; " +
			"`account_id`, which may be left out, is the account of contacts that are made",
		Facts: []crm.Fact{
			{Says: "a PATCH by an external ID makes the one record or changes it; several matches are answered 300, and nothing is written", Source: guide + "dome-upsert.html, read 2026-12-01"},
			{Says: "a unique external ID prevents duplicates; addresses are not unique", Source: guide + "resources-sobject-upsert-patch.html, read 2026-12-01"},
			{Says: "a PATCH with If-Unmodified-Since is refused with 412 if the record was changed since, counted in seconds", Source: guide + "intro-rest-conditional-requests.html, read 2026-12-01"},
			{Says: "a duplicate rule that alerts or blocks refuses a write (DUPLICATES_DETECTED) unless a header allows it, which Onefold never sends: a person decides", Source: guide + "headers-duplicaterules.html, read 2026-12-01"},
			{Says: "a contact without an account is seen by its owner and by who may view all contacts, and nobody else", Source: "https://help.salesforce.com/s/articleView?id=000384762, read 2026-12-01"},
			{Says: "a collection of up to 200 records is upserted in one request with a result for each; Onefold sends one at a time, since each is an operation of its own", Source: docs + "atlas.en-us.264.0.api_rest.meta/api_rest/resources_composite_sobjects_collections_upsert.htm, read 2026-12-01"},
			{Says: "no request takes effect later than ten minutes after its caller gave up, the longest that one may run", Source: ""},
		},
	}
}
