// Package review holds the review task: a question that only a person may
// answer, with the ground on which it was asked.
//
// Its invariant: an answer is bound to the exact content and state that the
// person saw. If the ground has changed, the question comes back.
package review

import (
	"onefold/internal/record/machine"
	"onefold/internal/utc"
)

// The kinds of tasks.
const (
	DecideEvent   = "decide_event"   // what an event means, whose it is, whether to answer
	ApproveIntent = "approve_intent" // may exactly this mail go
	UnknownSend   = "unknown_send"   // a send whose outcome is not known
	HeldSend      = "held_send"      // a send that a hold, a mode or time stopped
	IDConflict    = "id_conflict"    // a delivery came again with other content

	CRMEdit           = "crm_edit"           // somebody changed a field in the CRM, and the contact has another value
	IdentityCollision = "identity_collision" // two people have one key under the identity rule that comes next
)

// What leads from an event to a candidate.
const (
	ByEmail    = "email_key"    // the address
	ByCustomer = "customer_key" // the customer ID
	ByNextForm = "next_key"     // the address, as the rule that is migrated to has it
	ByReplyTo  = "reply_to"     // the address that is to be answered, beside the sender's
	ByMail     = "our_mail"     // a mail of ours that the event answers or gives back
	ByCause    = "cause"        // a person gave this very mail, out of a shared inbox, this contact
)

// The states of a task.
const (
	Open     = "open"
	Approved = "approved"
	Rejected = "rejected"
	Closed   = "closed"
)

// The moves of a task, Put its birth.
const (
	Put     = "open"
	Approve = "approve"
	Reject  = "reject"
	Close   = "close"
	Refresh = "refresh"
)

var table = machine.Table{
	Noun:  "review_task",
	Start: []string{Open},
	States: []machine.State{
		{Name: Open, Means: "waits for a person", Mover: "a person; whatever makes the question idle", Crash: "none"},
		{Name: Approved, Means: "a person said yes to what the task shows", Not: "that it has been sent", Terminal: true},
		{Name: Rejected, Means: "a person said no", Terminal: true},
		{Name: Closed, Means: "the question has gone: an opt-out, evidence, an erasure", Terminal: true},
	},
	Moves: []machine.Move{
		{Event: Approve, From: []string{Open}, To: Approved, By: "a person"},
		{Event: Reject, From: []string{Open}, To: Rejected, By: "a person"},
		{Event: Close, From: []string{Open}, To: Closed, By: "send, feedback, policy migrate"},
		{Event: Refresh, From: []string{Open}, To: Open, By: "extract: the ground changed, the question stays; console: an answer that waits for something else"},
	},
}

// Machine is the task's state machine.
func Machine() *machine.Table { t := table; return &t }

// The attributes of a task that several packages write.
const (
	ReasonsAttr    = "reasons"
	OpenForAttr    = "open_for"
	AnsweredByAttr = "answered_by"
	AnsweredAtAttr = "answered_at"
)

// Task is one question.
type Task struct {
	Tenant     string   `json:"tenant"`
	ID         string   `json:"id"`
	Kind       string   `json:"kind"`
	State      string   `json:"state"`
	Transition int64    `json:"transition"`
	Event      string   `json:"event,omitempty"`
	Intent     string   `json:"intent,omitempty"`
	Contact    string   `json:"contact,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	// CandidatesBy says of each of Candidates what identifies it, "+" between
	// several: ByEmail, ByCustomer, ByNextForm, ByReplyTo, ByCause, ByMail.
	CandidatesBy []string `json:"candidates_by,omitempty"`
	Reasons      []string `json:"reasons,omitempty"`
	// ContentHash is the mail that an approval would bind.
	ContentHash string `json:"content_hash,omitempty"`
	// Key is the contact key that the question is about: personal, it holds an
	// address.
	Key string `json:"key,omitempty"`
	// Field is the contact's field that a CRMEdit is about (crm.Field).
	Field string `json:"field,omitempty"`
	// Guard is the result of the guard check when the task was made.
	Guard string `json:"guard_result,omitempty"`
	// Raw is other content that belongs to the question (blob.Ref).
	Raw string `json:"raw,omitempty"`

	OpenFor    string   `json:"open_for,omitempty"` // tenant, while open: the index
	OpenedAt   utc.Time `json:"opened_at"`
	AnsweredBy string   `json:"answered_by,omitempty"`
	AnsweredAt utc.Time `json:"answered_at,omitzero"`
	Note       string   `json:"note,omitempty"` // reason word of a closing
	Version    int64    `json:"version,omitempty"`
}
