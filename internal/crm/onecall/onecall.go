// Package onecall makes one HTTP call for an adapter of a CRM, and says what is
// known of it when it got no answer.
//
// Its invariant: a call is made at most once, and is said not to have begun only
// if no connection was ever handed out, which alone proves that no byte left. It
// follows no redirect and retries nothing. (net/http may repeat a read whose
// reused connection broke, never a write of which anything was sent.) What an
// answer means is the adapter's to say.
package onecall

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"onefold/internal/crm"
)

// Timeout bounds one call when the caller's deadline is later.
const Timeout = 20 * time.Second

// answerLimit bounds what is read of an answer, in bytes. One record with a full
// note is far below it.
const answerLimit = 4 << 20

// Client is a client without redirects: one would carry the token elsewhere and
// could turn one call into two. The default transport serves if hc is nil.
func Client(hc *http.Client) *http.Client {
	var own http.Client
	if hc != nil {
		own = *hc
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// Base checks the root of an API, scheme://host. Plain http is taken for loopback
// alone, as the token travels with it. The error names no address.
func Base(root string) (string, error) {
	u, err := url.Parse(root)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Path != "" && u.Path != "/":
		return "", errors.New("the address is not scheme://host")
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return "", errors.New("the address is neither https nor loopback")
	}
	return u.Scheme + "://" + u.Host, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Answer is a whole answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// OK reports a status from 200 to 299.
func (a Answer) OK() bool { return a.Status >= 200 && a.Status <= 299 }

// RetryAfter reads the header in seconds (RFC 9110, 10.2.3), within a second and a
// day, or gives the default.
func (a Answer) RetryAfter(otherwise time.Duration) time.Duration {
	n, err := strconv.ParseInt(a.Header.Get("Retry-After"), 10, 64)
	if err != nil || n < 0 {
		return otherwise
	}
	return time.Duration(min(max(n, 1), 86400)) * time.Second
}

// Send makes the call that the request describes, without its context. The result
// is the zero Result if there is an answer, NotBegun if no connection was
// obtained, else Unknown.
func Send(ctx context.Context, client *http.Client, req *http.Request) (Answer, crm.Result) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	var connected atomic.Bool
	// GetConn comes again when the transport takes another connection, which it
	// does only for a read or where nothing of the request was written (net/http,
	// Request.isReplayable): then the last connection counts.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { connected.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	resp, err := client.Do(req.WithContext(ctx))
	switch {
	case err != nil && !connected.Load():
		return Answer{}, crm.Result{Outcome: crm.NotBegun, Reason: crm.ReasonNoConnection, Account: true}
	case err != nil:
		return Answer{}, crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	if err != nil {
		return Answer{}, crm.Result{Outcome: crm.Unknown, Reason: crm.ReasonNoAnswer}
	}
	return Answer{resp.StatusCode, resp.Header, body}, crm.Result{}
}
