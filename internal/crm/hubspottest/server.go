package hubspottest

import (
	"net/http"
	"sync"
	"time"
)

// Options are a server's settings; the zero value is a server that accepts any
// token, limits nothing and keeps its records in memory.
type Options struct {
	// Token is the only bearer token accepted; "" accepts any but none.
	Token string
	// Now is the clock. If nil, time stands still.
	Now func() time.Time
	// SearchLag is how long the search endpoint does not show a change.
	SearchLag time.Duration
	// RateLimit answers 429 beyond so many requests in each RateWindow; 0 is
	// no limit.
	RateLimit  int
	RateWindow time.Duration
	// Define are properties that exist from the start.
	Define []Definition
	// WholeBatch answers a one-item batch that failed with that item's own
	// status instead of 207. Which of the two HubSpot does is not documented.
	WholeBatch bool
	// Unique409 answers a collision on a custom unique property with 409
	// CONFLICT instead of 400 VALIDATION_ERROR with CONFLICTING_UNIQUE_VALUE.
	// Which of the two HubSpot does is not documented.
	Unique409 bool
	// Persist, if set, is given one self-contained JSON line for each request
	// that changes something, before the request is answered. It must be
	// durable when it returns; an error undoes the change and answers 500.
	// Calls come one at a time. Feed the lines to Restore in their order.
	Persist func(line []byte) error
}

// Call is one request the server received.
type Call struct {
	Op     string // "contacts.upsert", see routes.go
	Method string
	Path   string // with the query
	Status int    // as answered; 0 if the connection was cut
}

// callsKept bounds the list of calls; the oldest are dropped.
const callsKept = 10000

// Server is the CRM. It is an http.Handler, safe for concurrent use.
type Server struct {
	opts Options
	mux  *http.ServeMux
	busy sync.WaitGroup // requests being served

	mu      sync.Mutex // guards what follows; held for a request's whole change
	token   string
	state   *state
	calls   []Call
	dropped int // calls no longer kept
	faults  []*Fault
	window  time.Time // start of the rate window
	used    int
}

// New makes a server without records.
func New(opts Options) *Server {
	if opts.Now == nil {
		still := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		opts.Now = func() time.Time { return still }
	}
	s := &Server{opts: opts, token: opts.Token, state: newState()}
	for _, d := range opts.Define {
		s.state.define(d)
	}
	s.mux = s.routes()
	return s
}

// ServeHTTP serves the API and the developer's page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// SetToken changes the accepted token, as when one is revoked.
func (s *Server) SetToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// Calls are the API requests so far, oldest first.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// Idle waits until no request is being served. No new one may come meanwhile.
func (s *Server) Idle() { s.busy.Wait() }

// Contacts are copies of the contact records, oldest first.
func (s *Server) Contacts() []Record { return s.records("contacts") }

// Notes are the notes, oldest first.
func (s *Server) Notes() []Record { return s.records("notes") }

// Tasks are the tasks, oldest first.
func (s *Server) Tasks() []Record { return s.records("tasks") }

func (s *Server) records(kind string) []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.list(kind)
}
