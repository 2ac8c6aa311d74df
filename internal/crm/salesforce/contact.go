package salesforce

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"onefold/internal/crm"
)

// fields of a contact that are read.
const fields = "Id,LastModifiedDate,FirstName,LastName,Email,Phone," + FieldRef + "," + FieldCompany

type record struct {
	ID      string `json:"Id"`
	Changed string `json:"LastModifiedDate"`
	First   string `json:"FirstName"` // null is ""
	Last    string `json:"LastName"`
	Email   string `json:"Email"`
	Phone   string `json:"Phone"`
	Ref     string `json:"Onefold_Contact_ID__c"`
	Company string `json:"Onefold_Company__c"`

	OptedOut bool `json:"HasOptedOutOfEmail"` // read for the list alone
}

func (r record) hasAddress(address string) bool {
	return address != "" && strings.EqualFold(r.Email, strings.TrimSpace(address))
}

// noName is the last name of whom nothing is known.
const noName = "Unknown (Onefold)"

// values are what a record has. What had to be shortened counts as the contact's.
func (r record) values(ct crm.Contact) crm.Values {
	v := crm.Values{
		crm.FieldEmail: r.Email, crm.FieldPhone: r.Phone, crm.FieldCompany: r.Company,
		crm.FieldName: strings.TrimSpace(r.First + " " + r.Last),
	}
	is := properties(ct.Values())
	first, _ := is["FirstName"].(string)
	switch name := v[crm.FieldName]; {
	case name == noName, strings.Contains(name, "@"), !strings.ContainsFunc(name, unicode.IsLetter):
		v[crm.FieldName] = ""
	case r.Last == is["LastName"] && r.First == first:
		v[crm.FieldName] = ct.Name
	}
	if r.Company != "" && r.Company == is[FieldCompany] {
		v[crm.FieldCompany] = ct.Company
	}
	return v
}

// properties are values in Salesforce's words, each within its length. An address or
// number that is too long is left out: shortened it would be another's.
func properties(values crm.Values) map[string]any {
	out := map[string]any{}
	if first, last := crm.SplitName(values[crm.FieldName]); last != "" {
		out["FirstName"], out["LastName"] = crm.Cut(first, 40, "…"), crm.Cut(last, 80, "…")
	} else if first != "" { // the whole name is the last name
		out["FirstName"], out["LastName"] = nil, crm.Cut(first, 80, "…")
	}
	email, phone := strings.TrimSpace(values[crm.FieldEmail]), crm.OneLine(values[crm.FieldPhone])
	if email != "" && crm.Cut(email, 80, "") == email {
		out["Email"] = email
	}
	if phone != "" && crm.Cut(phone, 40, "") == phone {
		out["Phone"] = phone
	}
	if company := crm.OneLine(values[crm.FieldCompany]); company != "" {
		out[FieldCompany] = crm.Cut(company, 255, "…")
	}
	return out
}

// Look asks for a contact that nobody is, by the field that writing needs.
func (c *Client) Look(ctx context.Context) crm.Result {
	_, v := c.query(ctx, "SELECT Id FROM Contact WHERE "+FieldRef+" = 'onefold-look'")
	return v.Result
}

// UpsertContact follows the package comment.
func (c *Client) UpsertContact(ctx context.Context, ct crm.Contact, knownID string) crm.Result {
	if ct.Ref == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	v := c.lookAndWrite(ctx, ct, knownID)
	if v.again { // somebody was quicker
		v = c.lookAndWrite(ctx, ct, knownID)
	}
	return v.Result
}

func (c *Client) lookAndWrite(ctx context.Context, ct crm.Contact, knownID string) verdict {
	rows, v := c.find(ctx, ct, knownID)
	if !v.ok() {
		return v
	}
	r, v := choose(rows, ct, knownID)
	switch {
	case !v.ok():
		return v
	case r.ID == "":
		return c.create(ctx, ct)
	}
	return c.update(ctx, ct, r, rows, knownID)
}

// idForm is the form of an ID: a query for another is refused.
var idForm = regexp.MustCompile(`^[0-9A-Za-z]{15}([0-9A-Za-z]{3})?$`)

// find reads every contact that has the ID, a reference or the address.
func (c *Client) find(ctx context.Context, ct crm.Contact, knownID string) ([]record, verdict) {
	where := FieldRef + " IN (" + quoted(append([]string{ct.Ref}, ct.Former...)...) + ")"
	if idForm.MatchString(knownID) {
		where += " OR Id = " + quoted(knownID)
	}
	if ct.Email != "" {
		where += " OR Email = " + quoted(ct.Email)
	}
	return c.query(ctx, "SELECT "+fields+" FROM Contact WHERE "+where)
}

// choose picks the contact's record, or none: by the known ID, the reference, a
// former one, and last the address.
func choose(rows []record, ct crm.Contact, knownID string) (record, verdict) {
	for _, is := range []func(record) bool{
		func(r record) bool { return r.ID == knownID },
		func(r record) bool { return r.Ref == ct.Ref },
		func(r record) bool { return r.Ref != "" && slices.Contains(ct.Former, r.Ref) },
		func(r record) bool { return r.hasAddress(ct.Email) },
	} {
		n := slices.IndexFunc(rows, is)
		switch {
		case n < 0:
			continue
		case slices.ContainsFunc(rows[n+1:], is):
			return record{}, because(crm.Conflict, crm.ReasonTwoRecords)
		case rows[n].Ref != "" && rows[n].Ref != ct.Ref && !slices.Contains(ct.Former, rows[n].Ref):
			return record{}, because(crm.Conflict, crm.ReasonOtherReference)
		}
		return rows[n], verdict{}.done()
	}
	return record{}, verdict{}.done()
}

func (c *Client) create(ctx context.Context, ct crm.Contact) verdict {
	s, _, v := c.enter(ctx, "")
	if !v.ok() {
		return v
	}
	body := properties(ct.Values())
	if body["LastName"] == nil {
		body["LastName"] = crm.Cut(cmp.Or(strings.TrimSpace(ct.Email), crm.OneLine(ct.Phone), noName), 80, "…")
	}
	if s.accountID != "" {
		body["AccountId"] = s.accountID
	}
	return c.upsert(ctx, "Contact", FieldRef, ct.Ref, body)
}

// update writes to a record as it was read, to nothing newer.
func (c *Client) update(ctx context.Context, ct crm.Contact, r record, rows []record, knownID string) verdict {
	adopts := r.Ref == "" && r.ID != knownID
	is := ct.Change(r.ID, !adopts, r.values(ct))
	body := properties(is.Write)
	if _, moves := body["Email"]; moves && slices.ContainsFunc(rows, func(o record) bool { return o.ID != r.ID && o.hasAddress(ct.Email) }) {
		return because(crm.Conflict, crm.ReasonTwoRecords) // Salesforce would let both have it
	}
	if r.Ref != ct.Ref {
		body[FieldRef] = ct.Ref
	}
	v := verdict{}.done()
	if len(body) > 0 {
		changed, err := time.Parse("2006-01-02T15:04:05.000-0700", r.Changed)
		if err != nil {
			return because(crm.Unknown, crm.ReasonNoAnswer)
		}
		head := http.Header{"If-Unmodified-Since": {changed.UTC().Format(http.TimeFormat)}}
		v = c.call(ctx, http.MethodPatch, object("Contact", r.ID), head, body, nil)
	}
	if v.ok() {
		v.ID, v.Adopted, v.Left = r.ID, adopts, is.Left
	}
	return v
}
