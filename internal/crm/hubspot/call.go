package hubspot

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// call makes one HTTP call at most once and decodes a 2xx answer into out
// (unless nil). The verdict is the whole knowledge about it.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) verdict {
	token, err := c.token(ctx)
	if err != nil || token == "" {
		return verdict{outcome: crm.NotBegun, reason: crm.ReasonNoToken, account: true}
	}

	req, err := c.request(ctx, method, path, query, in)
	if err != nil {
		return verdict{outcome: crm.Refused, reason: crm.ReasonInvalid}
	}
	req.Header.Set("Authorization", "Bearer "+token)

	answer, fault := onecall.Send(ctx, c.http, req)
	if fault.Outcome != "" {
		return verdict{outcome: fault.Outcome, reason: fault.Reason, account: fault.Account}
	}
	if !answer.OK() {
		return judge(answer)
	}
	if out != nil {
		if err := json.Unmarshal(answer.Body, out); err != nil {
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
