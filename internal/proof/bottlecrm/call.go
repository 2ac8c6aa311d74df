package bottlecrm

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"onefold/internal/crm"
	"onefold/internal/crm/onecall"
)

// call makes one HTTP call and decodes a whole 2xx answer into out. A crash leaves
// at most this one call under way: the next upsert looks for what it made.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) verdict {
	token, err := c.token(ctx)
	if err != nil || token == "" {
		return account(crm.NotBegun, crm.ReasonNoToken)
	}
	return c.callAs(ctx, token, method, path, query, in, out)
}

func (c *Client) callAs(ctx context.Context, token, method, path string, query url.Values, in, out any) verdict {
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
	answer, fault := onecall.Send(ctx, c.http, req)
	switch {
	case fault.Outcome != "":
		return verdict{Result: fault}
	case answer.Status != http.StatusOK && answer.Status != http.StatusCreated:
		return judge(answer)
	case json.Unmarshal(answer.Body, out) != nil:
		return because(crm.Unknown, crm.ReasonNoAnswer)
	}
	return because(crm.Done, "")
}
