package salesforce

import (
	"context"
	"net/http"

	"onefold/internal/crm"
)

// Limits in characters.
const (
	subjectLimit = 255
	bodyLimit    = 32_000
)

// UpsertNote files the note as a completed task.
func (c *Client) UpsertNote(ctx context.Context, n crm.Note) crm.Result {
	return c.file(ctx, n.Ref, n.ContactID, map[string]any{
		"Subject": "Enquiry", "Description": crm.Cut(n.Body, bodyLimit, "…"), "Status": "Completed", "ActivityDate": n.At.UTC().Format("2006-01-02"),
	})
}

// UpsertTask files the task, not started.
func (c *Client) UpsertTask(ctx context.Context, t crm.Task) crm.Result {
	return c.file(ctx, t.Ref, t.ContactID, map[string]any{
		"Subject": crm.Cut(crm.OneLine(t.Title), subjectLimit, "…"), "Description": crm.Cut(t.Body, bodyLimit, "…"), "Status": "Not Started",
		"ActivityDate": t.Due.UTC().Format("2006-01-02"),
	})
}

// file reads first, so that a repeat does not undo what a person did; then makes
// the task by its external ID, with its contact in the same request.
func (c *Client) file(ctx context.Context, ref, contactID string, body map[string]any) crm.Result {
	if ref == "" || contactID == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	path := object("Task", FieldEvent, ref)
	var has struct {
		ID string `json:"Id"`
	}
	v := c.call(ctx, http.MethodGet, path+"?fields=Id", nil, nil, &has)
	switch {
	case v.ok() && has.ID == "":
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	case v.ok():
		return crm.Result{Outcome: crm.Done, ID: has.ID}
	case !v.missing:
		return v.Result
	}
	body["WhoId"] = contactID
	var out made
	v = c.call(ctx, http.MethodPatch, path, nil, body, &out)
	switch {
	case v.missing:
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonContactMissing}
	case v.ok() && out.ID == "":
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	}
	v.ID, v.Created = out.ID, v.ok() && (v.created || out.Created)
	return v.Result
}
