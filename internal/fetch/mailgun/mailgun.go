// Package mailgun fetches the mail that Mailgun stored, as raw MIME.
//
// Its invariant: the account's key goes to an address of Mailgun's API and
// nowhere else, since the address came in a field that nobody signed. It
// refuses redirects and more than fetch.MaxContent bytes.
package mailgun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"onefold/internal/fetch"
	source "onefold/internal/webhook/mailgun"
)

// Client asks Mailgun. It is safe for concurrent use.
type Client struct{ http *http.Client }

// New makes a client. The HTTP client's own redirects are switched off.
func New(hc http.Client) *Client {
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{http: &hc}
}

// Raw is fetch.Mail's; the ID is the mail's address, message-url. "Storing and
// Retrieving Messages": asked with Accept: message/rfc2822, Mailgun answers
// JSON whose body-mime is the whole mail. Mailgun keeps it for up to 3 days.
func (c *Client) Raw(ctx context.Context, key, id string) ([]byte, error) {
	if _, ok := source.StoredKey(id); !ok {
		return nil, fmt.Errorf("%w: no address of Mailgun's API", fetch.ErrUnavailable)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, fetch.ErrUnavailable
	}
	r.SetBasicAuth("api", key)
	r.Header.Set("Accept", "message/rfc2822")
	resp, err := c.http.Do(r)
	if err != nil { // which holds the address
		return nil, errors.Join(fetch.ErrUnavailable, ctx.Err())
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusGone:
		return nil, fetch.ErrGone
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, fetch.ErrRefused
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%w: status %d", fetch.ErrUnavailable, resp.StatusCode)
	}
	return read(resp.Body)
}

// maxAnswer is room for the largest mail, escaped as JSON.
const maxAnswer = 2 * fetch.MaxContent

func read(body io.Reader) ([]byte, error) {
	answer, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fetch.ErrUnavailable
	case len(answer) > maxAnswer:
		return nil, fetch.ErrTooLarge
	}
	var mail struct {
		Raw string `json:"body-mime"`
	}
	if err := json.Unmarshal(answer, &mail); err != nil || mail.Raw == "" {
		return nil, fmt.Errorf("%w: its answer holds no mail", fetch.ErrUnavailable)
	}
	if len(mail.Raw) > fetch.MaxContent {
		return nil, fetch.ErrTooLarge
	}
	return []byte(mail.Raw), nil
}
