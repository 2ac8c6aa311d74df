package hubspot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// Defaults of Config.
const (
	DefaultBaseURL = "https://api.hubapi.com"
	DefaultVersion = "2026-03"
)

// The properties this package writes besides HubSpot's own.
const (
	PropContactRef = "onefold_contact_id" // contacts, unique
	PropEventKey   = "onefold_event_key"  // notes and tasks, unique
)

// Config is what New needs.
type Config struct {
	// BaseURL is the API's root, DefaultBaseURL if empty. Plain http is
	// accepted for a loopback address only, as the token travels with it.
	BaseURL string
	// Token gives the access token for each call. Its error is not shown.
	Token func(context.Context) (string, error)
	// HTTPClient is used without its redirect policy: redirects are not
	// followed. http.DefaultTransport serves if it is nil.
	HTTPClient *http.Client
	// Version is the dated API version in paths, DefaultVersion if empty.
	Version string
}

// Client is the CRM at one HubSpot account. It is safe for concurrent use. It
// makes each call at most once; net/http may repeat a read whose reused
// connection broke, never a write of which anything was sent.
type Client struct {
	base    string
	version string
	token   func(context.Context) (string, error)
	http    *http.Client
}

var _ crm.Vendor = (*Client)(nil)

var versionForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}$`)

// New checks the configuration; it makes no call.
func New(cfg Config) (*Client, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = DefaultBaseURL
	}
	if cfg.Version == "" {
		cfg.Version = DefaultVersion
	}
	if cfg.Token == nil {
		return nil, errors.New("hubspot: no token source")
	}
	if !versionForm.MatchString(cfg.Version) {
		return nil, fmt.Errorf("hubspot: version %q is not of the form 2026-03", cfg.Version)
	}
	base, err := onecall.Base(cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("hubspot: %w", err)
	}
	return &Client{base: base, version: cfg.Version, token: cfg.Token, http: onecall.Client(cfg.HTTPClient)}, nil
}

// Capabilities declares what the package comment argues. IndexLag and InFlight
// are assumptions on the safe side.
func (c *Client) Capabilities() crm.Capabilities {
	return crm.Capabilities{
		Name:     "hubspot",
		Contacts: crm.ByReference,
		Notes:    crm.ByReference,
		Tasks:    crm.ByReference,
		IndexLag: 5 * time.Minute,
		InFlight: 2 * time.Minute,
		EditLost: onecall.Timeout,
		Calls:    crm.Calls{New: 2, Adopted: 4, Changed: 2, Unchanged: 1, Note: 3, Task: 3},
		Secret:   "the access token of a private app, with the scopes to read and write contacts; `onefold crm setup` once with a token that may write schemas too",
		Facts: []crm.Fact{
			{Says: "a custom property of contacts, notes and tasks can be unique, and `batch/upsert` by it makes a record or changes it", Source: "https://developers.hubspot.com/docs/api-reference/latest/crm/objects/contacts/batch/upsert-contacts, read 2026-11-29"},
			{Says: "a batch has at most 100 inputs and answers each; Onefold sends one at a time, since each is an operation of its own", Source: "https://developers.hubspot.com/docs/api-reference/latest/crm/objects/contacts/guide, read 2026-11-29"},
			{Says: "an upsert by `email` cannot leave fields out, so the reference is used", Source: "https://developers.hubspot.com/docs/api-reference/latest/crm/objects/contacts/guide, read 2026-11-29"},
			{Says: "a record is read by its reference or address directly, not by the search, whose index lags", Source: "https://developers.hubspot.com/docs/api-reference/latest/crm/objects/contacts/guide, read 2026-11-29"},
			{Says: "contacts are listed by pages, without archived ones; a property that an account lacks is left out", Source: "https://developers.hubspot.com/docs/api-reference/latest/crm/objects/companies/get-companies, read 2026-12-01"},
			{Says: "a page has at most 100 contacts, and `hs_email_optout` is \"true\" of who has opted out of all mail", Source: ""},
			{Says: "there is no conditional write, so an edit between read and write is lost", Source: ""},
			{Says: "no request takes effect later than two minutes after its caller gave up", Source: ""},
		},
	}
}
