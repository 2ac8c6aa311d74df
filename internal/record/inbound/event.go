// Package inbound holds the delivery and the event: what came in, how often,
// and how far it has got.
//
// Its invariant: the ID of an event is made of source, mailbox and the
// provider's delivery ID and of nothing else, so a redelivery has the same ID
// and a genuine second message has not. Body, subject and what a model said
// are never part of it.
package inbound

import (
	"errors"
	"strings"

	"onefold/internal/record/claim"
	"onefold/internal/record/machine"
	"onefold/internal/utc"
)

// The states of an event.
const (
	Recorded = "recorded"
	InReview = "in_review"
	Decided  = "decided"
	Parked   = "parked"
)

// The outcomes of a decided event.
const (
	FollowUp   = "follow_up"  // an intent was made
	Folded     = "folded"     // it joined an intent that another event made
	Observed   = "observed"   // an intent was made in observe mode: nothing leaves
	NoRule     = "no_rule"    // an enquiry that no rule answers
	Suppressed = "suppressed" // an enquiry of somebody who must not be mailed
	OptedOut   = "opted_out"  // a wish not to be mailed
	Ignored    = "ignored"    // machine mail, list mail, our own mail
	Feedback   = "feedback"   // a bounce or complaint that came as mail
	Dismissed  = "dismissed"  // a person said that nothing should follow
)

// The moves of an event, Record its birth.
const (
	Record = "record"
	Decide = "decide"
	Refer  = "refer"
	Park   = "park"
	Replay = "replay"
)

var machineTable = machine.Table{
	Noun:  "event",
	Start: []string{Recorded},
	States: []machine.State{
		{Name: Recorded, Means: "raw content and event are durable; nothing is decided", Not: "that anybody has read it", Mover: "extract", Crash: "any crash before the deciding transaction; the claim lapses and the sweeper nudges", Dwell: 15 * 60e9},
		{Name: InReview, Means: "a review task holds the question", Not: "that anything was sent", Mover: "a person", Crash: "none"},
		{Name: Decided, Means: "the outcome and all that follows from it are committed", Not: "that what follows has been done: see the intent and the operations", Terminal: true},
		{Name: Parked, Means: "ten nudges or 24 claims brought no decision", Not: "lost: raw content and event are kept", Mover: "a person, by replay", Crash: "none"},
	},
	Moves: []machine.Move{
		{Event: Decide, From: []string{Recorded, InReview}, To: Decided, By: "extract, or a person's answer"},
		{Event: Refer, From: []string{Recorded}, To: InReview, By: "extract"},
		{Event: Park, From: []string{Recorded}, To: Parked, By: "extract after its last attempt; sweep"},
		{Event: Replay, From: []string{Parked}, To: Recorded, By: "a person"},
	},
}

// Machine is the event's state machine.
func Machine() *machine.Table { t := machineTable; return &t }

// Event is one business event. Its row has besides what its first decision stood
// on, as package decide keeps it.
type Event struct {
	Tenant     string `json:"tenant"`
	ID         string `json:"id"`
	Source     string `json:"source"`  // endpoint name
	Content    string `json:"content"` // tenant.ContentForm or ContentMail
	Mailbox    string `json:"mailbox"`
	DeliveryID string `json:"delivery_id"`
	// Fingerprint is of the content: of JSON by its value (idempotency.Fingerprint),
	// else the hex SHA-256 of its bytes or what its source makes of it.
	Fingerprint string `json:"content_fingerprint"`
	// Bytes is the hex SHA-256 of JSON as it was sent; "" where Fingerprint is not
	// by its value.
	Bytes      string   `json:"content_bytes,omitempty"`
	Raw        string   `json:"raw"` // blob.Ref
	ReceivedAt utc.Time `json:"received_at"`
	// EnvelopeFrom is MAIL FROM as the sender of raw mail stated it; "<>" is the
	// null sender (RFC 5321 section 4.5.5). Of a form it is "".
	EnvelopeFrom string `json:"envelope_from,omitempty"`
	Verdicts            // of who received the mail; empty when nobody said

	State         string   `json:"state"`
	Transition    int64    `json:"transition"`
	Outcome       string   `json:"outcome,omitempty"`
	Reasons       []string `json:"reasons,omitempty"`
	Cause         string   `json:"cause,omitempty"`
	Contact       string   `json:"contact,omitempty"`
	Intent        string   `json:"intent,omitempty"`
	Review        string   `json:"review,omitempty"`
	DecidedAt     utc.Time `json:"decided_at,omitzero"`
	PolicyVersion int64    `json:"policy_version,omitempty"`

	claim.Record

	// Waits is how many of the attempts ended because a reader was busy.
	Waits int64 `json:"waits,omitempty"`

	NotBefore utc.Time `json:"not_before,omitzero"`
	DueAt     utc.Time `json:"due_at,omitzero"`
	DueShard  string   `json:"due_shard,omitempty"`
	Nudges    int64    `json:"nudges,omitempty"`
	Version   int64    `json:"version,omitempty"`
}

// ReasonsAttr is the attribute of an event that several packages write besides
// those of its machine and its claim.
const ReasonsAttr = "reasons"

// Delivery is one HTTP attempt at an event.
type Delivery struct {
	Tenant      string   `json:"tenant"`
	Event       string   `json:"event"`
	At          utc.Time `json:"at"`
	RequestID   string   `json:"request_id,omitempty"`
	Fingerprint string   `json:"content_fingerprint"`
	Bytes       string   `json:"content_bytes,omitempty"` // as of the event
	// Answer is what the caller was told: recorded, duplicate or conflict.
	Answer string `json:"answer"`
}

// The answers to a delivery.
const (
	AnswerRecorded  = "recorded"
	AnswerDuplicate = "duplicate"
	AnswerConflict  = "conflict"
)

// MaxIDPart is the most bytes that a mailbox or delivery ID may have.
const MaxIDPart = 256

// ErrBadID means that a word cannot be part of an event ID. The caller refuses
// the delivery: the source is set up wrongly.
var ErrBadID = errors.New("inbound: an event needs source, mailbox and delivery id of 1 to 256 bytes each")

// ID makes an event's ID: source/mailbox/delivery ID, each escaped so that no
// word can reach into the next.
func ID(source, mailbox, deliveryID string) (string, error) {
	parts := []string{source, mailbox, deliveryID}
	for i, p := range parts {
		if p == "" || len(p) > MaxIDPart {
			return "", ErrBadID
		}
		parts[i] = escape(p)
	}
	id := strings.Join(parts, "/")
	if len(id) > 600 { // the audit key holds it with a word before: ledger.MaxIDBytes
		return "", ErrBadID
	}
	return id, nil
}

// escape keeps printable ASCII but '/' and '%', and writes every other byte as
// %XX, so that the ID can be read, typed and put into a key.
func escape(s string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c > 0x20 && c < 0x7f && c != '/' && c != '%' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hexDigits[c>>4])
		b.WriteByte(hexDigits[c&15])
	}
	return b.String()
}
