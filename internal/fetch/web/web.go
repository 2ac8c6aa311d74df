// Package web fetches the public documents that sources verify with, and
// visits the addresses by which subscriptions are confirmed.
//
// Its invariant: it asks only by https, follows no redirect, and gives a
// document of the status 200 whole or none. Which hosts may be asked is the
// source's rule, which has been applied before it is called; it refuses to know
// another. A document is remembered by its address, whose content never
// changes (SNS gives a new certificate a new name).
package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"onefold/internal/fetch"
)

const (
	// maxDocument bounds a document: a certificate has some 2 KB.
	maxDocument = 64 << 10
	// maxKept bounds how many are remembered: SNS has one a region and year.
	maxKept = 32
)

// Client fetches and visits. It is safe for concurrent use.
type Client struct {
	http  *http.Client
	plain bool // http is taken too: a stand-in on this machine

	mu   sync.Mutex
	kept map[string][]byte
}

// New makes a client that waits for an answer at most as long as given. The
// HTTP client's own redirects are switched off.
func New(hc http.Client, timeout time.Duration) *Client {
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	hc.Timeout = timeout
	return &Client{http: &hc, kept: map[string][]byte{}}
}

// NewLocal is New for a stand-in on loopback, which has no https.
func NewLocal(hc http.Client, timeout time.Duration) *Client {
	c := New(hc, timeout)
	c.plain = true
	return c
}

// Document gives a document. The error wraps fetch.ErrUnavailable, or is
// fetch.ErrTooLarge; it names no address.
func (c *Client) Document(ctx context.Context, address string) ([]byte, error) {
	c.mu.Lock()
	document := c.kept[address]
	c.mu.Unlock()
	if document != nil {
		return document, nil
	}
	document, err := c.get(ctx, address)
	if err != nil {
		return nil, err
	}
	if len(document) == 0 {
		return nil, fmt.Errorf("%w: an empty document", fetch.ErrUnavailable)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= maxKept {
		clear(c.kept) // fetched again when they are asked for
	}
	c.kept[address] = document
	return document, nil
}

// Visit asks for an address once. Asking again is harmless: the caller's
// addresses confirm what is confirmed already.
func (c *Client) Visit(ctx context.Context, address string) error {
	_, err := c.get(ctx, address)
	return err
}

func (c *Client) get(ctx context.Context, address string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && (!c.plain || u.Hostname() != "127.0.0.1") {
		return nil, fmt.Errorf("%w: no https address", fetch.ErrUnavailable)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fetch.ErrUnavailable
	}
	resp, err := c.http.Do(r)
	if err != nil { // which holds the address
		return nil, errors.Join(fetch.ErrUnavailable, ctx.Err())
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%w: status %d", fetch.ErrUnavailable, resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	switch {
	case err != nil:
		return nil, errors.Join(fetch.ErrUnavailable, ctx.Err())
	case len(body) > maxDocument:
		return nil, fetch.ErrTooLarge
	}
	return body, nil
}
