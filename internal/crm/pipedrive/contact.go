package pipedrive

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"onefold/internal/crm"
)

// Look lists one person.
func (c *Client) Look(ctx context.Context) crm.Result {
	return c.call(ctx, http.MethodGet, "/api/v2/persons", url.Values{"limit": {"1"}}, nil, nil).Result
}

// UpsertContact looks by the known ID, by the references, and by the address, and
// makes the person last.
func (c *Client) UpsertContact(ctx context.Context, ct crm.Contact, knownID string) crm.Result {
	if ct.Ref == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	at, _, v := c.fields(ctx)
	if !v.ok() {
		return v.Result
	}
	if knownID != "" {
		p, v := c.read(ctx, knownID)
		if !v.missing {
			return c.proceed(ctx, ct, []person{p}, v, at, knownID)
		}
	}
	for _, ref := range append([]string{ct.Ref}, ct.Former...) {
		found, v := c.find(ctx, ref, "custom_fields", func(p person) bool { return p.text(at.ref) == ref })
		if !v.ok() || len(found) > 0 {
			return c.proceed(ctx, ct, found, v, at, "")
		}
	}
	found, v := c.byAddress(ctx, ct.Email)
	if !v.ok() || len(found) > 0 {
		return c.proceed(ctx, ct, found, v, at, "")
	}
	return c.create(ctx, ct, at)
}

// proceed writes to the one person that a look gave.
func (c *Client) proceed(ctx context.Context, ct crm.Contact, found []person, v verdict, at codes, knownID string) crm.Result {
	switch {
	case !v.ok():
		return v.Result
	case len(found) > 1:
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
	}
	return c.update(ctx, ct, found[0], at, knownID)
}

func (c *Client) update(ctx context.Context, ct crm.Contact, p person, at codes, knownID string) crm.Result {
	id, ref := strconv.FormatInt(p.ID, 10), p.text(at.ref)
	if ref != "" && ref != ct.Ref && !slices.Contains(ct.Former, ref) {
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonOtherReference}
	}
	adopts := ref == "" && id != knownID
	is := ct.Change(id, !adopts, values(ct, p, at))
	if address := is.Write[crm.FieldEmail]; address != "" {
		// Pipedrive would let two persons have it.
		others, v := c.byAddress(ctx, address)
		switch {
		case !v.ok():
			return v.Result
		case slices.ContainsFunc(others, func(o person) bool { return o.ID != p.ID }):
			return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
		}
	}
	if ref == ct.Ref && len(is.Write) == 0 {
		return crm.Result{Outcome: crm.Done, ID: id, Left: is.Left}
	}
	body := change(is.Write, p, at)
	body.Custom[at.ref] = ct.Ref
	v := c.call(ctx, http.MethodPatch, "/api/v2/persons/"+id, nil, body, nil)
	if v.ok() {
		v.ID, v.Adopted, v.Left = id, adopts, is.Left
	}
	return v.Result
}

func (c *Client) create(ctx context.Context, ct crm.Contact, at codes) crm.Result {
	body := change(ct.Values(), person{}, at)
	body.Name = cmp.Or(body.Name, line(ct.Email), line(ct.Phone), noName)
	body.Custom[at.ref] = ct.Ref
	var out struct {
		Data person `json:"data"`
	}
	v := c.call(ctx, http.MethodPost, "/api/v2/persons", nil, body, &out)
	switch {
	case v.ok() && out.Data.ID == 0:
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	case v.ok():
		v.ID, v.Created = strconv.FormatInt(out.Data.ID, 10), true
	}
	return v.Result
}
