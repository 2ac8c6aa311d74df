// Package claim holds the idempotency record: the attributes by which a row
// says who is working on it, until when, and what came of it. Rules only; the
// writes are made by package idempotency.
//
// Its invariant: a claim is never blind. Whoever wants the work first judges
// the record as it is and then claims exactly that version of it.
package claim

import (
	"time"

	"onefold/internal/utc"
)

// Status is where the work stands.
type Status string

// The statuses. "" means that nobody has claimed the work yet.
const (
	Unclaimed Status = ""
	// InProgress: somebody works on it until in_progress_until. Not: that he
	// still lives. A crash leaves it here; after the lapse it is taken over.
	InProgress Status = "in_progress"
	// Completed: the outcome is stored. Nothing is done again.
	Completed Status = "completed"
	// Failed: known not to have happened; due again at not_before, or final
	// when expires_at is set.
	Failed Status = "failed"
	// Unknown: it may have happened. Whoever takes it over reconciles first.
	Unknown Status = "unknown"
)

// Record is the idempotency record of one row.
type Record struct {
	Status          Status   `json:"status,omitempty"`
	Owner           string   `json:"owner,omitempty"`   // token of the latest claim; random, fresh for each claim call
	Attempt         int64    `json:"attempt,omitempty"` // how many claims there were: the fencing token
	InProgressUntil utc.Time `json:"in_progress_until,omitzero"`
	ExpiresAt       int64    `json:"expires_at,omitempty"` // epoch seconds; only on completed and finally failed records
	Fingerprint     string   `json:"fingerprint,omitempty"`
	Result          string   `json:"result,omitempty"`
	WorkflowVersion int64    `json:"workflow_version,omitempty"`
	CompletedAt     utc.Time `json:"completed_at,omitzero"`
}

// The attributes of a record that code outside this package names, and those of
// the row's timer besides schema.DueAt.
const (
	StatusAttr          = "status"
	OwnerAttr           = "owner"
	AttemptAttr         = "attempt"
	InProgressUntilAttr = "in_progress_until"
	ResultAttr          = "result"
	CompletedAtAttr     = "completed_at"
	NotBeforeAttr       = "not_before"
	NudgesAttr          = "nudges"
)

// Verdict is what a judged record allows.
type Verdict string

// The verdicts.
const (
	Fresh    Verdict = "fresh"    // claim it; nothing has been begun before
	Takeover Verdict = "takeover" // claim it; an earlier attempt may have had effects: reconcile first
	Done     Verdict = "done"     // the saved result is the answer
	Running  Verdict = "running"  // come back at in_progress_until
	Mismatch Verdict = "mismatch" // the same key with another payload: refused
)

// Judge says what may be done with the record at a moment. fingerprint is of
// the payload in hand; "" where the row itself is the payload.
func (r Record) Judge(fingerprint string, now utc.Time) Verdict {
	// The payload is compared before anything saved is given out.
	if fingerprint != "" && r.Fingerprint != "" && fingerprint != r.Fingerprint {
		return Mismatch
	}
	switch r.Status {
	case Unclaimed:
		return Fresh
	case Completed:
		return Done
	case InProgress:
		if now.Before(r.InProgressUntil) {
			return Running
		}
		return Takeover
	case Unknown:
		return Takeover
	case Failed:
		if r.ExpiresAt != 0 {
			return Done
		}
		return Takeover
	}
	// A word that newer code wrote: leave it alone.
	return Running
}

// SkewMargin is added to a lease beyond the worker's own timeout, for clocks
// that differ.
const SkewMargin = 60 * time.Second
