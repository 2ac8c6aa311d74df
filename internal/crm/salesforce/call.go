package salesforce

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// verdict is what one call came to.
type verdict struct {
	crm.Result
	missing bool // no such record
	created bool
	since   string // Last-Modified of the record
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
	for {
		s, fresh, v := c.enter(ctx)
		if !v.ok() {
			return v
		}
		var body bytes.Buffer
		if in != nil {
			if err := json.NewEncoder(&body).Encode(in); err != nil {
				return because(crm.Refused, crm.ReasonInvalid)
			}
		}
		req, err := http.NewRequestWithContext(ctx, method, s.instance+path, &body)
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
		}
		answer, fault := onecall.Send(ctx, c.http, req)
		if fault.Outcome != "" {
			return verdict{Result: fault}
		}
		if answer.Status == http.StatusUnauthorized {
			if c.leave(s); !fresh {
				continue
			}
		}
		return judge(answer, out)
	}
}

// judge: only what is known to mean "not processed" is a refusal.
func judge(a onecall.Answer, out any) verdict {
	var errs []struct {
		Code string `json:"errorCode"`
	}
	code := ""
	if json.Unmarshal(a.Body, &errs) == nil && len(errs) > 0 {
		code = errs[0].Code
	}
	switch a.Status {
	case http.StatusOK, http.StatusCreated:
		if out != nil && json.Unmarshal(a.Body, out) != nil {
			return because(crm.Unknown, crm.ReasonNoAnswer)
		}
		return verdict{created: a.Status == http.StatusCreated, since: a.Header.Get("Last-Modified")}.done()
	case http.StatusNoContent:
		return verdict{}.done()
	case http.StatusMultipleChoices: // several records of one external ID
		return because(crm.Conflict, crm.ReasonTwoRecords)
	case http.StatusUnauthorized:
		return ofAccount(crm.Refused, crm.ReasonAuth)
	case http.StatusNotFound:
		v := later(crm.ReasonChanged, 5*time.Second)
		v.missing = true
		return v
	case http.StatusPreconditionFailed:
		return later(crm.ReasonChanged, 5*time.Second)
	case http.StatusForbidden:
		if code == "REQUEST_LIMIT_EXCEEDED" {
			v := later(crm.ReasonRateLimit, a.RetryAfter(15*time.Minute))
			v.Account = true
			return v
		}
		return because(crm.Refused, crm.ReasonAuth)
	case http.StatusTooManyRequests:
		v := later(crm.ReasonRateLimit, a.RetryAfter(time.Minute))
		v.Account = true
		return v
	case http.StatusBadRequest:
		return judgeCode(code)
	}
	return because(crm.Unknown, crm.ReasonServerError)
}

func judgeCode(code string) verdict {
	switch code {
	case "UNABLE_TO_LOCK_ROW":
		return later(crm.ReasonLocked, 5*time.Second)
	case "DUPLICATES_DETECTED":
		return because(crm.Conflict, crm.ReasonUnseen)
	case "DUPLICATE_VALUE":
		return because(crm.Conflict, crm.ReasonTwoRecords)
	case "ENTITY_IS_DELETED", "INVALID_CROSS_REFERENCE_KEY", "MALFORMED_ID":
		v := because(crm.Refused, crm.ReasonContactMissing)
		v.missing = true
		return v
	case "INVALID_FIELD":
		return because(crm.Refused, crm.ReasonSetup)
	}
	return because(crm.Refused, crm.ReasonInvalid)
}

// made is the answer to a write by an external ID.
type made struct {
	ID      string `json:"id"`
	Created bool   `json:"created"`
}

func object(kind string, parts ...string) string {
	path := version + "/sobjects/" + kind
	for _, p := range parts {
		path += "/" + url.PathEscape(p)
	}
	return path
}
