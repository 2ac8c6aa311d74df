package salesforce

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// verdict is what one call came to.
type verdict struct {
	crm.Result
	again bool // nothing was written, and what was decided on is no longer so
}

func (v verdict) ok() bool { return v.Outcome == crm.Done }

func (v verdict) done() verdict { v.Outcome = crm.Done; return v }

func because(o crm.Outcome, reason string) verdict {
	return verdict{Result: crm.Result{Outcome: o, Reason: reason}}
}

func ofAccount(o crm.Outcome, reason string) verdict {
	return verdict{Result: crm.Result{Outcome: o, Reason: reason, Account: true}}
}

func later(reason string, after time.Duration) verdict {
	v := because(crm.Busy, reason)
	v.RetryAfter = after
	return v
}

// call makes one call, and once more with a new session if the one there was is
// refused: that call was not processed.
func (c *Client) call(ctx context.Context, method, path string, head http.Header, in, out any) verdict {
	body, err := json.Marshal(in)
	if err != nil {
		return because(crm.Refused, crm.ReasonInvalid)
	}
	for refused := ""; ; {
		s, fresh, v := c.enter(ctx, refused)
		if !v.ok() {
			return v
		}
		req, err := http.NewRequestWithContext(ctx, method, s.instance+path, nil)
		if err != nil {
			return because(crm.Refused, crm.ReasonInvalid)
		}
		if head != nil {
			req.Header = head.Clone()
		}
		req.Header.Set("Authorization", "Bearer "+s.token)
		req.Header.Set("Accept", "application/json")
		if in != nil {
			req.Header.Set("Content-Type", "application/json")
			req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		answer, fault := onecall.Send(ctx, c.http, req)
		switch {
		case fault.Outcome != "":
			return verdict{Result: fault}
		case answer.Status == http.StatusUnauthorized && !fresh:
			refused = s.token
		case !answer.OK():
			return judge(answer)
		case out != nil && json.Unmarshal(answer.Body, out) != nil:
			return because(crm.Unknown, crm.ReasonNoAnswer)
		default:
			return verdict{}.done()
		}
	}
}

// judge: only what is known to mean "not processed" is a refusal.
func judge(a onecall.Answer) verdict {
	var errs []struct {
		Code string `json:"errorCode"`
	}
	code := ""
	if json.Unmarshal(a.Body, &errs) == nil && len(errs) > 0 {
		code = errs[0].Code
	}
	switch a.Status {
	case http.StatusMultipleChoices: // several records of one external ID
		return because(crm.Conflict, crm.ReasonTwoRecords)
	case http.StatusUnauthorized:
		return ofAccount(crm.Refused, crm.ReasonAuth)
	case http.StatusNotFound, http.StatusPreconditionFailed: // or deleted, or a field that is not seen
		v := later(crm.ReasonChanged, 5*time.Second)
		v.again = true
		return v
	case http.StatusForbidden:
		if code != "REQUEST_LIMIT_EXCEEDED" {
			return because(crm.Refused, crm.ReasonAuth)
		}
		v := later(crm.ReasonRateLimit, a.RetryAfter(limitWait))
		v.Account = true
		return v
	case http.StatusBadRequest:
		return judgeCode(code)
	case http.StatusRequestURITooLong, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return because(crm.Refused, crm.ReasonInvalid)
	}
	return because(crm.Unknown, crm.ReasonServerError)
}

// limitWait is how long a limit is waited for: no header tells, and the limit is of
// the last 24 hours.
const limitWait = 15 * time.Minute

func judgeCode(code string) verdict {
	switch code {
	case "UNABLE_TO_LOCK_ROW", "QUERY_TIMEOUT", "REQUEST_RUNNING_TOO_LONG", "SERVER_UNAVAILABLE":
		return later(crm.ReasonLocked, 5*time.Second)
	case "DUPLICATES_DETECTED":
		return because(crm.Conflict, crm.ReasonUnseen)
	case "DUPLICATE_VALUE": // perhaps of a record that this user does not see
		v := because(crm.Conflict, crm.ReasonUnseen)
		v.again = true
		return v
	case "ENTITY_IS_DELETED", "INVALID_CROSS_REFERENCE_KEY", "MALFORMED_ID", "INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY":
		return because(crm.Refused, crm.ReasonContactMissing)
	case "INVALID_FIELD", "INVALID_FIELD_FOR_INSERT_UPDATE", "INVALID_TYPE":
		return because(crm.Refused, crm.ReasonSetup)
	}
	return because(crm.Refused, crm.ReasonInvalid)
}

// query reads records. More than an answer holds are for a person.
func (c *Client) query(ctx context.Context, soql string) ([]record, verdict) {
	var out struct {
		Done    bool     `json:"done"`
		Records []record `json:"records"`
	}
	v := c.call(ctx, http.MethodGet, version+"/query?q="+url.QueryEscape(soql), nil, nil, &out)
	switch {
	case v.ok() && out.Records == nil:
		return nil, because(crm.Unknown, crm.ReasonNoAnswer)
	case v.ok() && !out.Done:
		return nil, because(crm.Conflict, crm.ReasonTwoRecords)
	}
	return out.Records, v
}

// quoted are literals of SOQL, without control characters.
func quoted(values ...string) string {
	escape := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = "'" + escape.Replace(crm.OneLine(v)) + "'"
	}
	return strings.Join(out, ",")
}

// upsert makes the record of an external ID, or changes it.
func (c *Client) upsert(ctx context.Context, kind, field, value string, body map[string]any) verdict {
	var out struct {
		ID      string `json:"id"`
		Created bool   `json:"created"`
	}
	v := c.call(ctx, http.MethodPatch, object(kind, field, value), nil, body, &out)
	if v.ok() && out.ID == "" {
		return because(crm.Unknown, crm.ReasonNoAnswer)
	}
	v.ID, v.Created = out.ID, v.ok() && out.Created
	return v
}

func object(kind string, parts ...string) string {
	path := version + "/sobjects/" + kind
	for _, p := range parts {
		path += "/" + url.PathEscape(p)
	}
	return path
}
