package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onefold/internal/ledger"
	"onefold/internal/record/claim"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// Records are idempotency records that guard no row of the ledger: of work
// that a caller names by a key of his own choice.
//
// # Contract
//
// Of all that begin the same work at once, one gets it. Begin says which of
// these it is: the work is the caller's, who is told whether somebody may have
// begun it before; it is done, with the saved result; somebody is at it, with
// the time to come back; or the key was used for another payload, which is
// refused before anything saved is given out.
//
// The lapse of a claim and the expiry of a record are two things. A claim
// lapses when its worker is certainly dead, and the work is then taken over by
// one who knows that an earlier attempt may have had effects. A record expires
// only when it is completed or failed for good, by comparison with the clock:
// whether the store has removed it by then makes no difference. An expired
// record counts as none, and its key may be used for another payload.
//
// Complete, Fail, Release and Lose are fenced by owner and attempt. ErrLost
// means that somebody else has the work: the caller throws his result away, and
// what he did outside is found by the other's reconciling. Whatever goes wrong,
// nothing is deleted: a caller who knows that nothing happened says Release, and
// any other says Lose, or nothing, which comes to the same after the lapse.
//
// Each of the four may be repeated after any other error: a write that was made
// all the same is known again by the claim's token.
type Records struct {
	Store ledger.Store
	Now   func() time.Time
}

// Work names work and the payload that it is about.
type Work struct {
	Tenant string
	For    string // such as "import"; keys for different purposes do not meet
	Key    string // at most ledger.MaxIDBytes
	// Fingerprint is that of the payload, see Fingerprint. There must be one: a
	// key that answers for any payload gives the wrong result one day.
	Fingerprint string
	// Timeout is after what time from now the worker is killed. None left is no
	// time at all, and never no limit.
	Timeout time.Duration
}

// Begun is the answer to Begin: a verdict, with what belongs to it.
type Begun struct {
	Verdict claim.Verdict
	Held    Held     // Fresh, Takeover: the claim
	Result  string   // Done: what was saved
	Failed  bool     // Done: it failed for good, and Result says how
	Until   utc.Time // Running: when to come back
}

// Held is a claim that is the caller's.
type Held struct {
	key    ledger.Key
	record claim.Record
	// After is the status that a takeover found. After in_progress and unknown,
	// effects outside are possible; after failed, the latest attempt had none.
	After claim.Status
}

// Attempt is how often the work has been claimed, this time included.
func (h Held) Attempt() int64 { return h.record.Attempt }

// Until is when the claim lapses.
func (h Held) Until() utc.Time { return h.record.InProgressUntil }

var (
	// ErrNoTime means that the worker has no time left. Nothing was claimed.
	ErrNoTime = errors.New("idempotency: no time left to begin")
	// ErrLost means that the work is no longer the caller's.
	ErrLost = errors.New("idempotency: the claim is lost")
)

// Tries bounds how often Begin looks again at a record that others move.
const Tries = 8

// Begin claims the work, or says why not. An error means that the caller does
// nothing and comes again: a claim that was made all the same lapses.
func (r Records) Begin(ctx context.Context, w Work) (Begun, error) {
	switch {
	case w.Fingerprint == "" || w.For == "":
		return Begun{}, fmt.Errorf("%w: work without a purpose or a fingerprint", ledger.ErrInvalid)
	case w.Timeout <= 0:
		return Begun{}, ErrNoTime
	}
	owner := NewOwner() // of this call, kept across its repeats
	var seen ledger.Item
	// The first write supposes that there is no record, as for most keys there
	// is none. The refusal shows the one that there is.
	err := ledger.ErrContention
	for try := 0; try < Tries && errors.Is(err, ledger.ErrContention); try++ {
		var begun Begun
		if begun, seen, err = r.claim(ctx, w, owner, seen); err == nil {
			return begun, nil
		}
		if waitErr := ledger.Wait(ctx, ledger.Backoff(try)); waitErr != nil {
			return Begun{}, waitErr
		}
	}
	return Begun{}, fmt.Errorf("claim work for %s: %w", w.For, err)
}

// claim judges the record as it was seen and, where it may be had, claims
// exactly that version. ErrContention comes with the record as it is now.
func (r Records) claim(ctx context.Context, w Work, owner string, seen ledger.Item) (Begun, ledger.Item, error) {
	now := utc.At(r.Now())
	before, notBefore, err := recordIn(seen, now)
	if err != nil {
		return Begun{}, nil, err
	}
	verdict := before.Judge(w.Fingerprint, now)
	switch {
	case verdict == claim.Done:
		return Begun{Verdict: verdict, Result: before.Result, Failed: before.Status == claim.Failed}, seen, nil
	case verdict == claim.Running:
		return Begun{Verdict: verdict, Until: before.InProgressUntil}, seen, nil
	case verdict == claim.Takeover && now.Before(notBefore):
		return Begun{Verdict: claim.Running, Until: notBefore}, seen, nil
	case verdict == claim.Mismatch:
		return Begun{Verdict: verdict}, seen, nil
	}
	k := ledger.Idempotency.Under(w.Tenant, w.Key, w.For)
	c, mine, err := claimCommit(k, before, owner, w.Fingerprint, now.Add(Lease(w.Timeout)), seen)
	if err != nil {
		return Begun{}, nil, err
	}
	won := Begun{Verdict: verdict, Held: Held{key: k, record: mine, After: before.Status}}
	err = r.Store.Commit(ctx, c)
	if refused, ok := ledger.AsRefused(err); ok {
		f, _ := refused.By("record")
		if Mine(f.Current, owner, mine.Attempt) {
			return won, nil, nil // the answer to our own first try was lost
		}
		return Begun{}, f.Current, ledger.ErrContention
	}
	if err != nil && !ledger.NotWritten(err) {
		// No answer: the record alone can say whether the claim is ours.
		if it, readErr := r.Store.Get(ctx, k); readErr == nil && Mine(it, owner, mine.Attempt) {
			return won, nil, nil
		}
	}
	if err != nil {
		return Begun{}, seen, err
	}
	return won, nil, nil
}

// recordIn reads a stored record. What has expired is none, but for its count
// of attempts: a worker of that time must not be taken for one of now.
func recordIn(it ledger.Item, now utc.Time) (claim.Record, utc.Time, error) {
	var stored struct {
		claim.Record

		NotBefore utc.Time `json:"not_before,omitzero"`
	}
	if it == nil {
		return claim.Record{}, utc.Time{}, nil
	}
	if err := it.Decode(&stored); err != nil {
		return claim.Record{}, utc.Time{}, err
	}
	if stored.Expired(now) {
		return claim.Record{Attempt: stored.Attempt}, utc.Time{}, nil
	}
	return stored.Record, stored.NotBefore, nil
}

// claimCommit creates the record, or takes over exactly the version that was
// seen and removes what an earlier life of the key left.
func claimCommit(k ledger.Key, before claim.Record, owner, fingerprint string, until utc.Time, seen ledger.Item) (ledger.Commit, claim.Record, error) {
	set, mine := Claim(before, owner, until)
	mine.Fingerprint = fingerprint
	var c ledger.Commit
	if seen == nil {
		return c, mine, c.Create("record", k, mine)
	}
	return c, mine, c.Update("record", k, ledger.AtVersion(seen.Version()), Join(set, ledger.Item{
		"fingerprint": fingerprint, claim.ResultAttr: "", claim.CompletedAtAttr: "", "workflow_version": "", schema.ExpiresAt: "", claim.NotBeforeAttr: "",
	}))
}
