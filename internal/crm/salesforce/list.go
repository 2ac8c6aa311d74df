package salesforce

import (
	"context"
	"maps"
	"strconv"

	"onefold/internal/crm"
)

var _ crm.Lister = (*Client)(nil)

// fieldOptedOut is Salesforce's own field of who wants no mail.
const fieldOptedOut = "HasOptedOutOfEmail"

// pageSize is how many contacts a page of the list has.
const pageSize = 200

// List reads one page of contacts in the order of their IDs, each page from the last
// ID of the one before: a contact keeps its place whatever becomes of others.
func (c *Client) List(ctx context.Context, cursor string) (crm.Page, crm.Result) {
	where := ""
	if cursor != "" {
		where = " WHERE Id > " + quoted(cursor)
	}
	rows, v := c.query(ctx, "SELECT "+fields+","+fieldOptedOut+" FROM Contact"+where+" ORDER BY Id LIMIT "+strconv.Itoa(pageSize))
	if !v.ok() {
		return crm.Page{}, v.Result
	}
	page := crm.Page{}
	for _, r := range rows {
		values := r.values(crm.Contact{})
		maps.DeleteFunc(values, func(_ crm.Field, value string) bool { return value == "" })
		page.Records = append(page.Records, crm.Record{ID: r.ID, Ref: r.Ref, Values: values, OptedOut: r.OptedOut})
	}
	if len(rows) == pageSize {
		page.Next = rows[pageSize-1].ID
	}
	return page, v.Result
}
