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
	missing bool      // no such record
	at      time.Time // by the vendor's clock; zero if it does not tell
}

func (v verdict) ok() bool { return v.Outcome == crm.Done }

func because(o crm.Outcome, reason string) verdict {
	return verdict{Result: crm.Result{Outcome: o, Reason: reason}}
}

// done is a verdict without a fault.
func done() verdict { return because(crm.Done, "") }

// account is a fault that every other call would meet too.
func account(o crm.Outcome, reason string, wait time.Duration) verdict {
	return verdict{Result: crm.Result{Outcome: o, Reason: reason, RetryAfter: wait, Account: true}}
}

// additional is what a list says of its next page: API v2, and v1.
type additional struct {
	Next       string `json:"next_cursor"`
	Pagination struct {
		More bool `json:"more_items_in_collection"`
		Next int  `json:"next_start"`
	} `json:"pagination"`
}

// ask makes one call and gives the data of its answer, and where a list goes on.
func ask[T any](ctx context.Context, c *Client, method, path string, query url.Values, in any) (T, additional, verdict) {
	var out struct {
		Data       T          `json:"data"`
		Additional additional `json:"additional_data"`
	}
	v := c.call(ctx, method, path, query, in, &out)
	return out.Data, out.Additional, v
}

// call makes one HTTP call and decodes a success into out, unless nil.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) verdict {
	token, err := c.token(ctx)
	if err != nil || token == "" {
		return account(crm.NotBegun, crm.ReasonNoToken, 0)
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
		v := done()
		v.at, _ = http.ParseTime(a.Header.Get("Date"))
		return v
	case http.StatusUnauthorized, http.StatusPaymentRequired: // 402: the account is not open
		return account(crm.Refused, crm.ReasonAuth, 0)
	case http.StatusForbidden:
		if !json.Valid(a.Body) { // the page for whoever keeps on after 429
			return account(crm.Busy, crm.ReasonRateLimit, 15*time.Minute)
		}
		return because(crm.Refused, crm.ReasonAuth) // perhaps this call alone
	case http.StatusNotFound:
		v := because(crm.Busy, crm.ReasonChanged) // read and gone: the next call decides on what is there then
		v.RetryAfter, v.missing = 5*time.Second, true
		return v
	case http.StatusTooManyRequests:
		if a.Header.Get("Retry-After") == "" {
			a.Header.Set("Retry-After", a.Header.Get("X-Ratelimit-Reset"))
		}
		return account(crm.Busy, crm.ReasonRateLimit, a.RetryAfter(10*time.Second))
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusGone, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return because(crm.Refused, crm.ReasonInvalid)
	}
	return because(crm.Unknown, crm.ReasonServerError)
}
