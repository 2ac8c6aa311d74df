package salesforce

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"onefold/internal/crm"
)

// ErrSetup says that the account is not set up; the wrapping text says what an
// administrator does. Repeating is safe.
var ErrSetup = errors.New("salesforce: the account is not set up")

type customField struct {
	object, full string // as described, and as the Tooling API names it
	name, label  string // without a label it is Salesforce's own, and read alone
	unique       bool
}

func customFields() []customField {
	return []customField{
		{"Contact", "Contact." + FieldRef, FieldRef, "Onefold Contact ID", true},
		{"Contact", "Contact." + FieldCompany, FieldCompany, "Onefold Company", false},
		// Fields of tasks are those of activities.
		{"Task", "Activity." + FieldEvent, FieldEvent, "Onefold Event Key", true},
		{"Contact", "Contact." + fieldOptedOut, fieldOptedOut, "", false},
	}
}

// SetUp makes the fields that are missing, and says of all of them together what is
// left to an administrator.
func (c *Client) SetUp(ctx context.Context) error {
	secret, err := c.cfg.Secret(ctx)
	if err != nil {
		return fmt.Errorf("salesforce: read the secret: %w", err)
	}
	if _, err := readSecret(secret); err != nil {
		return err
	}
	var left []error
	for _, f := range customFields() {
		has, v := c.describe(ctx, f)
		if v.ok() && has == nil && f.label != "" {
			meta := map[string]any{"label": f.label, "type": "Text", "length": 255, "externalId": f.unique, "unique": f.unique, "caseSensitive": f.unique}
			if v := c.call(ctx, http.MethodPost, version+"/tooling/sobjects/CustomField", nil, map[string]any{"FullName": f.full, "Metadata": meta}, nil); !v.ok() {
				left = append(left, fmt.Errorf("%w: %s could not be made (%s %s): make a text field of 255 characters%s, or let the user see the one there is",
					ErrSetup, f.full, v.Outcome, v.Reason, map[bool]string{true: ", external ID, unique, case sensitive"}[f.unique]))
				continue
			}
			has, v = c.describe(ctx, f)
		}
		switch {
		case !v.ok():
			return fmt.Errorf("%w: read the fields of %s: %s %s", ErrSetup, f.object, v.Outcome, v.Reason)
		case has == nil || f.label != "" && !(has.Createable && has.Updateable):
			left = append(left, fmt.Errorf("%w: %s is there: let the user see%s it (field-level security)", ErrSetup, f.full, map[bool]string{true: " and edit"}[f.label != ""]))
		case f.unique && !(has.External && has.Unique):
			left = append(left, fmt.Errorf("the field %s: %w", f.full, crm.ErrNotUnique))
		}
	}
	return errors.Join(left...)
}

type described struct {
	Name       string `json:"name"`
	External   bool   `json:"externalId"`
	Unique     bool   `json:"unique"`
	Createable bool   `json:"createable"`
	Updateable bool   `json:"updateable"`
}

// describe finds a field among those that the user sees.
func (c *Client) describe(ctx context.Context, f customField) (*described, verdict) {
	var out struct {
		Fields []described `json:"fields"`
	}
	v := c.call(ctx, http.MethodGet, object(f.object, "describe"), nil, nil, &out)
	n := slices.IndexFunc(out.Fields, func(d described) bool { return d.Name == f.name })
	if !v.ok() || n < 0 {
		return nil, v
	}
	return &out.Fields[n], v
}
