package salesforce

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
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
	// Secret gives the account's secret; the package comment says its form.
	Secret func(context.Context) (string, error)
	// BaseURL replaces the login URL and the instance's; "" leaves them.
	BaseURL    string
	HTTPClient *http.Client
}

// Client is the CRM at one account. It is safe for concurrent use.
type Client struct {
	cfg  Config
	base string
	http *http.Client

	mu      sync.Mutex
	session session // the zero session is none
}

var _ crm.Vendor = (*Client)(nil)

// New checks the configuration; it makes no call.
func New(cfg Config) (*Client, error) {
	if cfg.Secret == nil {
		return nil, errors.New("salesforce: no secret")
	}
	c := &Client{cfg: cfg, http: onecall.Client(cfg.HTTPClient)}
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
	const guide = "https://developer.salesforce.com/docs/platform/api-rest/guide/"
	return crm.Capabilities{
		Name: "salesforce", Contacts: crm.ByReference, Notes: crm.ByReference, Tasks: crm.ByReference,
		InFlight: 10 * time.Minute, EditLost: time.Second,
		Calls:  crm.Calls{New: 3, Adopted: 4, Changed: 2, Unchanged: 1, Note: 2, Task: 2},
		Secret: "`{\"login_url\":\"https://login.salesforce.com\",\"client_id\":\"…\",\"username\":\"…\",\"private_key\":\"-----BEGIN …\"}`: an external client app with the JWT bearer flow, whose certificate is that of the key, and a user it is approved for",
		Facts: []crm.Fact{
			{Says: "a PATCH by an external ID makes the one record or changes it; several matches are answered 300, and nothing is written", Source: guide + "dome-upsert.html, read 2026-12-01"},
			{Says: "a unique external ID prevents duplicates", Source: guide + "resources-sobject-upsert-patch.html, read 2026-12-01"},
			{Says: "a PATCH with If-Unmodified-Since is refused with 412 if the record was changed since, counted in seconds", Source: guide + "intro-rest-conditional-requests.html, read 2026-12-01"},
			{Says: "a collection of up to 200 records is upserted in one request with a result for each; Onefold sends one at a time, since each is an operation of its own", Source: "https://developer.salesforce.com/docs/atlas.en-us.264.0.api_rest.meta/api_rest/resources_composite_sobjects_collections_upsert.htm, read 2026-12-01"},
			{Says: "no request takes effect later than ten minutes after its caller gave up, the longest that one may run", Source: ""},
		},
	}
}

// ErrSetup says that a field is not there, or not seen; the wrapping text says
// what an administrator does. Repeating is safe.
var ErrSetup = errors.New("salesforce: a field is missing")

type customField struct {
	object, full string // as described, and as the Tooling API names it
	name, label  string
	unique       bool
}

func customFields() []customField {
	return []customField{
		{"Contact", "Contact." + FieldRef, FieldRef, "Onefold Contact ID", true},
		{"Contact", "Contact." + FieldCompany, FieldCompany, "Onefold Company", false},
		// Fields of tasks are those of activities.
		{"Task", "Activity." + FieldEvent, FieldEvent, "Onefold Event Key", true},
	}
}

// SetUp makes the fields that are missing. A field that is made and still not
// seen lacks field-level security for the user.
func (c *Client) SetUp(ctx context.Context) error {
	for _, f := range customFields() {
		has, v := c.describe(ctx, f)
		if v.ok() && has == nil {
			meta := map[string]any{"label": f.label, "type": "Text", "length": 255, "externalId": f.unique, "unique": f.unique, "caseSensitive": f.unique}
			if v = c.call(ctx, http.MethodPost, version+"/tooling/sobjects/CustomField", nil, map[string]any{"FullName": f.full, "Metadata": meta}, nil); !v.ok() {
				return fmt.Errorf("%w: make %s: %s %s: an administrator makes a text field of 255 characters%s", ErrSetup, f.full, v.Outcome, v.Reason,
					map[bool]string{true: ", external ID, unique, case sensitive"}[f.unique])
			}
			has, v = c.describe(ctx, f)
		}
		switch {
		case !v.ok():
			return fmt.Errorf("read the fields of %s: %w: %s %s", f.object, ErrSetup, v.Outcome, v.Reason)
		case has == nil:
			return fmt.Errorf("%w: %s is made and not seen: give the user its field-level security", ErrSetup, f.full)
		case f.unique && !(has.External && has.Unique):
			return fmt.Errorf("the field %s: %w", f.full, crm.ErrNotUnique)
		}
	}
	return nil
}

type described struct {
	Name     string `json:"name"`
	External bool   `json:"externalId"`
	Unique   bool   `json:"unique"`
}

func (c *Client) describe(ctx context.Context, f customField) (*described, verdict) {
	var out struct {
		Fields []described `json:"fields"`
	}
	v := c.call(ctx, http.MethodGet, version+"/sobjects/"+f.object+"/describe", nil, nil, &out)
	n := slices.IndexFunc(out.Fields, func(d described) bool { return d.Name == f.name })
	if !v.ok() || n < 0 {
		return nil, v
	}
	return &out.Fields[n], v
}
