package bottlecrm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"onefold/internal/crm"
)

// callTimeout bounds one HTTP call when the caller's deadline is later.
const callTimeout = 20 * time.Second

// answerLimit bounds what is read of an answer. The largest is a page of 200
// interactions of at most 10,000 characters.
const answerLimit = 16 << 20

// call makes one HTTP call and decodes a whole 2xx answer into out. Nothing is
// repeated here; net/http may repeat a read whose reused connection broke, never
// a write of which anything was sent. A crash leaves at most this one call under
// way: the next upsert looks for what it made.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) verdict {
	token, err := c.token(ctx)
	if err != nil || token == "" {
		return account(crm.NotBegun, crm.ReasonNoToken)
	}
	return c.callAs(ctx, token, method, path, query, in, out)
}

func (c *Client) callAs(ctx context.Context, token, method, path string, query url.Values, in, out any) verdict {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { connected.Store(false) }, // another one is taken where nothing was written
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return because(crm.Refused, crm.ReasonInvalid)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path+"?"+query.Encode(), body)
	if err != nil {
		return because(crm.Refused, crm.ReasonInvalid)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil && !connected.Load() { // no connection was handed out: no byte left
		return account(crm.NotBegun, crm.ReasonNoConnection)
	}
	if err != nil {
		return because(crm.Unknown, crm.ReasonNoAnswer)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return because(crm.Unknown, crm.ReasonNoAnswer)
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		return judge(resp.StatusCode, resp.Header, answer)
	}
	if json.Unmarshal(answer, out) != nil {
		return because(crm.Unknown, crm.ReasonNoAnswer)
	}
	return because(crm.Done, "")
}
