package hubspot

import (
	"context"
	"net/http"
	"time"

	"onefold/internal/crm"
)

// timestamp is the form of date-time properties: UTC, milliseconds.
const timestamp = "2006-01-02T15:04:05.000Z"

// UpsertNote files the note on the contact's record.
func (c *Client) UpsertNote(ctx context.Context, n crm.Note) crm.Result {
	if n.Ref == "" || n.ContactID == "" || n.At.IsZero() {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	return c.activity(ctx, "notes", n.Ref, n.ContactID, map[string]string{
		"hs_timestamp": stamp(n.At),
		"hs_note_body": crm.RichText(n.Body, bodyLimit),
	})
}

// UpsertTask files the task on the contact's record, not started.
func (c *Client) UpsertTask(ctx context.Context, t crm.Task) crm.Result {
	if t.Ref == "" || t.ContactID == "" || t.Due.IsZero() {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	return c.activity(ctx, "tasks", t.Ref, t.ContactID, map[string]string{
		"hs_timestamp":    stamp(t.Due),
		"hs_task_subject": crm.Cut(crm.OneLine(t.Title), lineLimit, "…"),
		"hs_task_body":    crm.RichText(t.Body, bodyLimit),
		"hs_task_status":  "NOT_STARTED",
		"hs_task_type":    "TODO",
	})
}

func stamp(t time.Time) string { return t.UTC().Format(timestamp) }

// activity reads first, so that a repeat does not undo what a person did to
// the record; then upserts, which is what makes a second record impossible;
// then associates. The association is made on every call: an earlier call may
// have stopped before it.
func (c *Client) activity(ctx context.Context, kind, ref, contactID string, props map[string]string) crm.Result {
	r, v := c.read(ctx, kind, ref, PropEventKey, PropEventKey)
	id, created, wrote := r.ID, false, false
	if v.missing {
		id, created, v = c.upsert(ctx, kind, PropEventKey, ref, props)
		wrote = v.ok()
		if v.collision {
			// Another attempt made it between the read and the upsert.
			r, v = c.read(ctx, kind, ref, PropEventKey, PropEventKey)
			id = r.ID
		}
	}
	if !v.ok() {
		return refusal(v)
	}

	v = c.call(ctx, http.MethodPut, c.objectPath(kind, id, "associations", "default", contacts, contactID), nil, nil, nil)
	switch {
	case v.ok():
		return crm.Result{Outcome: crm.Done, ID: id, Created: created}
	case v.missing:
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonContactMissing}
	case v.collision, wrote && (v.outcome == crm.Busy || v.outcome == crm.NotBegun):
		// These promise that nothing was written, and the record was.
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonPartial, RetryAfter: v.retryAfter}
	default:
		return v.result()
	}
}
