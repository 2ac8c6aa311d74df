package hubspot

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"onefold/internal/crm"
)

// answerLimit bounds what is read of an answer. One record with a full note
// body is far below it.
const answerLimit = 4 << 20

// call makes one HTTP call at most once and decodes a 2xx answer into out
// (unless nil). The verdict is the whole knowledge about it.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) verdict {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	token, err := c.token(ctx)
	if err != nil || token == "" {
		return verdict{outcome: crm.NotBegun, reason: crm.ReasonNoToken, account: true}
	}

	var connected atomic.Bool
	// GetConn comes again when the transport takes another connection, which
	// it does only for a GET or where nothing of the request was written
	// (net/http, Request.isReplayable): then the last connection counts.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { connected.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	req, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return verdict{outcome: crm.Refused, reason: crm.ReasonInvalid}
	}
	req.Header.Set("Authorization", "Bearer "+token)

	resp, err := c.http.Do(req)
	if err != nil {
		// The error's kind proves nothing; only that no connection was ever
		// handed out proves that no byte left.
		if !connected.Load() {
			return verdict{outcome: crm.NotBegun, reason: crm.ReasonNoConnection, account: true}
		}
		return verdict{outcome: crm.Unknown, reason: crm.ReasonNoAnswer}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return verdict{outcome: crm.Unknown, reason: crm.ReasonNoAnswer}
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return judge(resp.StatusCode, resp.Header, body)
	}
	if out != nil {
		if err := json.Unmarshal(body, out); err != nil {
			return verdict{outcome: crm.Unknown, reason: crm.ReasonNoAnswer}
		}
	}
	return verdict{outcome: crm.Done}
}

func (c *Client) request(ctx context.Context, method, path string, query url.Values, in any) (*http.Request, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	return req, nil
}

// objectPath is a path below /crm/objects/{version}, each part escaped.
func (c *Client) objectPath(parts ...string) string {
	return joinPath("/crm/objects/"+c.version, parts)
}

// propertyPath is a path below /crm/properties/{version}, each part escaped.
func (c *Client) propertyPath(parts ...string) string {
	return joinPath("/crm/properties/"+c.version, parts)
}

func joinPath(root string, parts []string) string {
	var b strings.Builder
	b.WriteString(root)
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(p))
	}
	return b.String()
}
