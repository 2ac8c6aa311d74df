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
	"onefold/internal/digest"
	"onefold/internal/flow"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/policybook"
	"onefold/internal/utc"
	"onefold/internal/webhook"
)

// MaxBody is the most bytes a body may have: what API Gateway and Lambda
// carry of a binary body (6 MB of base64 text) with room for the envelope.
// Larger mail has other ways in.
const MaxBody = 4 << 20

// FirstDue is when the sweeper first looks for an event that nobody has
// decided: later than the reading function's timeout.
const FirstDue = 3 * time.Minute

// Secrets gives the secrets of an endpoint, current first. An error is a
// fault of ours; no secret at all is one too.
type Secrets func(ctx context.Context, tenantID, name string) ([]webhook.Secret, error)

// Service takes deliveries. All fields are needed.
type Service struct {
	Store    ledger.Store
	Blob     blob.Store
	Policies *policybook.Book
	Secrets  Secrets
	IDs      digest.Key
	Now      func() time.Time
	Log      *slog.Logger
}

// Request is one HTTP request, as it came.
type Request struct {
	Tenant    string
	Endpoint  string
	Headers   map[string]string // lower-case names
	Body      []byte            // raw bytes
	RequestID string
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
}

// Handle takes one delivery. It makes at most one read and one commit of the
// ledger and one write of raw content; a duplicate, one read and one commit.
func (s *Service) Handle(ctx context.Context, r Request) Response {
	resp := s.handle(ctx, r)
	level := slog.LevelInfo
	if resp.Status >= 500 {
		level = slog.LevelError
	}
	event := ""
	if resp.Event != "" {
		event = flow.LogID(r.Tenant, resp.Event)
	}
	s.Log.LogAttrs(ctx, level, "delivery answered",
		slog.Int("status", resp.Status), slog.String("answer", resp.Answer), slog.String("error", resp.Error),
		slog.String("event", event), slog.String("request", r.RequestID), slog.Int("bytes", len(r.Body)))
	return resp
}

func (s *Service) handle(ctx context.Context, r Request) Response {
	answers := webhook.StandardWebhooks()
	policy, err := s.Policies.Current(ctx, r.Tenant)
	if errors.Is(err, policybook.ErrNone) {
		return unknownEndpoint(answers)
	}
	if err != nil {
		return s.fault(ctx, answers, "read_policy", err)
	}
	ep, ok := policy.Endpoint(r.Endpoint)
	if !ok {
		return unknownEndpoint(answers)
	}
	if len(r.Body) > MaxBody {
		return Response{Status: answers.TooLarge, Error: "body_too_large", Hint: "at most 4194304 bytes: larger mail cannot be taken by this version"}
	}
	secrets, err := s.Secrets(ctx, r.Tenant, ep.Secret)
	if err != nil {
		return s.fault(ctx, answers, "read_secret", err)
	}
	headers := webhook.HeadersFrom(r.Headers)
	if err := webhook.Verify(secrets, headers, r.Body, s.Now()); err != nil {
		return refused(answers, err)
	}
	e, bad := s.read(r, ep, headers.ID)
	if bad != nil {
		bad.Status = answers.Malformed
		return *bad
	}
	return s.record(ctx, answers, r, e)
}

func unknownEndpoint(a webhook.Answers) Response {
	return Response{Status: a.UnknownEndpoint, Error: "unknown_endpoint", Hint: "the path is /v1/{tenant}/{endpoint}; see `onefold policy show`"}
}

// refused answers a delivery whose sender is not proved.
func refused(a webhook.Answers, err error) Response {
	r := Response{Status: a.Refusal(err)}
	switch {
	case errors.Is(err, webhook.ErrMissingHeader):
		r.Error, r.Hint = "header_missing", "webhook-id, webhook-timestamp and webhook-signature are needed"
	case errors.Is(err, webhook.ErrTooOld):
		r.Error, r.Hint = "timestamp_too_old", "sign each attempt anew; clocks may differ by 5 minutes"
	case errors.Is(err, webhook.ErrTooNew), errors.Is(err, webhook.ErrBadTimestamp):
		r.Error, r.Hint = "timestamp_invalid", "webhook-timestamp is the time of the attempt in Unix seconds"
	case errors.Is(err, webhook.ErrBadID):
		r.Error, r.Hint = "id_invalid", "webhook-id has 1 to 256 printable ASCII characters and no space"
	case errors.Is(err, webhook.ErrNoSecret):
		r.Error, r.Hint = "secret_missing", "the endpoint's secret is not set up; the delivery will be taken when it is"
	default:
		r.Error, r.Hint = "signature_invalid", "sign id.timestamp.body with the endpoint's secret"
	}
	return r
}

// fault answers what is our fault: nothing is promised, the sender tries
// again.
func (s *Service) fault(ctx context.Context, a webhook.Answers, step string, err error) Response {
	s.Log.LogAttrs(ctx, slog.LevelError, "delivery not recorded", slog.String("step", step), slog.String("error", err.Error()))
	return Response{Status: a.Fault, Error: "not_recorded", Hint: "send the same delivery again"}
}

// record makes the event durable, or finds that it is.
func (s *Service) record(ctx context.Context, a webhook.Answers, r Request, e inbound.Event) Response {
	k := ledger.Key{Entity: ledger.Event, Tenant: e.Tenant, ID: e.ID}
	seen, err := s.Store.Get(ctx, k)
	if err != nil {
		return s.fault(ctx, a, "read_event", err)
	}
	if seen != nil {
		return s.again(ctx, a, r, e, seen)
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
