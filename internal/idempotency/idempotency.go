// Package idempotency makes the writes by which work is claimed, taken over
// and finished, each with the condition that keeps it honest.
//
// # Contract
//
// A claim is conditional on the exact version of the row that was judged, so
// of two that judged the same row one wins. It raises attempt by one and puts
// a token of its own that nobody else has. Finishing is fenced: it asks for
// that token, that attempt and the status in_progress, and never for the
// version, which others may raise meanwhile. So a worker that comes back after
// its lease lapsed and somebody took over changes nothing, and is told so.
// Nothing here deletes a record. Only completed and finally failed records
// carry expires_at.
//
// A crash after a claim leaves in_progress with a lapse time; the row's due_at
// lies behind that lapse, so the sweeper brings it to a worker, who takes it
// over and knows that it is a takeover.
package idempotency

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/record/claim"
	"onefold/internal/utc"
)

// NewOwner is a fresh random token of 128 bits. One claim call has one token,
// kept across the repeats of that call; another call has another.
func NewOwner() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand, Go 1.24)
	return hex.EncodeToString(b[:])
}

// Claim makes the attributes of a claim of a record that was judged Fresh or
// Takeover, and the record as it will be.
func Claim(r claim.Record, owner string, until utc.Time) (ledger.Item, claim.Record) {
	r.Status, r.Owner, r.Attempt, r.InProgressUntil = claim.InProgress, owner, r.Attempt+1, until
	return ledger.Item{
		claim.StatusAttr:          r.Status,
		claim.OwnerAttr:           r.Owner,
		claim.AttemptAttr:         r.Attempt,
		claim.InProgressUntilAttr: r.InProgressUntil,
	}, r
}

// Mine tells whether a row that refused a claim shows this very claim: the
// answer to the first try was lost and the claim is ours.
func Mine(current ledger.Item, owner string, attempt int64) bool {
	return current != nil && current.Text(claim.OwnerAttr) == owner && current.Int(claim.AttemptAttr) == attempt &&
		current.Text(claim.StatusAttr) == string(claim.InProgress)
}

// Fence is the condition of every write that finishes a claim.
func Fence(r claim.Record) ledger.Cond {
	return ledger.All(
		ledger.Is(claim.StatusAttr, string(claim.InProgress)),
		ledger.Is(claim.OwnerAttr, r.Owner),
		ledger.Is(claim.AttemptAttr, r.Attempt),
	)
}

// Complete makes the attributes of a finished record. A record that may expire
// gets expires_at from its caller, in the same write.
func Complete(result string, now utc.Time) ledger.Item {
	return ledger.Item{
		claim.StatusAttr:          claim.Completed,
		claim.ResultAttr:          result,
		"workflow_version":        WorkflowVersion,
		claim.CompletedAtAttr:     now,
		claim.InProgressUntilAttr: "",
	}
}

// Release makes the attributes of work that is known not to have happened and
// is due again later.
func Release() ledger.Item {
	return ledger.Item{claim.StatusAttr: claim.Failed, claim.InProgressUntilAttr: ""}
}

// Lost makes the attributes of work whose outcome is not known.
func Lost() ledger.Item {
	return ledger.Item{claim.StatusAttr: claim.Unknown, claim.InProgressUntilAttr: ""}
}

// WorkflowVersion names the form of the workflow that completed a record.
const WorkflowVersion = 1

// Lease is how long a claim lives for a worker that is killed after timeout.
func Lease(timeout time.Duration) time.Duration { return timeout + claim.SkewMargin }

// Join puts the attributes of several parts of one update together.
func Join(parts ...ledger.Item) ledger.Item {
	out := ledger.Item{}
	for _, p := range parts {
		for k, v := range p {
			out[k] = v
		}
	}
	return out
}
