package hubspot

import (
	"context"
	"slices"
	"strings"

	"onefold/internal/crm"
)

const (
	contacts     = "contacts"
	contactProps = "email,hs_additional_emails,firstname,lastname,company,phone," + PropContactRef
)

// UpsertContact follows the package comment. Every path either
// writes through the unique reference or to a record that was read.
func (c *Client) UpsertContact(ctx context.Context, ct crm.Contact, knownID string) crm.Result {
	if ct.Ref == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	found, v := record{}, verdict{missing: true}
	if knownID != "" {
		found, v = c.read(ctx, contacts, knownID, "", contactProps)
	}
	if v.missing {
		// A known record that is gone was deleted by a person; the reference
		// decides afresh.
		found, v = c.readByRef(ctx, ct.Ref)
	}
	switch {
	case v.ok():
		return c.update(ctx, ct, found, knownID)
	case !v.missing:
		return v.result()
	}

	id, created, v := c.upsert(ctx, contacts, PropContactRef, ct.Ref, properties(ct.Values()))
	switch {
	case v.ok():
		return crm.Result{Outcome: crm.Done, ID: id, Created: created}
	case v.collision:
		return c.adopt(ctx, ct, v.existingID)
	default:
		return refusal(v)
	}
}

// Look reads a contact that nobody is: an account that answers says that there is
// none.
func (c *Client) Look(ctx context.Context) crm.Result {
	_, v := c.read(ctx, contacts, "onefold-look", PropContactRef, PropContactRef)
	if v.missing {
		v = verdict{outcome: crm.Done}
	}
	return v.result()
}

func (c *Client) readByRef(ctx context.Context, ref string) (record, verdict) {
	r, v := c.read(ctx, contacts, ref, PropContactRef, contactProps)
	// A read by a property answers for that property only if the record has
	// it: never update a record that was matched in some other way.
	if v.ok() && r.prop(PropContactRef) != ref {
		return record{}, verdict{outcome: crm.Conflict, reason: crm.ReasonOtherReference}
	}
	return r, v
}

// update writes to a record that is the contact's: it carries the reference or a
// former one, or its ID is the mapping's and the reference was cleared.
func (c *Client) update(ctx context.Context, ct crm.Contact, r record, knownID string) crm.Result {
	ref := r.prop(PropContactRef)
	if ref != "" && !hasRef(ct, ref) {
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonOtherReference}
	}
	change := ct.Change(r.ID, ref != "" || r.ID == knownID, values(ct, r))
	props := properties(change.Write)
	if ref != ct.Ref {
		props[PropContactRef] = ct.Ref
	}
	if len(props) == 0 {
		return crm.Result{Outcome: crm.Done, ID: r.ID, Left: change.Left}
	}
	v := c.patch(ctx, contacts, r.ID, props)
	switch {
	case v.ok():
		return crm.Result{Outcome: crm.Done, ID: r.ID, Left: change.Left}
	case v.collision:
		// The reference, or the new address, is another record's.
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
	default:
		return refusal(v)
	}
}

// adopt decides after a refused create: nothing has been written, and some
// record holds the address. existingID is the vendor's hint, used only where
// the direct read finds nothing, as for a secondary address.
func (c *Client) adopt(ctx context.Context, ct crm.Contact, existingID string) crm.Result {
	r, v := record{}, verdict{missing: true}
	if ct.Email != "" {
		r, v = c.read(ctx, contacts, ct.Email, "email", contactProps)
	}
	if v.missing && existingID != "" {
		r, v = c.read(ctx, contacts, existingID, "", contactProps)
	}
	switch {
	case v.missing:
		// Another attempt of this contact may have made the record meanwhile.
		return c.settleByRef(ctx, ct)
	case !v.ok():
		return v.result()
	case hasRef(ct, r.prop(PropContactRef)):
		return c.update(ctx, ct, r, "")
	case r.prop(PropContactRef) != "":
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonOtherReference}
	case !hasAddress(r, ct.Email):
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonUnseen}
	}

	change := ct.Change(r.ID, false, values(ct, r))
	props := properties(change.Write)
	props[PropContactRef] = ct.Ref
	v = c.patch(ctx, contacts, r.ID, props)
	switch {
	case v.ok():
		return crm.Result{Outcome: crm.Done, ID: r.ID, Adopted: true, Left: change.Left}
	case v.collision:
		return c.settleByRef(ctx, ct)
	default:
		return refusal(v)
	}
}

// settleByRef is the last look after a collision that no read explained.
func (c *Client) settleByRef(ctx context.Context, ct crm.Contact) crm.Result {
	r, v := c.readByRef(ctx, ct.Ref)
	switch {
	case v.missing:
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonUnseen}
	case !v.ok():
		return v.result()
	case ct.Email != "" && !hasAddress(r, ct.Email):
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}
	default:
		return c.update(ctx, ct, r, "")
	}
}

// refusal is the result of a write that did not succeed. A record that was
// read and has gone is Busy: the next call decides on what is there then.
func refusal(v verdict) crm.Result {
	if v.missing {
		return crm.Result{Outcome: crm.Busy, Reason: crm.ReasonChanged, RetryAfter: lockWait}
	}
	return v.result()
}

// hasRef reports whether the reference is the contact's own, or one of a contact
// that was merged into it.
func hasRef(ct crm.Contact, ref string) bool { return ref == ct.Ref || slices.Contains(ct.Former, ref) }

// hasAddress compares as HubSpot does, which stores addresses in lower case.
func hasAddress(r record, email string) bool {
	if email == "" {
		return false
	}
	if strings.EqualFold(r.prop("email"), email) {
		return true
	}
	for a := range strings.SplitSeq(r.prop("hs_additional_emails"), ";") {
		if strings.EqualFold(strings.TrimSpace(a), email) {
			return true
		}
	}
	return false
}
