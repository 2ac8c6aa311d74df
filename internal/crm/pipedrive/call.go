package pipedrive

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
}

func (v verdict) ok() bool { return v.Outcome == crm.Done }

func (verdict) done() verdict { return verdict{Result: crm.Result{Outcome: crm.Done}} }

func because(o crm.Outcome, reason string) verdict {
	return verdict{Result: crm.Result{Outcome: o, Reason: reason}}
}

// additional is what a list says of its next page: API v2, and v1.
type additional struct {
	Next       string `json:"next_cursor"`
	Pagination struct {
		More bool `json:"more_items_in_collection"`
		Next int  `json:"next_start"`
	} `json:"pagination"`
}

// call makes one HTTP call and decodes a success into out, unless nil.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) verdict {
	token, err := c.token(ctx)
	if err != nil || token == "" {
		v := because(crm.NotBegun, crm.ReasonNoToken)
		v.Account = true
		return v
	}
	for name, values := range query {
		if values[0] == "" {
			delete(query, name)
		}
	}
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return because(crm.Refused, crm.ReasonInvalid)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path+"?"+query.Encode(), &body)
	if err != nil {
		return because(crm.Refused, crm.ReasonInvalid)
	}
	req.Header.Set("X-Api-Token", token)
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	answer, fault := onecall.Send(ctx, c.http, req)
	if fault.Outcome != "" {
		return verdict{Result: fault}
	}
	return judge(answer, out)
}

// judge: only what is known to mean "not processed" is a refusal.
func judge(a onecall.Answer, out any) verdict {
	switch a.Status {
	case http.StatusOK, http.StatusCreated:
		var is struct {
			Success bool `json:"success"`
		}
		if json.Unmarshal(a.Body, &is) != nil || !is.Success || out != nil && json.Unmarshal(a.Body, out) != nil {
			return because(crm.Unknown, crm.ReasonNoAnswer)
		}
		return verdict{}.done()
	case http.StatusUnauthorized:
		v := because(crm.Refused, crm.ReasonAuth)
		v.Account = true
		return v
	case http.StatusPaymentRequired, http.StatusForbidden: // perhaps this call alone
		return because(crm.Refused, crm.ReasonAuth)
	case http.StatusNotFound:
		v := because(crm.Busy, crm.ReasonChanged) // read and gone: the next call decides on what is there then
		v.RetryAfter, v.missing = 5*time.Second, true
		return v
	case http.StatusTooManyRequests:
		v := because(crm.Busy, crm.ReasonRateLimit)
		if a.Header.Get("Retry-After") == "" {
			a.Header.Set("Retry-After", a.Header.Get("X-Ratelimit-Reset"))
		}
		v.RetryAfter, v.Account = a.RetryAfter(10*time.Second), true
		return v
	case http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return because(crm.Refused, crm.ReasonInvalid)
	}
	return because(crm.Unknown, crm.ReasonServerError)
}
