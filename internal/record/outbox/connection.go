package outbox

import (
	"time"

	"onefold/internal/record/machine"
	"onefold/internal/utc"
)

// The states of a connection. Where there is no row, it is up.
const (
	Up   = "up"
	Down = "down"
)

// The moves of a connection.
const (
	Fail    = "fail"
	Recover = "recover"
)

var connectionTable = machine.Table{
	Noun:  "crm_connection",
	Start: []string{Down},
	States: []machine.State{
		{Name: Up, Means: "the CRM answers for the tenant's account; what waited is let in at a bounded rate", Not: "that nothing waits any more", Mover: "crmsync", Crash: "none"},
		{Name: Down, Means: "the CRM cannot be called for the tenant: it does not answer, refuses the account or has it wait; nothing is claimed", Not: "that an operation is at fault", Mover: "crmsync, by the operation crm_probe", Crash: "none: the operation is due again", Dwell: 24 * time.Hour},
	},
	Moves: []machine.Move{
		{Event: Fail, From: []string{Up}, To: Down, By: "crmsync: a fault of the account, or of a call after which a read of the account fails too"},
		{Event: Recover, From: []string{Down}, To: Up, By: "crmsync: a read of the account succeeds"},
	},
}

// ConnectionMachine is the connection's state machine.
func ConnectionMachine() *machine.Table { t := connectionTable; return &t }

// Connection says whether the CRM of a tenant can be called. It is one row for
// each tenant and CRM, made by the first fault.
type Connection struct {
	Tenant string `json:"tenant"`
	CRM    string `json:"crm"` // crm.Capabilities.Name

	State      string   `json:"state"`
	Transition int64    `json:"transition"`
	Reason     string   `json:"reason,omitempty"` // of package crm, while it is down
	Since      utc.Time `json:"since"`            // of the state
	// ProbeAt is when the account is read next, while it is down, and Probes how
	// often it was in vain.
	ProbeAt utc.Time `json:"probe_at,omitzero"`
	Probes  int64    `json:"probes,omitempty"`
	Version int64    `json:"version,omitempty"`
}

// The attributes of a connection that its worker changes.
const (
	SinceAttr   = "since"
	ProbeAtAttr = "probe_at"
	ProbesAttr  = "probes"
)
