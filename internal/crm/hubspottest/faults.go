package hubspottest

import (
	"net"
	"net/http"
	"strings"
	"time"
)

// Kind is what a fault does to a request.
type Kind int

// The kinds of fault.
const (
	FailNotPersist Kind = iota + 1 // 500, nothing written
	FailButPersist                 // 500, after writing
	CutBefore                      // connection cut, nothing written
	CutAfter                       // connection cut, after writing
	Throttle                       // 429 with Retry-After: 7, nothing written
	Locked                         // 423 with Retry-After: 2, nothing written
	HoldBefore                     // waits for Delay and Until, then goes on, even if the caller has gone
	HoldAfter                      // the same, after writing
)

// AnyWrite as a Fault's Op stands for every operation that can change a record.
const AnyWrite = "write"

// Fault is scripted for coming requests. Faults are tried in the order they
// were scripted; a request meets at most one.
type Fault struct {
	Op    string // "contacts.upsert" (see routes.go), AnyWrite, or "" for any request
	Kind  Kind
	Skip  int // so many matching requests pass first
	Times int // so many then meet the fault; 0 is 1

	// For HoldBefore and HoldAfter: Entered is called when the wait begins.
	// A test closes Until before its server stops.
	Delay   time.Duration
	Until   <-chan struct{}
	Entered func()
}

// Script adds faults.
func (s *Server) Script(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		f.Times = max(f.Times, 1)
		s.faults = append(s.faults, &f)
	}
}

// admit notes the call, checks token and rate, and finds its fault.
func (s *Server) admit(op string, r *http.Request) (n int, f *Fault, failed *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) >= callsKept {
		s.calls = append([]Call(nil), s.calls[callsKept/2:]...)
		s.dropped += callsKept / 2
	}
	n = s.dropped + len(s.calls)
	s.calls = append(s.calls, Call{Op: op, Method: r.Method, Path: r.URL.RequestURI()})

	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || given == "" || s.token != "" && given != s.token {
		return n, nil, unauthorized()
	}
	if s.opts.RateLimit > 0 {
		now := s.opts.Now()
		if now.Sub(s.window) >= s.opts.RateWindow {
			s.window, s.used = now, 0
		}
		if s.used >= s.opts.RateLimit {
			return n, nil, throttled()
		}
		s.used++
	}
	return n, s.takeFault(op), nil
}

func (s *Server) takeFault(op string) *Fault {
	for i, f := range s.faults {
		if f.Op != "" && f.Op != op && (f.Op != AnyWrite || !writes(op)) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		f.Times--
		if f.Times == 0 {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
		}
		taken := *f
		return &taken
	}
	return nil
}

func (s *Server) answered(n, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := n - s.dropped; i >= 0 && i < len(s.calls) {
		s.calls[i].Status = status
	}
}

func (f *Fault) is(k Kind) bool { return f != nil && f.Kind == k }

func (f *Fault) before() *apiError {
	switch {
	case f.is(FailNotPersist):
		return internal()
	case f.is(Throttle):
		return throttled()
	case f.is(Locked):
		return locked()
	case f.is(HoldBefore):
		f.hold()
	}
	return nil
}

func (f *Fault) after() *apiError {
	switch {
	case f.is(FailButPersist):
		return internal()
	case f.is(HoldAfter):
		f.hold()
	}
	return nil
}

func (f *Fault) cutsBefore() bool { return f.is(CutBefore) }
func (f *Fault) cutsAfter() bool  { return f.is(CutAfter) }

// hold ignores the request's context on purpose: a vendor's work goes on when
// its caller has given up.
func (f *Fault) hold() {
	if f.Entered != nil {
		f.Entered()
	}
	if f.Delay > 0 {
		<-time.After(f.Delay)
	}
	if f.Until != nil {
		<-f.Until
	}
}

// cut closes the connection without an answer.
func cut(w http.ResponseWriter) {
	h, ok := w.(http.Hijacker)
	if !ok {
		return // unreachable: HTTP/1.1 connections can be hijacked
	}
	conn, _, err := h.Hijack()
	if err != nil {
		return
	}
	if t, ok := conn.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // a reset, not an orderly end
	}
	_ = conn.Close()
}
