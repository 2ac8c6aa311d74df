package bottlecrm

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"onefold/internal/crm"
)

// interaction is an entry in a contact's timeline: a note of ours is one that
// came in by mail, with the reference at the end of its subject.
type interaction struct {
	ID        string `json:"id,omitempty"`
	Kind      string `json:"kind"`
	Direction string `json:"direction"`
	At        string `json:"occurred_at"`
	Subject   string `json:"subject"`
	Body      string `json:"body"`
	Contact   string `json:"contact,omitempty"`
	Lead      string `json:"lead,omitempty"`
}

// marked is how a reference ends a subject.
func marked(ref string) string { return "[" + ref + "]" }

// UpsertNote looks through the contact's timeline for the reference. What a
// person has made of the entry since stays, but for one who takes the reference
// out of the subject: a repeat files the note again.
func (c *Client) UpsertNote(ctx context.Context, n crm.Note) crm.Result {
	subject := "Enquiry " + marked(n.Ref)
	if n.Ref == "" || n.ContactID == "" || len(subject) > subjectLimit {
		return because(crm.Refused, crm.ReasonInvalid).Result
	}
	id, v := c.noteWith(ctx, n.ContactID, marked(n.Ref))
	if v.ok() {
		v.ID = id
		return v.Result
	}
	if !v.missing {
		return v.Result
	}
	in := interaction{
		Kind: "email", Direction: "inbound", At: n.At.UTC().Format(time.RFC3339), Subject: subject,
		Body: paragraphs(n.Body),
	}
	if c.intake != nil {
		in.Lead = n.ContactID
	} else {
		in.Contact = n.ContactID
	}
	var out interaction
	v = c.call(ctx, http.MethodPost, "/api/interactions/", nil, in, &out)
	switch {
	case v.missing, v.badID: // it went meanwhile
		return because(crm.Refused, crm.ReasonContactMissing).Result
	case v.ok() && out.ID == "":
		return because(crm.Unknown, crm.ReasonNoAnswer).Result
	}
	v.ID, v.Created = out.ID, v.ok()
	return v.Result
}

// noteWith finds the entry of a contact's timeline whose subject has the text.
func (c *Client) noteWith(ctx context.Context, contactID, mark string) (string, verdict) {
	seen := 0
	for range pages {
		page, count, v := c.timeline(ctx, contactID, pageSize, seen)
		if !v.ok() {
			return "", v
		}
		for _, e := range page {
			if strings.Contains(e.Subject, mark) {
				return e.ID, v
			}
		}
		if seen += len(page); len(page) == 0 || seen >= count {
			return "", none()
		}
	}
	return "", because(crm.Conflict, crm.ReasonUnseen)
}

// timeline is one page; of a contact that is not there it is Refused.
func (c *Client) timeline(ctx context.Context, contactID string, limit, offset int) ([]interaction, int, verdict) {
	var out struct {
		Interactions []interaction `json:"interactions"`
		Count        *int          `json:"count"`
	}
	q := url.Values{c.people.link: {contactID}, "limit": {strconv.Itoa(limit)}, "offset": {strconv.Itoa(offset)}}
	v := c.call(ctx, http.MethodGet, "/api/interactions/", q, nil, &out)
	switch {
	case v.missing, v.badID:
		return nil, 0, because(crm.Refused, crm.ReasonContactMissing)
	case v.ok() && out.Count == nil:
		return nil, 0, because(crm.Unknown, crm.ReasonNoAnswer)
	case !v.ok():
		return nil, 0, v
	}
	return out.Interactions, *out.Count, v
}

// UpsertTask looks for a task with the reference; one that is there is left as
// its people have it, but for one without any contact, which is filed. The
// server saves a task first and links it then, not in one transaction, and drops
// a contact that is not there without a word: so the contact is asked for first.
// One deleted between the two calls leaves a task without a contact.
func (c *Client) UpsertTask(ctx context.Context, t crm.Task) crm.Result {
	if t.Ref == "" || t.ContactID == "" {
		return because(crm.Refused, crm.ReasonInvalid).Result
	}
	if _, _, v := c.timeline(ctx, t.ContactID, 1, 0); !v.ok() {
		return v.Result
	}
	id, v := c.taskWith(ctx, t.Ref)
	if v.ok() && c.intake == nil {
		return c.filed(ctx, id, t.ContactID)
	}
	if v.ok() { // a lead is part of the task's own row
		v.ID = id
		return v.Result
	}
	if !v.missing {
		return v.Result
	}
	if v = c.mayCreate(ctx, "Task"); !v.ok() {
		return v.Result
	}
	in := map[string]any{
		"title": cut(oneLine(t.Title), lineLimit), "description": paragraphs(t.Body),
		"status": "New", "priority": "Medium", "due_date": t.Due.UTC().Format(time.DateOnly),
		"custom_fields": map[string]string{fieldRef: t.Ref},
	}
	if c.intake != nil {
		in["lead"] = t.ContactID
	} else {
		in["contacts"] = []string{t.ContactID}
	}
	v = c.call(ctx, http.MethodPost, "/api/tasks/", nil, in, new(struct{}))
	if !v.ok() {
		return v.Result
	}
	// The answer names no ID.
	id, v = c.taskWith(ctx, t.Ref)
	r := v.written()
	r.ID, r.Created = id, v.ok()
	return r
}

// taskWith finds the task that has the reference.
func (c *Client) taskWith(ctx context.Context, ref string) (string, verdict) {
	var out struct {
		Count *int `json:"tasks_count"`
		Tasks []struct {
			ID string `json:"id"`
		} `json:"tasks"`
	}
	q := url.Values{"cf_" + fieldRef: {ref}, "slim": {"true"}, "limit": {"2"}}
	v := c.call(ctx, http.MethodGet, "/api/tasks/", q, nil, &out).ofList()
	switch {
	case !v.ok():
		return "", v
	case out.Count == nil:
		return "", because(crm.Unknown, crm.ReasonNoAnswer)
	case len(out.Tasks) == 0:
		return "", none()
	case len(out.Tasks) > 1:
		return "", because(crm.Conflict, crm.ReasonTwoRecords)
	}
	return out.Tasks[0].ID, v
}

// filed links a task that has no contact.
func (c *Client) filed(ctx context.Context, id, contactID string) crm.Result {
	var out struct {
		Task struct {
			Contacts []struct {
				ID string `json:"id"`
			} `json:"contacts"`
		} `json:"task_obj"`
	}
	path := "/api/tasks/" + url.PathEscape(id) + "/"
	v := c.call(ctx, http.MethodGet, path, nil, nil, &out)
	if v.ok() && len(out.Task.Contacts) == 0 {
		v = c.call(ctx, http.MethodPatch, path, nil, map[string]any{"contacts": []string{contactID}}, new(struct{}))
	}
	if v.ok() {
		v.ID = id
	}
	return v.Result
}
