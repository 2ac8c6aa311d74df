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
	"log/slog"
	"time"

	"onefold/internal/blob"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/policy/versions"
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
