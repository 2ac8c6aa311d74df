package hubspot

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"onefold/internal/crm"
)

// ErrSetup says that a property could not be read or made; the wrapping text
// has the outcome and reason words. Repeating is safe.
var ErrSetup = errors.New("hubspot: setup call failed")

const propertyGroup = "onefold"

type property struct {
	Name           string `json:"name"`
	Label          string `json:"label"`
	Description    string `json:"description,omitempty"`
	GroupName      string `json:"groupName"`
	Type           string `json:"type"`
	FieldType      string `json:"fieldType"`
	HasUniqueValue bool   `json:"hasUniqueValue"`
}

func required() map[string][]property {
	text := func(name, label, about string) property {
		return property{
			Name: name, Label: label, Description: about, GroupName: propertyGroup,
			Type: "string", FieldType: "text", HasUniqueValue: true,
		}
	}
	key := text(PropEventKey, "Onefold event key", "Set by Onefold; keeps one record for each enquiry.")
	return map[string][]property{
		contacts: {text(PropContactRef, "Onefold contact ID", "Set by Onefold; keeps one record for each contact.")},
		"notes":  {key},
		"tasks":  {key},
	}
}

// SetUp makes the property group and the properties this package
// needs where they are missing, for the deployment's setup and for doctor. It
// needs schema scopes that daily work does not. It may be repeated and may
// race with itself.
func (c *Client) SetUp(ctx context.Context) error {
	all := required()
	for _, kind := range []string{contacts, "notes", "tasks"} {
		if err := c.ensureGroup(ctx, kind); err != nil {
			return err
		}
		for _, p := range all[kind] {
			if err := c.ensureProperty(ctx, kind, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Client) ensureGroup(ctx context.Context, kind string) error {
	v := c.call(ctx, http.MethodGet, c.propertyPath(kind, "groups", propertyGroup), nil, nil, nil)
	if v.missing {
		in := map[string]any{"name": propertyGroup, "label": "Onefold", "displayOrder": -1}
		v = c.call(ctx, http.MethodPost, c.propertyPath(kind, "groups"), nil, in, nil)
	}
	if v.ok() || v.collision {
		return nil
	}
	return fmt.Errorf("ensure property group of %s: %w: %s %s", kind, ErrSetup, v.outcome, v.reason)
}

func (c *Client) ensureProperty(ctx context.Context, kind string, p property) error {
	has, v := c.readProperty(ctx, kind, p.Name)
	if v.missing {
		v = c.call(ctx, http.MethodPost, c.propertyPath(kind), nil, p, nil)
		if v.ok() || v.collision {
			// Read again in both cases: what counts is what HubSpot now has.
			has, v = c.readProperty(ctx, kind, p.Name)
		}
	}
	switch {
	case !v.ok():
		return fmt.Errorf("ensure property %s of %s: %w: %s %s", p.Name, kind, ErrSetup, v.outcome, v.reason)
	case !has.HasUniqueValue:
		return fmt.Errorf("ensure property %s of %s: %w", p.Name, kind, crm.ErrNotUnique) // which cannot be changed afterwards
	}
	return nil
}

func (c *Client) readProperty(ctx context.Context, kind, name string) (property, verdict) {
	var p property
	v := c.call(ctx, http.MethodGet, c.propertyPath(kind, name), nil, nil, &p)
	return p, v
}
