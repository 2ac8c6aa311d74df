// Package resend fetches the mail that Resend received, as raw MIME.
//
// Its invariant: the key goes to Resend's API and nowhere else; the place from
// which the mail is then loaded, which the API names, gets none. It refuses
// redirects, addresses that are not https and more than fetch.MaxContent bytes.
package resend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"onefold/internal/fetch"
)

// API is Resend's address.
const API = "https://api.resend.com"

// maxAnswer bounds what the API says of a mail; it holds the text too.
const maxAnswer = 64 << 20

// Client asks Resend. It is safe for concurrent use.
type Client struct {
	base  string
	http  *http.Client
	plain bool // http is taken too: a stand-in on this machine
}

// New makes a client of the API at an address, API but for a stand-in on
// loopback. The HTTP client's own redirects are switched off.
func New(base string, hc http.Client) (*Client, error) {
	u, err := url.Parse(base)
	plain := err == nil && u.Scheme == "http" && (u.Hostname() == "127.0.0.1" || u.Hostname() == "localhost")
	if err != nil || u.Host == "" || u.Path != "" || u.Scheme != "https" && !plain {
		return nil, errors.New("resend: the address is https:// and a host")
	}
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: base, http: &hc, plain: plain}, nil
}

// Raw is fetch.Mail's. "Retrieve Received Email" names the raw mail's place,
// which is good for some time: GET /emails/receiving/{id}, raw.download_url
// (resend-openapi; that the answer always has it was seen with others and not
// at Resend, and an answer without it is ErrUnavailable).
func (c *Client) Raw(ctx context.Context, key, id string) ([]byte, error) {
	answer, err := c.get(ctx, c.base+"/emails/receiving/"+url.PathEscape(id), key, maxAnswer)
	if err != nil {
		return nil, fmt.Errorf("ask for a received mail: %w", err)
	}
	var mail struct {
		Raw struct {
			DownloadURL string `json:"download_url"`
		} `json:"raw"`
	}
	if err := json.Unmarshal(answer, &mail); err != nil {
		return nil, fmt.Errorf("%w: its answer is no JSON", fetch.ErrUnavailable)
	}
	place, err := url.Parse(mail.Raw.DownloadURL)
	if err != nil || place.Host == "" || place.Scheme != "https" && !c.plain {
		return nil, fmt.Errorf("%w: its answer names no place of the raw mail", fetch.ErrUnavailable)
	}
	raw, err := c.get(ctx, mail.Raw.DownloadURL, "", fetch.MaxContent)
	if errors.Is(err, fetch.ErrGone) || errors.Is(err, fetch.ErrRefused) {
		err = fetch.ErrUnavailable // the place has lapsed: the next try gets a new one
	}
	if err != nil {
		return nil, fmt.Errorf("load a received mail: %w", err)
	}
	if len(raw) == 0 {
		return nil, fmt.Errorf("load a received mail: %w: it is empty", fetch.ErrUnavailable)
	}
	return raw, nil
}

func (c *Client) get(ctx context.Context, address, key string, most int64) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fetch.ErrUnavailable
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, unavailable(ctx) // err holds the address
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
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return nil, unavailable(ctx)
	case int64(len(body)) > most:
		return nil, fetch.ErrTooLarge
	}
	return body, nil
}

func unavailable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", fetch.ErrUnavailable, err)
	}
	return fetch.ErrUnavailable
}
