package contact

import (
	"onefold/internal/record/machine"
	"onefold/internal/utc"
)

// Migration is how far a tenant is with an identity rule that is to come into
// force: a row for each version of the rule that was ever migrated to.
//
// Its invariant: a rule comes into force only out of MigrationReady, and that
// state says that a whole pass over the keys, begun when no process knew an
// older policy any more, found every key of the rule before in the new form
// too, leading to the same contact or shared.
type Migration struct {
	Tenant     string `json:"tenant"`
	Rule       int64  `json:"rule"` // version migrated to
	From       int64  `json:"from"` // version in force meanwhile
	State      string `json:"state"`
	Transition int64  `json:"transition"`

	StartedAt     utc.Time `json:"started_at"` // when the policy that names the rule was applied
	PolicyVersion int64    `json:"policy_version"`

	// Where the pass is, and what it has found; the scan goes on from here.
	Pass       int64  `json:"pass,omitempty"`     // from 1, raised with every pass over all keys
	Segments   int64  `json:"segments,omitempty"` // into how many the scan is cut
	Segment    int64  `json:"segment,omitempty"`  // the one it is at; Segments: the pass is over
	Cursor     string `json:"cursor,omitempty"`
	Seen       int64  `json:"seen,omitempty"`       // keys of the rule before, in this pass
	Missing    int64  `json:"missing,omitempty"`    // of them without the new form, in this pass
	Collisions int64  `json:"collisions,omitempty"` // of them with another's, in this pass
	Added      int64  `json:"added,omitempty"`      // keys that were put, in all passes

	ReadyAt utc.Time `json:"ready_at,omitzero"`
	Keys    int64    `json:"keys,omitempty"` // keys of the rule before, when it was ready
	Version int64    `json:"version,omitempty"`
}

// PassAttrs are the attributes that say where a pass is and what it has found.
func (m Migration) PassAttrs() map[string]any {
	return map[string]any{
		"pass": m.Pass, "segment": m.Segment, "cursor": m.Cursor, "seen": m.Seen, "missing": m.Missing, "collisions": m.Collisions,
	}
}

// The states of a migration.
const (
	MigrationStarted = "started"
	MigrationAdding  = "adding"
	MigrationReady   = "ready"
	MigrationActive  = "active"
	MigrationAborted = "aborted"
)

// The events of a migration.
const (
	MigrationBegin    = "begin"
	MigrationFinish   = "finish"
	MigrationActivate = "activate"
	MigrationAbort    = "abort"
	MigrationRestart  = "restart"
)

var migrationTable = machine.Table{
	Noun:  "identity_migration",
	Start: []string{MigrationStarted},
	States: []machine.State{
		{
			Name: MigrationStarted, Means: "a policy that names the rule is in force: both forms of a key are read and put", Not: "that every process knows it",
			Mover: "an operator (policy migrate)", Crash: "none",
		},
		{
			Name: MigrationAdding, Means: "the missing forms of the keys there are are being put", Not: "that somebody is at it now",
			Mover: "an operator (policy migrate)", Crash: "a pass that ended half way; it goes on where it was",
		},
		{
			Name: MigrationReady, Means: "every key has its new form, and none of two people is one", Not: "that the rule is in force",
			Mover: "an operator (policy apply)", Crash: "none",
		},
		{Name: MigrationActive, Means: "the rule came into force", Terminal: true},
		{
			Name: MigrationAborted, Means: "the policy no longer names the rule; the keys that were put stay and mean nothing",
			Mover: "an operator (policy apply), if it is begun again", Crash: "none",
		},
	},
	Moves: []machine.Move{
		{Event: MigrationBegin, From: []string{MigrationStarted, MigrationReady}, To: MigrationAdding, By: "policy migrate: a pass begins"},
		{Event: MigrationFinish, From: []string{MigrationAdding}, To: MigrationReady, By: "policy migrate: a whole pass found nothing to put and nobody's key in the way"},
		{Event: MigrationActivate, From: []string{MigrationReady}, To: MigrationActive, By: "policy apply: the rule is in force from this commit on"},
		{Event: MigrationAbort, From: []string{MigrationStarted, MigrationAdding, MigrationReady}, To: MigrationAborted, By: "policy apply: the document does not name the rule"},
		{Event: MigrationRestart, From: []string{MigrationAborted}, To: MigrationStarted, By: "policy apply: the document names it again"},
	},
}

// MigrationMachine is the migration's state machine.
func MigrationMachine() *machine.Table { t := migrationTable; return &t }
