package pipedrivetest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is what a fault does to a request.
type Kind int

// The kinds of fault.
const (
	FailBefore Kind = iota + 1 // 500, nothing written
	FailAfter                  // 503, after writing
	CutBefore                  // connection cut, nothing written
	CutAfter                   // connection cut, after writing
	LandLater                  // connection cut; it is written nearly two minutes later
	Throttle                   // 429 with x-ratelimit-reset: 10, nothing written
	TurnedAway                 // the 403 page of who keeps on after 429, nothing written
	Hold                       // waits for Until, then goes on, even if the caller has gone
)

// landing is how long LandLater takes.
const landing = 110 * time.Second

// Fault is scripted for a coming request.
type Fault struct {
	Kind   Kind
	Skip   int  // so many requests pass first
	Writes bool // it is for requests that may write, and only those are counted
	// For Hold: Entered is called when the wait begins. A test closes Until before
	// its server stops.
	Until   <-chan struct{}
	Entered func()
}

// Call is one request that the account received.
type Call struct {
	Method, Path string
	Status       int // as answered; 0 if the connection was cut
}

// late is a write that was accepted and takes effect at that time.
type late struct {
	at time.Time
	do func(at time.Time)
}

// Script adds faults; a request meets one at most.
func (a *Account) Script(faults ...Fault) {
	a.locked(func() {
		for _, f := range faults {
			a.faults = append(a.faults, &f)
		}
	})
}

// Calls are the requests so far, the oldest first.
func (a *Account) Calls() (out []Call) {
	a.locked(func() { out = slices.Clone(a.calls) })
	return out
}

// Idle waits until no request is being served. No new one may come meanwhile.
func (a *Account) Idle() { a.busy.Wait() }

// land lets take effect what is due.
func (a *Account) land() {
	now := a.now()
	due := slices.DeleteFunc(slices.Clone(a.late), func(l late) bool { return l.at.After(now) })
	a.late = slices.DeleteFunc(a.late, func(l late) bool { return !l.at.After(now) })
	for _, l := range due {
		l.do(l.at)
	}
}

func (a *Account) meets(write bool) *Fault {
	for i, f := range a.faults {
		if f.Writes && !write {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		a.faults = slices.Delete(a.faults, i, i+1)
		return f
	}
	return nil
}

// ServeHTTP serves the API.
func (a *Account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.busy.Add(1)
	defer a.busy.Done()
	body, _ := io.ReadAll(r.Body)
	write := r.Method != http.MethodGet
	n, f := 0, (*Fault)(nil)
	a.locked(func() {
		n, f = len(a.calls), a.meets(write)
		a.calls = append(a.calls, Call{Method: r.Method, Path: r.URL.RequestURI()})
	})
	kind := Kind(0)
	if f != nil {
		kind = f.Kind
	}
	if kind == Hold {
		f.Entered()
		<-f.Until
	}
	var out answer
	switch kind {
	case FailBefore:
		out = refusal(http.StatusInternalServerError)
	case Throttle:
		out = refusal(http.StatusTooManyRequests)
	case TurnedAway:
		out = answer{status: http.StatusForbidden, page: "<html>access denied</html>"}
	case CutBefore:
		panic(http.ErrAbortHandler)
	case LandLater:
		a.locked(func() {
			a.late = append(a.late, late{a.now().Add(landing), func(at time.Time) { a.act(r, body, at) }})
		})
		panic(http.ErrAbortHandler)
	default:
		a.locked(func() { out = a.act(r, body, a.now()) })
	}
	if kind == CutAfter {
		panic(http.ErrAbortHandler)
	}
	if kind == FailAfter {
		out = refusal(http.StatusServiceUnavailable)
	}
	a.locked(func() {
		a.calls[n].Status = out.status
		w.Header().Set("Date", a.now().UTC().Format(http.TimeFormat))
	})
	if out.status == http.StatusTooManyRequests {
		w.Header().Set("X-Ratelimit-Reset", strconv.Itoa(10))
	}
	if out.page != "" {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(out.status)
		_, _ = io.Copy(w, strings.NewReader(out.page))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(out.status)
	_ = json.NewEncoder(w).Encode(out.body)
}
