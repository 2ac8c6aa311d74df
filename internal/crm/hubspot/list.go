package hubspot

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"onefold/internal/crm"
)

var _ crm.Lister = (*Client)(nil)

// pageSize is the most records that HubSpot lists in one call.
const pageSize = "100"

// optedOut is HubSpot's property "Unsubscribed from all email": read-only, "true"
// where it is set. A property that an account lacks is left out of the answer.
const optedOut = "hs_email_optout"

// List reads one page of contacts. The cursor is HubSpot's, "of the last
// successfully read resource"; what order that follows is not documented.
func (c *Client) List(ctx context.Context, cursor string) (crm.Page, crm.Result) {
	q := url.Values{"limit": {pageSize}, "archived": {"false"}, "properties": {contactProps + "," + optedOut}}
	if cursor != "" {
		q.Set("after", cursor)
	}
	var in struct {
		Results []record `json:"results"`
		Paging  struct {
			Next struct {
				After string `json:"after"`
			} `json:"next"`
		} `json:"paging"`
	}
	v := c.call(ctx, http.MethodGet, c.objectPath(contacts), q, nil, &in)
	switch {
	case v.missing: // the endpoint: wrong version or host
		v = verdict{outcome: crm.Refused, reason: crm.ReasonSetup}
	case v.ok() && (in.Results == nil || in.Paging.Next.After == cursor && cursor != ""):
		// No list, or one that goes round in a circle.
		v = verdict{outcome: crm.Unknown, reason: crm.ReasonNoAnswer}
	}
	if !v.ok() {
		return crm.Page{}, v.result()
	}
	page := crm.Page{Next: in.Paging.Next.After}
	for _, r := range in.Results {
		page.Records = append(page.Records, listed(r))
	}
	return page, v.result()
}

func listed(r record) crm.Record {
	out := crm.Record{ID: r.ID, Ref: r.prop(PropContactRef), Values: crm.Values{}, OptedOut: r.prop(optedOut) == "true"}
	for f, value := range values(crm.Contact{}, r) {
		if value != "" {
			out.Values[f] = value
		}
	}
	for a := range strings.SplitSeq(r.prop("hs_additional_emails"), ";") {
		if a = strings.TrimSpace(a); a != "" {
			out.Also = append(out.Also, a)
		}
	}
	return out
}
