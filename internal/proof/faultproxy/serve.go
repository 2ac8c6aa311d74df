package faultproxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxBody is more than any request to DynamoDB may have (16 MB, Service
// Quotas, read 2026-11).
const maxBody = 32 << 20

// ServeHTTP does to one request what a rule says, or forwards it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.busy.Add(1)
	defer p.busy.Done()
	// All of the body first: net/http notices a client that goes away only
	// when there is nothing left to read.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		cut(w)
		return
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	req := Request{Operation: operation, Body: body}
	rule := p.pick(req)
	if rule == nil {
		rule = &standing{Rule: Rule{Fault: Pass}}
	}
	p.happen(w, r, req, rule.Rule)
}

// happen does it. It is counted before the client is told: whoever has an
// answer finds it in the counts.
func (p *Proxy) happen(w http.ResponseWriter, r *http.Request, req Request, rule Rule) {
	hit := func() {
		if rule.Hit != nil {
			rule.Hit(req)
		}
	}
	onward := true
	switch rule.Fault {
	case DropAfter, DelayAnswer, FailAfter:
	default:
		hit()
	}
	switch rule.Fault {
	case Conflict, Throttle, Exceeded, FailBefore:
		p.count(rule.Fault, req)
		answer(w, rule.Fault, req)
		return
	case DropBefore:
		onward = false
	case Delay:
		onward = p.hold(r, rule.Wait)
	default:
	}
	if !onward {
		p.count(rule.Fault, req)
		cut(w)
		return
	}
	got, err := p.forward(r, req.Body)
	if err != nil {
		p.count(Unreached, req)
		cut(w)
		return
	}
	switch rule.Fault {
	case DropAfter, DelayAnswer, FailAfter:
		hit()
	default:
	}
	if rule.Fault == DelayAnswer {
		onward = p.hold(r, rule.Wait)
	}
	p.count(rule.Fault, req)
	switch {
	case rule.Fault == DropAfter || !onward:
		cut(w)
	case rule.Fault == FailAfter:
		answer(w, rule.Fault, req)
	default:
		copyTo(w, got)
	}
}

func (p *Proxy) count(f Fault, r Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.did[done{f, r.Operation}]++
}

// hold waits; false if the client went away or the proxy was closed.
func (p *Proxy) hold(r *http.Request, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-p.ctx.Done():
	}
	return false
}

// answered is the target's whole answer.
type answered struct {
	status int
	header http.Header
	body   []byte
}

// forward sends the request on, once, and reads the whole answer. A client
// that goes away meanwhile does not call its request back: it is on its way.
func (p *Proxy) forward(r *http.Request, body []byte) (answered, error) {
	target := *r.URL
	target.Scheme, target.Host = p.target.Scheme, p.target.Host
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)() //nolint:contextcheck // the end of the proxy ends the request too
	out, err := http.NewRequestWithContext(ctx, r.Method, target.String(), bytes.NewReader(body))
	if err != nil {
		return answered{}, err
	}
	out.Header = r.Header.Clone()
	out.Header.Del("Connection")
	resp, err := p.client.RoundTrip(out)
	if err != nil {
		return answered{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	got := answered{status: resp.StatusCode, header: resp.Header}
	got.body, err = io.ReadAll(resp.Body)
	return got, err
}

func copyTo(w http.ResponseWriter, got answered) {
	for name, values := range got.header {
		if name != "Connection" && name != "Transfer-Encoding" && name != "Keep-Alive" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(got.status)
	_, _ = w.Write(got.body) // the client may be gone
}

// cut ends the connection without an answer.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // unreachable: HTTP/1 on a plain listener
	}
	_ = conn.Close()
}
