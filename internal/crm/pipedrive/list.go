package pipedrive

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"onefold/internal/crm"
)

var _ crm.Lister = (*Client)(nil)

// List reads one page of persons in the order of their IDs, which is what
// Pipedrive's cursor goes by. The first page of a process asks for the fields
// too. Who wants no mail is not told: an account without the vendor's product for
// campaigns has no member for it.
func (c *Client) List(ctx context.Context, cursor string) (crm.Page, crm.Result) {
	at, _, v := c.fields(ctx)
	if !v.ok() {
		return crm.Page{}, v.Result
	}
	in, more, v := ask[[]person](ctx, c, http.MethodGet, "/api/v2/persons", url.Values{"limit": {"500"}, "sort_by": {"id"}, "cursor": {cursor}}, nil)
	switch {
	case v.missing: // the endpoint
		v = because(crm.Refused, crm.ReasonSetup)
	case v.ok() && (in == nil || more.Next == cursor && cursor != ""):
		v = because(crm.Unknown, crm.ReasonNoAnswer) // no list, or one that goes round in a circle
	}
	if !v.ok() {
		return crm.Page{}, v.Result
	}
	page := crm.Page{Next: more.Next}
	for _, p := range in {
		if !p.Deleted {
			page.Records = append(page.Records, p.record(at))
		}
	}
	return page, v.Result
}

func (p person) record(at codes) crm.Record {
	r := crm.Record{ID: strconv.FormatInt(p.ID, 10), Ref: p.text(at.ref), Values: values(crm.Contact{}, p, at)}
	for f, value := range r.Values {
		if value == "" {
			delete(r.Values, f)
		}
	}
	for _, e := range p.Emails {
		if e.Value != "" && !crm.Same(crm.FieldEmail, e.Value, r.Values[crm.FieldEmail]) {
			r.Also = append(r.Also, e.Value)
		}
	}
	return r
}
