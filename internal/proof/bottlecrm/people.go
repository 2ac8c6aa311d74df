package bottlecrm

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"onefold/internal/crm"
)

// people is what a contact of Onefold's is there: the server keeps contacts and
// leads alike, by other names.
type people struct {
	name    string // the adapter's
	repeat  crm.Repeat
	target  string // of custom fields
	path    string
	link    string // the parameter that names one in other requests
	object  string // where an answer has one record
	company string
}

func contacts() people {
	return people{"bottlecrm", crm.ByLooking, "Contact", "/api/contacts/", "contact", "contact_obj", "organization"}
}

func leads() people {
	return people{"bottlecrm-leads", crm.ByReference, "Lead", "/api/leads/", "lead", "lead_obj", "company_name"}
}

// withID reads one record.
func (c *Client) withID(ctx context.Context, id string) (person, verdict) {
	var out map[string]json.RawMessage
	v := c.call(ctx, http.MethodGet, c.people.path+url.PathEscape(id)+"/", nil, nil, &out)
	var r person
	if v.ok() && (json.Unmarshal(out[c.people.object], &r) != nil || r.ID == "") {
		v = because(crm.Unknown, crm.ReasonNoAnswer)
	}
	return r, v
}

// Pages of a list: as many as a page holds, which are 4 MB of timeline at most, and
// as many as are read. More than that is a Conflict, since the record looked for
// may be among the rest.
const (
	pageSize = 100
	pages    = 20
)

// listing is a page of a list of people. Leads come in two lists, of which each
// has its own count; those that were made contacts of there are in neither.
type listing struct {
	Count   *int     `json:"count"`
	Results []person `json:"results"`
	Open    *struct {
		Count int      `json:"leads_count"`
		Leads []person `json:"open_leads"`
	} `json:"open_leads"`
	Closed *struct {
		Count int      `json:"leads_count"`
		Leads []person `json:"close_leads"`
	} `json:"close_leads"`
}

// all is what a page has, and how many there are in the longest of its lists.
func (l listing) all() (found []person, count int, whole bool) {
	if l.Open != nil && l.Closed != nil {
		return append(l.Open.Leads, l.Closed.Leads...), max(l.Open.Count, l.Closed.Count), true
	}
	if l.Count != nil {
		return l.Results, *l.Count, true
	}
	return nil, 0, false
}

func (c *Client) peopleWith(ctx context.Context, filter, value string) ([]person, verdict) {
	var all []person
	for page := range pages {
		var out listing
		q := url.Values{filter: {value}, "limit": {strconv.Itoa(pageSize)}, "offset": {strconv.Itoa(page * pageSize)}}
		v := c.call(ctx, http.MethodGet, c.people.path, q, nil, &out).ofList()
		if !v.ok() {
			return nil, v
		}
		found, count, whole := out.all()
		if !whole {
			return nil, because(crm.Unknown, crm.ReasonNoAnswer)
		}
		if all = append(all, found...); len(found) == 0 || (page+1)*pageSize >= count {
			return all, v
		}
	}
	return nil, because(crm.Conflict, crm.ReasonUnseen)
}

// takeIn makes a lead by the intake, which makes one for each external_id however
// many come at once, and gives that one's ID to the others. It goes without the
// phone number, by which the server would take another person's lead for this one:
// that is written afterwards. A crash before it leaves a lead without the number,
// which the next upsert fills in.
func (c *Client) takeIn(ctx context.Context, ct crm.Contact) crm.Result {
	known := ct.Values()
	phone := c.fields(crm.Values{crm.FieldPhone: known[crm.FieldPhone]})
	delete(known, crm.FieldPhone)
	in := c.fields(known)
	in["external_id"], in[fieldRef] = ct.Ref, ct.Ref
	var out struct {
		Result string `json:"result"`
		Lead   string `json:"lead"`
	}
	v := c.callAs(ctx, c.intake.Key, http.MethodPost, "/api/public/leads/"+url.PathEscape(c.intake.ID)+"/", nil, in, &out).ofList()
	// Its limit and its key are the intake's own: every other call goes on.
	v.Account = v.Account && v.Outcome == crm.NotBegun
	switch {
	case !v.ok():
		return v.Result
	case out.Lead == "", out.Result == "merged":
		// Merged: into a lead with this address that came meanwhile, or that became
		// a contact there. The repeat is a duplicate and finds whose it is.
		return because(crm.Unknown, crm.ReasonPartial).Result
	case out.Result != "created":
		r, v := c.withID(ctx, out.Lead)
		if !v.ok() {
			return v.Result
		}
		return c.update(ctx, ct, r, "")
	case len(phone) > 0:
		v = c.call(ctx, http.MethodPatch, c.people.path+url.PathEscape(out.Lead)+"/", nil, phone, new(struct{}))
	}
	r := v.written()
	r.ID, r.Created = out.Lead, v.ok()
	return r
}
