package salesforce

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"onefold/internal/crm"
)

// fields of a contact that are read.
const fields = "Id,FirstName,LastName,Email,Phone," + FieldRef + "," + FieldCompany

type record struct {
	ID      string  `json:"Id"`
	First   *string `json:"FirstName"`
	Last    *string `json:"LastName"`
	Email   *string `json:"Email"`
	Phone   *string `json:"Phone"`
	Ref     *string `json:"Onefold_Contact_ID__c"`
	Company *string `json:"Onefold_Company__c"`
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// noName is the last name of whom nothing is known.
const noName = "Unknown (Onefold)"

// values are what a record has. A last name that is the address or number stands
// for one that is not known.
func (r record) values() crm.Values {
	v := crm.Values{
		crm.FieldEmail: text(r.Email), crm.FieldPhone: text(r.Phone), crm.FieldCompany: text(r.Company),
		crm.FieldName: strings.TrimSpace(text(r.First) + " " + text(r.Last)),
	}
	if slices.Contains([]string{noName, v[crm.FieldEmail], v[crm.FieldPhone]}, v[crm.FieldName]) {
		v[crm.FieldName] = ""
	}
	return v
}

// properties are values in Salesforce's words, each within its length.
func properties(values crm.Values) map[string]any {
	out := map[string]any{}
	put := func(name, value string, limit int) {
		if value != "" {
			out[name] = crm.Cut(value, limit, "…")
		}
	}
	first, last := crm.SplitName(values[crm.FieldName])
	if last == "" {
		first, last = "", first
	}
	put("FirstName", first, 40)
	put("LastName", last, 80)
	if last != "" && first == "" {
		out["FirstName"] = nil // the whole name is the last name
	}
	put("Email", strings.TrimSpace(values[crm.FieldEmail]), 80)
	put("Phone", crm.OneLine(values[crm.FieldPhone]), 40)
	put(FieldCompany, crm.OneLine(values[crm.FieldCompany]), 255)
	return out
}

// Look reads what the account says of contacts.
func (c *Client) Look(ctx context.Context) crm.Result {
	return c.call(ctx, http.MethodGet, version+"/sobjects/Contact", nil, nil, nil).Result
}

// UpsertContact follows the package comment.
func (c *Client) UpsertContact(ctx context.Context, ct crm.Contact, knownID string) crm.Result {
	if ct.Ref == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	r, v := record{}, verdict{missing: true}
	if knownID != "" {
		r, v = c.read(ctx, object("Contact", knownID))
	}
	for _, ref := range append([]string{ct.Ref}, ct.Former...) {
		if v.missing {
			r, v = c.read(ctx, object("Contact", FieldRef, ref))
		}
	}
	if v.missing {
		var others []record
		if others, v = c.byAddress(ctx, ct.Email); v.ok() && len(others) == 0 {
			return c.create(ctx, ct)
		}
		switch {
		case len(others) > 1:
			return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
		case len(others) == 1: // read for the date of its last change
			r, v = c.read(ctx, object("Contact", others[0].ID))
		}
	}
	if !v.ok() {
		return v.Result
	}
	return c.update(ctx, ct, r, v.since, knownID)
}

func (c *Client) read(ctx context.Context, path string) (record, verdict) {
	var r record
	v := c.call(ctx, http.MethodGet, path+"?fields="+url.QueryEscape(fields), nil, nil, &r)
	if v.ok() && r.ID == "" {
		return r, because(crm.Unknown, crm.ReasonNoAnswer)
	}
	if v.Reason == crm.ReasonContactMissing { // an ID of another form than theirs
		v.missing = true
	}
	return r, v
}

// byAddress finds up to three contacts; SOQL compares addresses without regard to
// case, and reads the database.
func (c *Client) byAddress(ctx context.Context, address string) ([]record, verdict) {
	if address == "" {
		return nil, verdict{}.done()
	}
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(address)
	soql := "SELECT " + fields + " FROM Contact WHERE Email = '" + quoted + "' LIMIT 3"
	var out struct {
		Records []record `json:"records"`
	}
	v := c.call(ctx, http.MethodGet, version+"/query?q="+url.QueryEscape(soql), nil, nil, &out)
	return out.Records, v
}

func (c *Client) create(ctx context.Context, ct crm.Contact) crm.Result {
	body := properties(ct.Values())
	if body["LastName"] == nil {
		body["LastName"] = crm.Cut(cmp.Or(strings.TrimSpace(ct.Email), crm.OneLine(ct.Phone), noName), 80, "…")
	}
	var out made
	v := c.call(ctx, http.MethodPatch, object("Contact", FieldRef, ct.Ref), nil, body, &out)
	if v.ok() && out.ID == "" {
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	}
	v.ID, v.Created = out.ID, v.ok() && (v.created || out.Created)
	return v.Result
}

// update writes to a record as it was read, to nothing newer.
func (c *Client) update(ctx context.Context, ct crm.Contact, r record, since, knownID string) crm.Result {
	ref := text(r.Ref)
	if ref != "" && ref != ct.Ref && !slices.Contains(ct.Former, ref) {
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonOtherReference}
	}
	adopts := ref == "" && r.ID != knownID
	is := ct.Change(r.ID, !adopts, r.values())
	if address := is.Write[crm.FieldEmail]; address != "" {
		// Salesforce would let two contacts have it.
		others, v := c.byAddress(ctx, address)
		switch {
		case !v.ok():
			return v.Result
		case slices.ContainsFunc(others, func(o record) bool { return o.ID != r.ID }):
			return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
		}
	}
	body := properties(is.Write)
	if ref != ct.Ref {
		body[FieldRef] = ct.Ref
	}
	if len(body) == 0 {
		return crm.Result{Outcome: crm.Done, ID: r.ID, Left: is.Left}
	}
	head := http.Header{}
	if since != "" {
		head.Set("If-Unmodified-Since", since)
	}
	v := c.call(ctx, http.MethodPatch, object("Contact", r.ID), head, body, nil)
	if v.missing {
		v = later(crm.ReasonChanged, 0)
	}
	if v.ok() {
		v.ID, v.Adopted, v.Left = r.ID, adopts, is.Left
	}
	return v.Result
}
