// Package sestest stands in for Amazon SES on the wire. The suite that every
// mailer on that wire must pass is in mailertest.
//
// Server speaks the real REST-JSON SendEmail of SES version 2 and publishes
// the real events, so that the code under test is the one that runs in
// production. It owns one invariant: what it has answered as accepted, or
// accepted without an answer, is in Sent (and persisted, where Persist is
// given) for good and appears there once per request.
//
// It refuses to be lenient: what SES documents as refused is refused. It sends
// no mail, and it verifies no signature beyond the presence of one.
package sestest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"onefold/internal/utc"
)

// DefaultHoldFor is how long a connection without an answer is held.
const DefaultHoldFor = 2 * time.Second

// Options configure a Server. The zero value lacks only Now.
type Options struct {
	Now  func() time.Time // required
	Rand io.Reader        // for message IDs; nil: crypto/rand. Read by one goroutine at a time

	Region string // of Message-ID domains and ARNs; empty: us-east-1
	// VerifiedDomains are those that may stand in From, with their
	// subdomains. Nil: every domain.
	VerifiedDomains []string
	// ConfigurationSets are those that exist; mail that names another is
	// refused.
	ConfigurationSets []ConfigurationSet
	// Suppressed is the account's suppression list: mail to these addresses
	// is accepted, then bounces.
	Suppressed []string

	// HoldFor is how long timeout-sent and timeout-unsent hold the connection
	// before it is cut; 0 means DefaultHoldFor.
	HoldFor time.Duration

	// Sink takes the events, in order, one at a time, from a goroutine of the
	// Server. It must return when its context ends. Nil: there are no events.
	Sink func(ctx context.Context, event []byte)
	// Delay lies between the acceptance of a mail and its events.
	Delay time.Duration

	// Persist, if given, is called before a mail counts as accepted, and once
	// more, with EventsDone set, when its events were handed to Sink. It must
	// replace what it holds under the same MessageID and may be called from
	// several goroutines. An error on the first call makes the request fail
	// with 500 and the mail not accepted; on the second it is ignored, and
	// the events come again after a Restore.
	Persist func(SentMail) error
}

// ConfigurationSet is one that the account has.
type ConfigurationSet struct {
	Name   string
	Events bool // it has an event destination
}

// Server is the fake. It is an http.Handler, safe for concurrent use.
type Server struct {
	opts     Options
	feed     *feed
	requests atomic.Int64
	closed   chan struct{} // closed by Close: held connections are let go
	closing  sync.Once

	mu   sync.Mutex
	rand io.Reader
	sent []SentMail
	used map[string]bool // addresses whose once-only behaviour is spent
}

var _ http.Handler = (*Server)(nil)

// NewServer makes a Server and starts the goroutine that hands out its events.
// The caller ends it with Close.
func NewServer(opts Options) (*Server, error) {
	if opts.Now == nil {
		return nil, errors.New("sestest: no clock")
	}
	if opts.HoldFor == 0 {
		opts.HoldFor = DefaultHoldFor
	}
	if opts.Region == "" {
		opts.Region = "us-east-1"
	}
	s := &Server{opts: opts, rand: opts.Rand, closed: make(chan struct{}), used: map[string]bool{}}
	if s.rand == nil {
		s.rand = rand.Reader
	}
	s.feed = newFeed(opts.Sink, opts.Delay, s.eventsDone)
	return s, nil
}

// Requests is how many SendEmail requests have come in, answered or not.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// Sent is a copy of all accepted mail, oldest first.
func (s *Server) Sent() []SentMail {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]SentMail, len(s.sent))
	for i, m := range s.sent {
		out[i] = m.clone()
	}
	return out
}

// Restore takes back what Persist was given in an earlier life, before the
// first request. Mail whose events were not all handed out then has them all
// emitted again, with the same feedback IDs and times: at least once, as SES.
// A mail that is already there is left as it is.
func (s *Server) Restore(mails []SentMail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	there := make(map[string]bool, len(s.sent)+len(mails))
	for _, m := range s.sent {
		there[m.MessageID] = true
	}
	for _, m := range mails {
		if there[m.MessageID] {
			continue
		}
		there[m.MessageID] = true
		m = m.clone()
		s.sent = append(s.sent, m)
		if b := behaviourOf(m.recipient()); b.once {
			s.used[m.recipient()] = true
		}
		if !m.EventsDone {
			s.feed.add(m.MessageID, s.events(m))
		}
	}
}

// accept makes the mail sent. Persist comes first: once the caller, or a
// restarted process, can see the mail as sent, it is so for good.
func (s *Server) accept(m SentMail) (SentMail, error) {
	at := utc.At(s.opts.Now())
	s.mu.Lock()
	id, err := newMessageID(s.rand, at.Std())
	s.mu.Unlock()
	if err != nil {
		return SentMail{}, fmt.Errorf("make message ID: %w", err)
	}
	m.MessageID, m.At = id, at
	m.WireMessageID = "<" + id + "@" + mailDomain(s.opts.Region) + ">"
	if s.opts.Persist != nil {
		if err := s.opts.Persist(m.clone()); err != nil {
			return SentMail{}, fmt.Errorf("persist mail %s: %w", id, err)
		}
	}
	s.mu.Lock()
	s.sent = append(s.sent, m)
	s.mu.Unlock()
	s.feed.add(id, s.events(m))
	return m, nil
}

func (s *Server) eventsDone(id string) {
	s.mu.Lock()
	i := slices.IndexFunc(s.sent, func(m SentMail) bool { return m.MessageID == id })
	if i < 0 {
		s.mu.Unlock()
		return
	}
	s.sent[i].EventsDone = true
	m := s.sent[i].clone()
	s.mu.Unlock()
	if s.opts.Persist != nil {
		_ = s.opts.Persist(m) // see Options.Persist
	}
}

// SetFeed puts the event feed into a mode. Events that were held are handed
// out, in order, when it is FeedUp again.
func (s *Server) SetFeed(mode FeedMode) { s.feed.set(mode) }

// Flush waits until the events of all mail accepted so far were handed to the
// sink or lost. It returns the context's error if that comes first, as it must
// while the feed is held.
func (s *Server) Flush(ctx context.Context) error { return s.feed.flush(ctx) }

// Close cuts held connections, refuses further requests with 503, hands out
// the events that are due, and ends the Server's goroutine. When the context
// ends first, or the feed is held, the events left are not handed out; a
// Restore brings them back. Close may be called more than once.
func (s *Server) Close(ctx context.Context) error {
	s.closing.Do(func() { close(s.closed) })
	return s.feed.close(ctx)
}
