// Package ingest takes deliveries in: it verifies the bytes, makes raw content
// and event durable, and only then says yes.
//
// Its invariant: a 2xx is given only when raw content and event are durable,
// and nothing is stored for a caller who has not proved who he is. The
// conditional creation of the event is the arbiter between deliveries of one
// ID; the read before it only spares work.
//
// # What a crash leaves
//
// Before the raw content is stored: nothing. After it: content that no event
// names, which the retention rule removes. After the commit: the event, whose
// stream record or due time brings it to extract; the caller got no answer,
// sends again and is told that it is a duplicate.
package ingest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"time"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/fetch"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
	"onefold/internal/webhook"
)

// MaxBody is the most bytes a body of any source may have; each source has a
// bound of its own within it. Larger mail has other ways in.
const MaxBody = webhook.MaxBody

// FirstDue is when the sweeper first looks for an event that nobody has
// decided: later than the reading function's timeout.
const FirstDue = 3 * time.Minute

// Secrets gives the secrets of an endpoint, current first. An error is a
// fault of ours; no secret at all is one too.
type Secrets func(ctx context.Context, tenantID, name string) ([]webhook.Secret, error)

// Service takes deliveries. All fields but Fetch, Content and Visit are needed.
type Service struct {
	Store    ledger.Store
	Blob     blob.Store
	Policies *versions.Book
	Secrets  Secrets
	IDs      digest.Key
	Now      func() time.Time
	Log      *slog.Logger
	// Fetch reads a public document that a source verifies with; the source has
	// checked the address. It may remember documents. nil: no source that needs
	// one can be used, and its deliveries are a fault of ours.
	Fetch func(ctx context.Context, url string) ([]byte, error)
	// Content fetches what a delivery names at the provider (webhook.Delivery,
	// Fetch). Fetching again is harmless. fetch.ErrGone and fetch.ErrTooLarge have
	// the metadata recorded; any other error is a fault of ours: nothing is
	// recorded and the provider tries again. nil: the metadata is recorded.
	Content func(ctx context.Context, tenantID string, ep tenant.Endpoint, id string) ([]byte, error)
	// Visit fetches an address once, by which a subscription is confirmed; the
	// source has checked it. nil: as with Fetch.
	Visit func(ctx context.Context, url string) error
}

// Request is one HTTP request, as it came.
type Request struct {
	Tenant    string
	Endpoint  string
	Method    string            // "" is POST
	Path      string            // as received, escaped; what a sender may have signed
	Query     string            // as received, without "?"
	Headers   map[string]string // lower-case names
	Body      []byte            // raw bytes
	RequestID string

	// The part of it that is being recorded, and where it came.
	delivery webhook.Delivery
	endpoint tenant.Endpoint
}

// Response is the answer. Its JSON form is the body.
type Response struct {
	Status int `json:"-"`
	// Answer is recorded, duplicate or conflict; "" when nothing was recorded.
	Answer string `json:"answer,omitempty"`
	// Event, State and Outcome are given to the verified sender only.
	Event   string `json:"event,omitempty"`
	State   string `json:"state,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	// Error and Hint say what is wrong and what to do.
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
	// Batch counts what became of a payload of several events.
	Batch *Batch `json:"batch,omitempty"`
	// Own is the answer where it has a form of its own: its status, headers and
	// body go out as they are, and the fields above are for the log.
	Own *webhook.Reply `json:"-"`
	// Headers are to be added to the answer, by their lower-case names. A pointer,
	// so that answers can be compared.
	Headers *map[string]string `json:"-"`

	unproven bool // the sender did not prove himself: whatever the code, no fault of ours
}

// Batch counts the events of one payload by what became of each.
type Batch struct {
	Recorded  int `json:"recorded"`
	Duplicate int `json:"duplicate"`
	Conflict  int `json:"conflict"`
	Broken    int `json:"broken"`
	Failed    int `json:"failed"`
}

// Handle takes one request. For each event that it carries it makes at most one
// read and one commit of the ledger and one write of raw content; of a
// duplicate, one read and one commit, and one commit more where the same proof
// comes again (webhook.Delivery, Once).
func (s *Service) Handle(ctx context.Context, r Request) Response {
	resp := s.handle(ctx, r)
	if resp.Batch == nil { // whose events were logged one by one
		s.tell(ctx, r, resp, len(r.Body))
	}
	return resp
}

func (s *Service) tell(ctx context.Context, r Request, resp Response, size int) {
	level := slog.LevelInfo
	if failed(resp) {
		level = slog.LevelError
	}
	event := ""
	if resp.Event != "" {
		event = decide.LogID(r.Tenant, resp.Event)
	}
	s.Log.LogAttrs(ctx, level, "delivery answered",
		slog.Int("status", resp.Status), slog.String("answer", resp.Answer), slog.String("error", resp.Error),
		slog.String("event", event), slog.String("request", r.RequestID), slog.Int("bytes", size), counted(resp))
}

// failed tells whether the answer is a fault of ours. That a path names no
// endpoint, or that a stranger was refused, is none, whatever the code.
func failed(r Response) bool { return r.Status >= 500 && r.Error != unknownWord && !r.unproven }

// fault answers what is our fault: nothing is promised, the sender tries
// again.
func (s *Service) fault(ctx context.Context, a webhook.Answers, step string, err error) Response {
	s.Log.LogAttrs(ctx, slog.LevelError, "delivery not recorded", slog.String("step", step), slog.String("error", err.Error()))
	return Response{Status: a.Fault, Error: "not_recorded", Hint: "send the same delivery again"}
}

// record makes the event durable, or finds that it is.
func (s *Service) record(ctx context.Context, a webhook.Answers, r Request, e inbound.Event) Response {
	k := ledger.Event.At(e.Tenant, e.ID)
	seen, err := s.Store.Get(ctx, k)
	if err != nil {
		return s.fault(ctx, a, "read_event", err)
	}
	if seen != nil {
		return s.again(ctx, a, r, e, seen)
	}
	if r.delivery.Fetch != "" && s.Content != nil {
		raw, err := s.Content(ctx, r.Tenant, r.endpoint, r.delivery.Fetch)
		switch {
		case err == nil:
			r.Body, e.Raw = raw, string(blob.RefOf(e.Tenant, e.ID, raw))
		case !errors.Is(err, fetch.ErrGone) && !errors.Is(err, fetch.ErrTooLarge):
			return s.fault(ctx, a, "fetch_content", err)
		} // else no try betters it: a person sees the metadata
	}
	// Raw content first: an event always has its content.
	if err := s.Blob.Put(ctx, blob.Ref(e.Raw), r.Body); err != nil {
		return s.fault(ctx, a, "store_raw", err)
	}
	c, err := s.newEvent(r, e)
	if err != nil {
		return s.fault(ctx, a, "make_event", err)
	}
	err = s.Store.Commit(ctx, c)
	if ref, isRefused := ledger.AsRefused(err); isRefused {
		if f, ok := ref.By("event"); ok && f.Current != nil {
			return s.again(ctx, a, r, e, f.Current)
		}
		if f, ok := ref.By("once"); ok && f.Current != nil {
			return s.underAnotherID(ctx, a, r, e, f.Current)
		}
	}
	if err != nil {
		// It may have been written; the sender's next try will tell him.
		return s.fault(ctx, a, "store_event", err)
	}
	return Response{Status: a.Recorded, Answer: inbound.AnswerRecorded, Event: e.ID, State: e.State}
}

// token makes the place of a delivery row, one for each delivery.
func token(at utc.Time) string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return at.String() + "-" + hex.EncodeToString(b[:])
}
