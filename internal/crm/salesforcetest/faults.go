package salesforcetest

import (
	"maps"
	"net/http"
	"slices"
)

// Kind is what a fault does to a request.
type Kind int

// The kinds of fault.
const (
	FailBefore Kind = iota + 1 // 500, nothing written
	FailAfter                  // 503, after writing
	CutBefore                  // connection cut, nothing written
	CutAfter                   // connection cut, after writing
	Throttle                   // 403 REQUEST_LIMIT_EXCEEDED, nothing written
	Locked                     // 400 UNABLE_TO_LOCK_ROW, nothing written
	Expired                    // every session has ended as the request comes in
	Hold                       // waits for Until between match and save, then goes on, even if the caller has gone
)

// Fault is scripted for a coming request of the API; logins meet none.
type Fault struct {
	Kind   Kind
	Skip   int  // so many requests pass first
	Writes bool // it is for requests that may write, and only those are counted
	// For Hold: Entered is called when the wait begins. A test closes Until before
	// its server stops.
	Until   <-chan struct{}
	Entered func()
}

// Call is one request that the API received.
type Call struct {
	Method, Path string // the path with the query
	Status       int    // as answered; 0 if the connection was cut
}

// Script adds faults; a request meets one at most.
func (o *Org) Script(faults ...Fault) {
	o.locked(func() {
		for _, f := range faults {
			o.faults = append(o.faults, &f)
		}
	})
}

// Calls are the requests so far, the oldest first.
func (o *Org) Calls() (out []Call) {
	o.locked(func() { out = slices.Clone(o.calls) })
	return out
}

// Idle waits until no request is being served. No new one may come meanwhile.
func (o *Org) Idle() { o.busy.Wait() }

// received notes a request and tells what it meets.
func (o *Org) received(r *http.Request) (n int, met Fault) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n = len(o.calls)
	o.calls = append(o.calls, Call{Method: r.Method, Path: r.URL.RequestURI()})
	for i, f := range o.faults {
		if f.Writes && r.Method == http.MethodGet {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		o.faults = slices.Delete(o.faults, i, i+1)
		return n, *f
	}
	return n, Fault{}
}

// Records are copies of an object's records that are not deleted, the oldest first.
func (o *Org) Records(object string) (out []Record) {
	o.locked(func() {
		for _, r := range o.live(object, func(*Record) bool { return true }) {
			out = append(out, r.clone())
		}
	})
	return out
}

// Add makes a record as somebody in the application does, whatever the rules of
// uniqueness say, and gives its ID.
func (o *Org) Add(object string, values map[string]string) (id string) {
	o.locked(func() {
		r := &Record{Fields: map[string]string{}}
		if object == Contact {
			r.Fields["LastName"] = "King"
		}
		rule, fields := o.opts.Rule, o.fields
		o.opts.Rule, o.fields = NoRule, map[string][]*Field{}
		if made, failed := o.save(object, r, values, nil); failed == nil {
			id = made.ID
		}
		o.opts.Rule, o.fields = rule, fields
	})
	return id
}

// Edit changes fields as somebody in the application does, "" to clear one, and
// reports whether the org let them.
func (o *Org) Edit(object, id string, values map[string]string) (done bool) {
	o.locked(func() {
		if r := o.row(object, id); r != nil && !r.Deleted {
			_, failed := o.save(object, r, maps.Clone(values), nil)
			done = failed == nil
		}
	})
	return done
}

// Hide takes a record out of the user's sight, and reports whether it was there.
func (o *Org) Hide(object, id string) (done bool) {
	o.locked(func() {
		if r := o.row(object, id); r != nil {
			r.Hidden, done = true, true
		}
	})
	return done
}

// Delete puts a record into the recycle bin, and reports whether it was there.
func (o *Org) Delete(object, id string) (done bool) {
	o.locked(func() {
		if r := o.row(object, id); r != nil && !r.Deleted {
			r.Deleted, done = true, true
		}
	})
	return done
}
