package claim

import (
	"time"

	"onefold/internal/record/machine"
	"onefold/internal/utc"
)

// The moves of a record. A write that leaves the status as it is, is none.
const (
	Take     = "take"      // the first claim
	TakeOver = "take_over" // a further claim: reconcile before any outside effect
	Complete = "complete"  // the outcome is stored
	Release  = "release"   // known not to have happened; due again, or failed for good
	Lose     = "lose"      // it may have happened
	Close    = "close"     // the row needs no work any more: ended without a claim
	SetAside = "set_aside" // only a person can go on: put before him without a claim
)

var recordTable = machine.Table{
	Noun:  "idempotency record",
	Start: []string{string(Unclaimed)},
	States: []machine.State{
		{Name: string(Unclaimed), Means: "nobody has claimed the work; also what a record counts as whose expires_at has passed", Not: "that the work is not due: see the row's not_before", Mover: "the row's worker", Crash: "a crash before the claim committed", Dwell: time.Hour},
		{Name: string(InProgress), Means: "somebody works on it until in_progress_until", Not: "that he still lives", Mover: "its owner, fenced; after the lapse whoever takes over", Crash: "any crash between claim and finish; the lapse, never expires_at, ends it", Dwell: time.Hour},
		{Name: string(Completed), Means: "the outcome is stored; nothing is done again", Not: "kept for ever: only where there is no expires_at", Terminal: true},
		{Name: string(Failed), Means: "known not to have happened: due again at not_before, or, with expires_at, failed for good", Not: "that the outside did nothing in an earlier attempt", Mover: "the row's worker", Crash: "none", Dwell: time.Hour},
		{Name: string(Unknown), Means: "it may have happened", Not: "failed", Mover: "the row's worker, who reconciles first; a person", Crash: "none", Dwell: time.Hour},
	},
	Moves: []machine.Move{
		{Event: Take, From: []string{string(Unclaimed)}, To: string(InProgress), By: "a worker, on the exact version that was judged"},
		{Event: TakeOver, From: []string{string(InProgress), string(Failed), string(Unknown)}, To: string(InProgress), By: "a worker, on the exact version that was judged: lapsed, due or unknown"},
		{Event: Complete, From: []string{string(InProgress)}, To: string(Completed), By: "the owner, fenced"},
		{Event: Release, From: []string{string(InProgress)}, To: string(Failed), By: "the owner, fenced"},
		{Event: Lose, From: []string{string(InProgress)}, To: string(Unknown), By: "the owner, fenced"},
		{Event: Close, From: []string{string(Unclaimed), string(InProgress), string(Failed), string(Unknown)}, To: string(Completed), By: "a worker or a person, with a transition of the row as it was read"},
		{Event: SetAside, From: []string{string(Unclaimed), string(InProgress), string(Failed)}, To: string(Unknown), By: "a worker, with a transition of the row as it was read"},
	},
}

// Machine is the record's state machine. Its states are those of the column
// status; the row that the record guards has a machine of its own.
func Machine() *machine.Table { t := recordTable; return &t }

// Expired tells whether a record has outlived its retention and counts as
// none, whether or not the store has removed it. Work that is in progress never
// expires: its lapse is a matter of in_progress_until.
func (r Record) Expired(now utc.Time) bool {
	finished := r.Status == Completed || r.Status == Failed
	return finished && r.ExpiresAt != 0 && now.Std().Unix() >= r.ExpiresAt
}
