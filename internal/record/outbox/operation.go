// Package outbox holds the operation: one thing to do outside, written in the
// transaction that decided it.
//
// Its invariant: an operation's ID is made of what it is for, so deciding
// twice makes it once; and it is done only when its result is stored.
package outbox

import (
	"time"

	"onefold/internal/record/claim"
	"onefold/internal/record/machine"
	"onefold/internal/utc"
)

// The kinds of operations and who works on them.
const (
	SendIntent    = "send_intent"    // send: the timer of an intent
	CancelIntents = "cancel_intents" // send: end what an opt-out forbids
	CRMContact    = "crm_contact"    // crmsync
	CRMNote       = "crm_note"       // crmsync
	CRMTask       = "crm_task"       // crmsync
	CRMProbe      = "crm_probe"      // crmsync: brings a connection up again
)

// ReasonSending is the reason of a send whose claim is under way: its timer lies
// behind the lease, and is due only if the lease has lapsed.
const ReasonSending = "sending"

// The states of an operation.
const (
	Open       = "open"
	Waiting    = "waiting"
	Done       = "done"
	Superseded = "superseded"
	Refused    = "refused"
	Parked     = "parked"
)

// The moves of an operation, Create its birth.
const (
	Create    = "create"
	Finish    = "finish"
	Wait      = "wait"
	Wake      = "wake"
	Supersede = "supersede"
	Refuse    = "refuse"
	Park      = "park"
	Reopen    = "reopen"
)

var operationTable = machine.Table{
	Noun:  "operation",
	Start: []string{Open},
	States: []machine.State{
		{Name: Open, Means: "to be done once not_before has come; status says whether somebody is at it", Not: "that nothing has happened: see status", Mover: "crmsync or send, by kind", Crash: "any crash before the result was stored", Dwell: time.Hour},
		{Name: Waiting, Means: "needs another operation's result first; burns no attempt", Mover: "crmsync, when that is done; the sweeper", Crash: "none", Dwell: time.Hour},
		{Name: Done, Means: "the result is stored", Terminal: true},
		{Name: Superseded, Means: "a later operation did it with newer content", Terminal: true},
		{Name: Refused, Means: "the other side refused it for good", Mover: "a person", Crash: "none"},
		{Name: Parked, Means: "ten nudges or twelve tries brought no progress, or only a person can resolve it", Not: "lost", Mover: "a person", Crash: "none"},
	},
	Moves: []machine.Move{
		{Event: Finish, From: []string{Open, Waiting}, To: Done, By: "its worker"},
		{Event: Wait, From: []string{Open}, To: Waiting, By: "crmsync"},
		{Event: Wake, From: []string{Waiting}, To: Open, By: "crmsync"},
		{Event: Supersede, From: []string{Open, Waiting}, To: Superseded, By: "crmsync"},
		{Event: Refuse, From: []string{Open}, To: Refused, By: "its worker"},
		{Event: Park, From: []string{Open, Waiting}, To: Parked, By: "sweep, or its worker"},
		{Event: Reopen, From: []string{Parked, Refused}, To: Open, By: "a person"},
	},
}

// Machine is the operation's state machine.
func Machine() *machine.Table { t := operationTable; return &t }

// Operation is one row of the outbox.
type Operation struct {
	Tenant string `json:"tenant"`
	ID     string `json:"id"`
	Kind   string `json:"kind"`

	State      string `json:"state"`
	Transition int64  `json:"transition"`
	Reason     string `json:"reason,omitempty"`

	Event    string `json:"event,omitempty"`
	Contact  string `json:"contact,omitempty"`
	Intent   string `json:"intent,omitempty"`
	Guard    string `json:"guard,omitempty"`
	Revision int64  `json:"revision,omitempty"` // of the contact, for CRMContact
	CRMID    string `json:"crm_id,omitempty"`   // the record it made or found
	// Ours are fields of the contact that are written over whoever changed them in
	// the CRM: a person said so.
	Ours []string `json:"ours,omitempty"`

	claim.Record
	Waits int64 `json:"waits,omitempty"` // claims that ended by the connection's fault: no attempts

	NotBefore utc.Time `json:"not_before,omitzero"`
	DueAt     utc.Time `json:"due_at,omitzero"`
	DueShard  string   `json:"due_shard,omitempty"`
	Nudges    int64    `json:"nudges,omitempty"`
	WaitsFor  string   `json:"waits_for,omitempty"`
	CreatedAt utc.Time `json:"created_at"`
	Version   int64    `json:"version,omitempty"`

	// Reconciles is known to the worker alone that claimed it: what became of an
	// earlier call was not known. It is not stored.
	Reconciles bool `json:"-"`
}
