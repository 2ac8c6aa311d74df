package hubspot

import (
	"context"
	"net/http"
	"net/url"

	"onefold/internal/crm"
)

// record is one object as the API gives it. A property that is not set is
// null on the wire, hence the pointers.
type record struct {
	ID         string             `json:"id"`
	Properties map[string]*string `json:"properties"`
}

func (r record) prop(name string) string {
	if p := r.Properties[name]; p != nil {
		return *p
	}
	return ""
}

// read gets one record by ID, or by a unique property if idProperty is given.
// It is a direct read, not the search index.
func (c *Client) read(ctx context.Context, kind, value, idProperty, properties string) (record, verdict) {
	q := url.Values{"properties": {properties}}
	if idProperty != "" {
		q.Set("idProperty", idProperty)
	}
	var r record
	v := c.call(ctx, http.MethodGet, c.objectPath(kind, value), q, nil, &r)
	if v.ok() && r.ID == "" {
		return record{}, verdict{outcome: crm.Unknown, reason: crm.ReasonNoAnswer}
	}
	return r, v
}

// patch writes properties to the record with the ID. An answer that is no
// record proves nothing.
func (c *Client) patch(ctx context.Context, kind, id string, props map[string]string) verdict {
	in := map[string]any{"properties": props}
	return c.call(ctx, http.MethodPatch, c.objectPath(kind, id), nil, in, new(record))
}

type upsertInput struct {
	ID         string            `json:"id"`
	IDProperty string            `json:"idProperty"`
	TraceID    string            `json:"objectWriteTraceId"`
	Properties map[string]string `json:"properties"`
}

type upsertResult struct {
	Results []struct {
		record
		New bool `json:"new"`
	} `json:"results"`
	Errors []wireError `json:"errors"`
}

// upsert makes or updates the one record whose unique property has the value.
// A batch of one, so that an error cannot be another item's. The property is
// among the properties too: whether HubSpot fills it in from the input's id
// is not documented, and a record without it could be made twice.
func (c *Client) upsert(ctx context.Context, kind, idProperty, value string, props map[string]string) (id string, created bool, v verdict) {
	all := make(map[string]string, len(props)+1)
	for k, p := range props {
		all[k] = p
	}
	all[idProperty] = value
	in := map[string]any{"inputs": []upsertInput{{ID: value, IDProperty: idProperty, TraceID: value, Properties: all}}}
	var out upsertResult
	v = c.call(ctx, http.MethodPost, c.objectPath(kind, "batch", "upsert"), nil, in, &out)
	switch {
	case v.missing:
		// Not a record but the endpoint is missing: wrong version or host.
		return "", false, verdict{outcome: crm.Refused, reason: crm.ReasonSetup}
	case !v.ok():
		return "", false, v
	case len(out.Results) == 1 && len(out.Errors) == 0 && out.Results[0].ID != "":
		return out.Results[0].ID, out.Results[0].New, v
	case len(out.Results) == 0 && len(out.Errors) > 0:
		return "", false, judgeItem(out.Errors[0])
	default:
		return "", false, verdict{outcome: crm.Unknown, reason: crm.ReasonNoAnswer}
	}
}
