package hook

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
	"onefold/internal/digest"
)

// The types of messages.
const (
	TypePing    = "ping"
	TypeContact = "contact.upsert"
	TypeNote    = "note.create"
	TypeTask    = "task.create"
)

type message struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"` // of this try
	Data      any    `json:"data"`
}

type contactData struct {
	Ref      string     `json:"ref"`
	Revision int64      `json:"revision"`         // rises with each change of the contact
	ID       string     `json:"id,omitempty"`     // the receiver's own, if it is known
	Former   []string   `json:"former,omitempty"` // references of contacts that were merged into this one
	Fields   crm.Values `json:"fields"`           // email, name, company, phone: those that are to be written
}

type activityData struct {
	Ref       string `json:"ref"`
	ContactID string `json:"contact_id"`
	At        string `json:"at,omitempty"`  // of a note
	Due       string `json:"due,omitempty"` // of a task
	Title     string `json:"title,omitempty"`
	Body      string `json:"body"`
}

// reply is what the receiver answers.
type reply struct {
	ID      string `json:"id"`
	Created bool   `json:"created"`
	Adopted bool   `json:"adopted"`
	Reason  string `json:"reason"`
}

// messageID is one for each thing that is said: a repeat has the same; other
// values, and the same values of a later revision, have another.
func messageID(kind string, data any) (string, error) {
	b, err := json.Marshal(data) // the members of a map in order
	return "msg_" + digest.Parts(kind, string(b)), err
}

// Look is a ping, which does nothing.
func (c *Client) Look(ctx context.Context) crm.Result {
	id := "msg_" + digest.Parts(TypePing, c.cfg.Now().UTC().Format(time.RFC3339Nano))
	_, r := c.send(ctx, id, message{Type: TypePing, Data: struct{}{}})
	return r
}

// UpsertContact sends what the contact has that was not written before. Where
// there is nothing to say no message is made.
func (c *Client) UpsertContact(ctx context.Context, ct crm.Contact, knownID string) crm.Result {
	if ct.Ref == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	data := contactData{Ref: ct.Ref, Revision: ct.Revision, ID: knownID, Former: ct.Former, Fields: unwritten(ct, knownID)}
	if knownID != "" && len(data.Fields) == 0 && len(ct.Former) == 0 {
		return crm.Result{Outcome: crm.Done, ID: knownID}
	}
	return c.say(ctx, TypeContact, data)
}

// unwritten are the fields in which the contact differs from what was last
// written, and those that may have been written since: of these nobody knows.
func unwritten(ct crm.Contact, knownID string) crm.Values {
	out := ct.Values()
	l := ct.Last
	if knownID == "" || l.Record != knownID || l.Digest == nil {
		return out
	}
	for f, value := range out {
		if len(l.Tried[f]) == 0 && l.Digest(f, crm.Normal(f, value)) == l.Wrote[f] {
			delete(out, f)
		}
	}
	return out
}

// UpsertNote sends a note.
func (c *Client) UpsertNote(ctx context.Context, n crm.Note) crm.Result {
	return c.file(ctx, TypeNote, activityData{Ref: n.Ref, ContactID: n.ContactID, At: n.At.UTC().Format(time.RFC3339), Body: n.Body})
}

// UpsertTask sends a task.
func (c *Client) UpsertTask(ctx context.Context, t crm.Task) crm.Result {
	return c.file(ctx, TypeTask, activityData{Ref: t.Ref, ContactID: t.ContactID, Due: t.Due.UTC().Format(time.RFC3339), Title: t.Title, Body: t.Body})
}

func (c *Client) file(ctx context.Context, kind string, data activityData) crm.Result {
	if data.Ref == "" || data.ContactID == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	return c.say(ctx, kind, data)
}

// say sends a message and reads the answer. A success without an ID proves
// nothing: what comes next would not know the record.
func (c *Client) say(ctx context.Context, kind string, data any) crm.Result {
	id, err := messageID(kind, data)
	if err != nil {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	answer, r := c.send(ctx, id, message{Type: kind, Data: data})
	if r.Outcome != crm.Done {
		return r
	}
	var is reply
	if json.Unmarshal(answer.Body, &is) != nil || is.ID == "" {
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	}
	r.ID, r.Created, r.Adopted = is.ID, is.Created, is.Adopted
	return r
}

// judge: what docs/crm-webhook.md says that a receiver answers where it did
// nothing. Every other status may follow a message that was done.
func judge(a onecall.Answer) crm.Result {
	var is reply
	_ = json.Unmarshal(a.Body, &is) // an unreadable body leaves the status to decide
	switch {
	case a.OK():
		return crm.Result{Outcome: crm.Done}
	case a.Status >= 300 && a.Status <= 399:
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonSetup, Account: true}
	}
	switch a.Status {
	case http.StatusUnauthorized:
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonAuth, Account: true}
	case http.StatusForbidden:
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonAuth}
	case http.StatusGone:
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonGone, Account: true}
	case http.StatusTooManyRequests:
		return crm.Result{Outcome: crm.Busy, Reason: crm.ReasonRateLimit, RetryAfter: a.RetryAfter(time.Minute), Account: true}
	case http.StatusNotFound:
		if is.Reason == crm.ReasonContactMissing {
			return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonContactMissing}
		}
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonSetup}
	case http.StatusConflict:
		if is.Reason != crm.ReasonTwoRecords {
			is.Reason = crm.ReasonOtherReference
		}
		return crm.Result{Outcome: crm.Conflict, Reason: is.Reason}
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonServerError, RetryAfter: a.RetryAfter(0)}
}
