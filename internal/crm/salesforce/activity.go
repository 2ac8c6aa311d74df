package salesforce

import (
	"context"
	"strings"
	"unicode"

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
		"Subject": "Enquiry", "Description": plain(n.Body), "Status": "Completed", "ActivityDate": n.At.UTC().Format("2006-01-02"),
	})
}

// UpsertTask files the task, with the status that the account gives a new one.
func (c *Client) UpsertTask(ctx context.Context, t crm.Task) crm.Result {
	return c.file(ctx, t.Ref, t.ContactID, map[string]any{
		"Subject": crm.Cut(crm.OneLine(t.Title), subjectLimit, "…"), "Description": plain(t.Body), "ActivityDate": t.Due.UTC().Format("2006-01-02"),
	})
}

// plain is a text without control characters but for the ends of its lines.
func plain(s string) string {
	return crm.Cut(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, s), bodyLimit, "…")
}

// file looks first, so that a repeat does not undo what a person did; then makes
// the task by its external ID, with its contact in the same request.
func (c *Client) file(ctx context.Context, ref, contactID string, body map[string]any) crm.Result {
	if ref == "" || contactID == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	v := c.filed(ctx, ref)
	if v.ok() && v.ID == "" {
		body["WhoId"] = contactID
		if v = c.upsert(ctx, "Task", FieldEvent, ref, body); v.again { // somebody was quicker
			if is := c.filed(ctx, ref); !is.ok() || is.ID != "" {
				v = is
			}
		}
	}
	return v.Result
}

// filed finds a task by its key; its ID is "" if there is none.
func (c *Client) filed(ctx context.Context, ref string) verdict {
	rows, v := c.query(ctx, "SELECT Id FROM Task WHERE "+FieldEvent+" = "+quoted(ref))
	switch len(rows) {
	case 0:
	case 1:
		v.ID = rows[0].ID
	default:
		return because(crm.Conflict, crm.ReasonTwoRecords)
	}
	return v
}
