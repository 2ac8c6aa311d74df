package bottlecrm

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"onefold/internal/crm"
)

// person is one record there. A value that is not set is null on the wire.
type person struct {
	ID           string         `json:"id"`
	First        *string        `json:"first_name"`
	Last         *string        `json:"last_name"`
	Email        *string        `json:"email"`
	Phone        *string        `json:"phone"`
	Organization *string        `json:"organization"` // of a contact
	Company      *string        `json:"company_name"` // of a lead
	Custom       map[string]any `json:"custom_fields"`
}

func (r person) custom(key string) string {
	s, _ := r.Custom[key].(string) // a text, or not there
	return s
}

// UpsertContact looks before it writes: by the known ID, by the reference, last
// by the address.
func (c *Client) UpsertContact(ctx context.Context, ct crm.Contact, knownID string) crm.Result {
	if ct.Ref == "" {
		return because(crm.Refused, crm.ReasonInvalid).Result
	}
	r, v := c.find(ctx, ct, knownID)
	if v.missing {
		return c.create(ctx, ct)
	}
	if !v.ok() {
		return v.Result
	}
	return c.update(ctx, ct, r, knownID)
}

func (c *Client) find(ctx context.Context, ct crm.Contact, knownID string) (person, verdict) {
	if knownID != "" {
		if r, v := c.withID(ctx, knownID); !v.missing {
			return r, v
		}
	}
	r, v := c.one(ctx, "cf_"+fieldRef, ct.Ref, func(r person) bool { return r.custom(fieldRef) == ct.Ref })
	if v.missing {
		r, v = c.byAddress(ctx, ct)
	}
	return r, v
}

func (c *Client) byAddress(ctx context.Context, ct crm.Contact) (person, verdict) {
	if ct.Email == "" {
		return person{}, none()
	}
	return c.one(ctx, "email", ct.Email, func(r person) bool { return strings.EqualFold(text(r.Email), ct.Email) })
}

// one finds the record that a filter leads to: the filter may find more, since
// that of addresses matches any part of one.
func (c *Client) one(ctx context.Context, filter, value string, is func(person) bool) (person, verdict) {
	all, v := c.peopleWith(ctx, filter, value)
	if !v.ok() {
		return person{}, v
	}
	all = slices.DeleteFunc(all, func(r person) bool { return !is(r) })
	switch len(all) {
	case 0:
		return person{}, none()
	case 1:
		return all[0], v
	}
	return person{}, because(crm.Conflict, crm.ReasonTwoRecords)
}

// create makes a record where none was found. A contact with this address may
// have come meanwhile, or be one that the token may not see: the server refuses
// then, having written nothing.
func (c *Client) create(ctx context.Context, ct crm.Contact) crm.Result {
	if v := c.mayCreate(ctx, c.people.target); !v.ok() {
		return v.Result
	}
	if c.intake != nil {
		return c.takeIn(ctx, ct)
	}
	in := c.fields(ct.Values())
	for _, name := range []string{"first_name", "last_name"} {
		if _, has := in[name]; !has {
			in[name] = nameless
		}
	}
	in["custom_fields"] = map[string]string{fieldRef: ct.Ref}
	var out struct {
		ID string `json:"id"`
	}
	v := c.call(ctx, http.MethodPost, c.people.path, nil, in, &out)
	switch {
	case v.taken:
		r, v := c.byAddress(ctx, ct)
		switch {
		case v.missing:
			return because(crm.Conflict, crm.ReasonUnseen).Result
		case !v.ok():
			return v.Result
		}
		return c.update(ctx, ct, r, "")
	case v.ok() && out.ID == "":
		return because(crm.Unknown, crm.ReasonNoAnswer).Result
	}
	v.ID, v.Created = out.ID, v.ok()
	return v.Result
}

// update writes to a record that is the contact's, or that has no reference yet:
// that one gets it.
func (c *Client) update(ctx context.Context, ct crm.Contact, r person, knownID string) crm.Result {
	ref := r.custom(fieldRef)
	if ref != "" && ref != ct.Ref && !slices.Contains(ct.Former, ref) {
		return because(crm.Conflict, crm.ReasonOtherReference).Result
	}
	linked := ref != "" || r.ID == knownID
	change := ct.Change(r.ID, linked, values(r))
	in := c.fields(change.Write)
	if ref != ct.Ref {
		in["custom_fields"] = map[string]string{fieldRef: ct.Ref}
	}
	if len(in) == 0 {
		return crm.Result{Outcome: crm.Done, ID: r.ID, Left: change.Left}
	}
	v := c.call(ctx, http.MethodPatch, c.people.path+url.PathEscape(r.ID)+"/", nil, in, new(struct{}))
	if v.taken {
		v = because(crm.Conflict, crm.ReasonTwoRecords)
	}
	if v.ok() {
		v.ID, v.Adopted, v.Left = r.ID, !linked, change.Left
	}
	return v.Result
}
