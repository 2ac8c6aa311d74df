package crmtest_test

// The adapter that docs/add-a-crm.md builds. A test holds the page to it.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// Acme is one account of Acme CRM. It makes each call at most once.
type Acme struct {
	base  string
	token func(context.Context) (string, error)
	http  *http.Client
}

// Capabilities: a PUT by key makes at most one record, whatever is repeated.
// InFlight is an assumption on the safe side: their gateway gives up after 60 s.
func (*Acme) Capabilities() crm.Capabilities {
	return crm.Capabilities{Name: "acme", Contacts: crm.ByReference, Notes: crm.ByReference, Tasks: crm.ByReference, InFlight: 2 * time.Minute,
		Calls: crm.Calls{New: 2, Adopted: 4, Changed: 2, Unchanged: 1, Note: 1, Task: 1}}
}

// SetUp has nothing to make: keys are part of every record there.
func (*Acme) SetUp(context.Context) error { return nil }

// record is one record of Acme.
type record struct {
	ID     string            `json:"id,omitempty"`
	Key    string            `json:"key,omitempty"` // the reference; unique for each kind
	Person string            `json:"person,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
}

// verdict is all that is known of one call.
type verdict struct {
	crm.Result
	missing bool // no such record
	taken   bool // a key or address is another record's
	made    bool // this call made the record
}

func (v verdict) ok() bool { return v.Outcome == crm.Done }

func because(o crm.Outcome, reason string) verdict {
	return verdict{Result: crm.Result{Outcome: o, Reason: reason}}
}

// account is a fault that every other call would meet too.
func account(o crm.Outcome, reason string) verdict {
	return verdict{Result: crm.Result{Outcome: o, Reason: reason, Account: true}}
}

// call makes one HTTP call. An answer counts if it is whole; a call without one
// is Unknown unless no connection was ever handed out.
func (a *Acme) call(ctx context.Context, method, path string, query url.Values, in *record) (out record, v verdict) {
	token, err := a.token(ctx)
	if err != nil {
		return out, account(crm.NotBegun, crm.ReasonNoToken)
	}
	var body bytes.Buffer
	if in != nil {
		err = json.NewEncoder(&body).Encode(in)
	}
	req, err2 := http.NewRequestWithContext(ctx, method, a.base+path+"?"+query.Encode(), &body)
	if err != nil || err2 != nil {
		return out, because(crm.Refused, crm.ReasonInvalid)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	answer, fault := onecall.Send(ctx, a.http, req)
	if fault.Outcome != "" {
		return out, verdict{Result: fault}
	}
	if v = judge(answer); v.ok() && (json.Unmarshal(answer.Body, &out) != nil || out.ID == "") {
		v = because(crm.Unknown, crm.ReasonNoAnswer)
	}
	return out, v
}

// judge: only what Acme documents as "not processed" is a refusal.
func judge(a onecall.Answer) verdict {
	switch a.Status {
	case http.StatusOK, http.StatusCreated:
		return verdict{Result: crm.Result{Outcome: crm.Done}, made: a.Status == http.StatusCreated}
	case http.StatusUnauthorized:
		return account(crm.Refused, crm.ReasonAuth)
	case http.StatusForbidden: // perhaps this call alone
		return because(crm.Refused, crm.ReasonAuth)
	case http.StatusNotFound:
		// Read and gone: the next call decides on what is there then.
		return verdict{Result: crm.Result{Outcome: crm.Busy, Reason: crm.ReasonChanged, RetryAfter: 5 * time.Second}, missing: true}
	case http.StatusConflict:
		return verdict{Result: crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonTwoRecords}, taken: true}
	case http.StatusTooManyRequests:
		v := account(crm.Busy, crm.ReasonRateLimit)
		v.RetryAfter = a.RetryAfter(time.Minute)
		return v
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return because(crm.Refused, crm.ReasonInvalid)
	}
	return because(crm.Unknown, crm.ReasonServerError)
}

// Look reads a person that nobody is: an account that answers says that there is
// none.
func (a *Acme) Look(ctx context.Context) crm.Result {
	_, v := a.call(ctx, http.MethodGet, "/people", url.Values{"key": {"onefold-look"}}, nil)
	if v.missing {
		v = because(crm.Done, "")
	}
	return v.Result
}

// UpsertContact looks before it writes: by the known ID, by the reference, and
// last by the address.
func (a *Acme) UpsertContact(ctx context.Context, c crm.Contact, knownID string) crm.Result {
	if c.Ref == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	r, v := record{}, verdict{missing: true}
	if knownID != "" {
		r, v = a.call(ctx, http.MethodGet, "/people/"+url.PathEscape(knownID), nil, nil)
	}
	if v.missing { // or deleted by a person: the reference decides again
		r, v = a.call(ctx, http.MethodGet, "/people", url.Values{"key": {c.Ref}}, nil)
	}
	if v.ok() {
		return a.update(ctx, c, r, knownID)
	}
	if !v.missing {
		return v.Result
	}
	r, v = a.call(ctx, http.MethodPut, "/people", url.Values{"key": {c.Ref}}, &record{Fields: fields(c.Values())})
	if !v.taken {
		v.ID, v.Created = r.ID, v.made
		return v.Result
	}
	// The address is another record's. Nothing was written.
	r, v = a.call(ctx, http.MethodGet, "/people", url.Values{"email": {c.Email}}, nil)
	if !v.ok() {
		return v.Result
	}
	return a.update(ctx, c, r, "")
}

// update writes to a record that is the contact's, or that has its address and
// no reference: that one is adopted. What its people wrote stays theirs.
func (a *Acme) update(ctx context.Context, c crm.Contact, r record, knownID string) crm.Result {
	adopts := r.Key == "" && r.ID != knownID
	if r.Key != "" && r.Key != c.Ref && !slices.Contains(c.Former, r.Key) {
		return crm.Result{Outcome: crm.Conflict, Reason: crm.ReasonOtherReference}
	}
	has := crm.Values{}
	for name, value := range r.Fields {
		has[crm.Field(name)] = value
	}
	what := c.Change(r.ID, !adopts, has)
	change := record{Fields: fields(what.Write)}
	if r.Key != c.Ref {
		change.Key = c.Ref
	}
	if change.Key == "" && len(change.Fields) == 0 {
		return crm.Result{Outcome: crm.Done, ID: r.ID, Left: what.Left}
	}
	_, v := a.call(ctx, http.MethodPatch, "/people/"+url.PathEscape(r.ID), nil, &change)
	if v.ok() {
		v.ID, v.Adopted, v.Left = r.ID, adopts, what.Left
	}
	return v.Result
}

// fields are values in Acme's words, which are the port's. What is empty is not
// sent, and clears nothing.
func fields(values crm.Values) map[string]string {
	out := map[string]string{}
	for f, value := range values {
		out[string(f)] = value
	}
	if address := out["email"]; address != "" {
		out["email"] = strings.ToLower(address)
	}
	return out
}

// UpsertNote: of a key that Acme has, a PUT changes nothing, so that what a
// person wrote since stays.
func (a *Acme) UpsertNote(ctx context.Context, n crm.Note) crm.Result {
	return a.file(ctx, "/notes", n.Ref, n.ContactID, map[string]string{"at": n.At.UTC().Format(time.RFC3339), "body": n.Body})
}

// UpsertTask is the same of a task.
func (a *Acme) UpsertTask(ctx context.Context, t crm.Task) crm.Result {
	return a.file(ctx, "/tasks", t.Ref, t.ContactID, map[string]string{"due": t.Due.UTC().Format(time.RFC3339), "title": t.Title, "body": t.Body})
}

func (a *Acme) file(ctx context.Context, path, ref, person string, values map[string]string) crm.Result {
	if ref == "" || person == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	r, v := a.call(ctx, http.MethodPut, path, url.Values{"key": {ref}}, &record{Person: person, Fields: values})
	if v.missing { // the person is
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonContactMissing}
	}
	v.ID, v.Created = r.ID, v.made
	return v.Result
}

// NewAcme checks the configuration; it makes no call.
func NewAcme(base string, token func(context.Context) (string, error), client *http.Client) (*Acme, error) {
	root, err := onecall.Base(base)
	if err != nil {
		return nil, fmt.Errorf("acme: %w", err)
	}
	return &Acme{root, token, onecall.Client(client)}, nil
}
