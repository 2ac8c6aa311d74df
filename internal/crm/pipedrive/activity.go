package pipedrive

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"onefold/internal/crm"
)

// maxPages bounds how far a person's notes or activities are looked through, 500
// a page, newest first. Whoever has more is beyond what can be looked through.
const maxPages = 20

// mark is the last line of a text, by which the record is found again.
func mark(ref string) string { return "[onefold:" + html.EscapeString(ref) + "]" }

// text is a body in HTML with the mark below it. A mark in the body, as somebody
// quotes one, is none.
func text(body, ref string) string {
	return crm.RichText(strings.ReplaceAll(body, "[onefold:", "[onefold "), 60_000) + "<p>" + mark(ref) + "</p>"
}

// UpsertNote makes a note if the person has none of the reference.
func (c *Client) UpsertNote(ctx context.Context, n crm.Note) crm.Result {
	id, _ := strconv.ParseInt(n.ContactID, 10, 64)
	return c.file(ctx, n.Ref, n.ContactID, notes(), map[string]any{
		"content": text(n.Body, n.Ref), "person_id": id, "add_time": n.At.UTC().Format("2006-01-02 15:04:05"),
	})
}

// UpsertTask makes an activity of type task, likewise.
func (c *Client) UpsertTask(ctx context.Context, t crm.Task) crm.Result {
	id, _ := strconv.ParseInt(t.ContactID, 10, 64)
	return c.file(ctx, t.Ref, t.ContactID, activities(), map[string]any{
		"subject": line(t.Title), "type": "task", "note": text(t.Body, t.Ref), "done": false,
		"due_date": t.Due.UTC().Format("2006-01-02"), "due_time": t.Due.UTC().Format("15:04"),
		"participants": []map[string]any{{"person_id": id, "primary": true}},
	})
}

// list is a kind of record that is listed by person, newest first.
type list struct {
	path  string
	query url.Values
	text  func(listed) string
}

type listed struct {
	ID      int64  `json:"id"`
	Content string `json:"content"` // of a note
	Note    string `json:"note"`    // of an activity
}

func notes() list {
	return list{"/v1/notes", url.Values{"sort": {"id DESC"}}, func(l listed) string { return l.Content }}
}

func activities() list {
	return list{"/api/v2/activities", url.Values{"sort_by": {"id"}, "sort_direction": {"desc"}}, func(l listed) string { return l.Note }}
}

func (c *Client) file(ctx context.Context, ref, personID string, of list, body map[string]any) crm.Result {
	if ref == "" || personID == "" {
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}
	}
	_, v := c.read(ctx, personID)
	switch {
	case v.missing:
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonContactMissing}
	case !v.ok():
		return v.Result
	}
	id, v := c.filed(ctx, ref, personID, of)
	switch {
	case !v.ok():
		return v.Result
	case id != 0:
		return crm.Result{Outcome: crm.Done, ID: strconv.FormatInt(id, 10)}
	}
	made, _, v := ask[listed](ctx, c, http.MethodPost, of.path, nil, body)
	switch {
	case v.missing:
		return crm.Result{Outcome: crm.Refused, Reason: crm.ReasonContactMissing}
	case v.ok() && made.ID == 0:
		return crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	case v.ok():
		v.ID, v.Created = strconv.FormatInt(made.ID, 10), true
	}
	return v.Result
}

// filed looks for the record of a reference; 0 is none.
func (c *Client) filed(ctx context.Context, ref, personID string, of list) (int64, verdict) {
	cursor, start := "", 0
	for range maxPages {
		query := url.Values{"person_id": {personID}, "limit": {"500"}, "cursor": {cursor}}
		if start > 0 {
			query.Set("start", strconv.Itoa(start))
		}
		for name, value := range of.query {
			query[name] = value
		}
		page, more, v := ask[[]listed](ctx, c, http.MethodGet, of.path, query, nil)
		if !v.ok() {
			return 0, v
		}
		for _, l := range page {
			if strings.Contains(of.text(l), mark(ref)) {
				return l.ID, done()
			}
		}
		cursor, start = more.Next, more.Pagination.Next
		if cursor == "" && !more.Pagination.More {
			return 0, done()
		}
	}
	return 0, because(crm.Conflict, crm.ReasonUnseen)
}
