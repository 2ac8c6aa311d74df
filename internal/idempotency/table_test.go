package idempotency_test

import (
	"testing"
	"time"

	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/record/claim"
)

// TestTheWritesFollowTheTable: from every status, each write of this package
// is taken by the store exactly where the record's table has the move, and
// leads where the table says. A claim is asked of Judge first, a finish of its
// fence.
func TestTheWritesFollowTheTable(t *testing.T) {
	t.Parallel()
	finishes := map[string]ledger.Item{
		claim.Complete: idempotency.Complete("r", at(0)),
		claim.Release:  idempotency.Release(),
		claim.Lose:     idempotency.Lost(),
	}
	for _, status := range claim.Machine().Names() {
		for event, set := range finishes {
			r := newRow(t)
			mine := claim.Record{Owner: "me", Attempt: 3}
			if err := r.update(ledger.Cond{}, ledger.Item{"status": status, "owner": "me", "attempt": 3, "nudges": 0}); err != nil {
				t.Fatal(err)
			}
			follows(t, r, status, event, r.update(idempotency.Fence(mine), set))
		}
		r := newRow(t)
		// At the moment at which the record may be had, if ever it may.
		if err := r.update(ledger.Cond{}, ledger.Item{"status": status, "in_progress_until": at(0), "nudges": 0}); err != nil {
			t.Fatal(err)
		}
		rec, it := r.read()
		event, asked := map[claim.Verdict]string{claim.Fresh: claim.Take, claim.Takeover: claim.TakeOver}[rec.Judge("f", at(0))]
		if may := claim.Machine().Can(status, claim.Take) || claim.Machine().Can(status, claim.TakeOver); may != asked {
			t.Errorf("%q: may be claimed %t, the table says %t", status, asked, may)
		}
		if !asked {
			continue
		}
		set, _ := idempotency.Claim(rec, idempotency.NewOwner(), at(time.Minute))
		follows(t, r, status, event, r.update(ledger.AtVersion(it.Version()), set))
	}
}

func follows(t *testing.T, r row, status, event string, err error) {
	t.Helper()
	rec, _ := r.read()
	to, no := claim.Machine().Next(status, event)
	_, refused := ledger.AsRefused(err)
	switch {
	case no != nil && (!refused || string(rec.Status) != status):
		t.Errorf("%q by %s: %v, now %q, and the table has no such move", status, event, err, rec.Status)
	case no == nil && (err != nil || string(rec.Status) != to):
		t.Errorf("%q by %s: %v, now %q, want %q", status, event, err, rec.Status, to)
	}
}

// TestTheFenceAsksForStatusOwnerAndAttempt: each by itself. A record that the
// store removed and that was begun anew has the attempt of the old one; the same
// owner never has two attempts, unless a caller keeps a token that he should not.
func TestTheFenceAsksForStatusOwnerAndAttempt(t *testing.T) {
	t.Parallel()
	mine := claim.Record{Owner: "me", Attempt: 3}
	for name, c := range map[string]struct {
		row  ledger.Item
		want bool
	}{
		"mine":            {ledger.Item{"status": "in_progress", "owner": "me", "attempt": 3}, true},
		"mine, nudged":    {ledger.Item{"status": "in_progress", "owner": "me", "attempt": 3, "nudges": 4}, true},
		"another owner":   {ledger.Item{"status": "in_progress", "owner": "you", "attempt": 3}, false},
		"a later attempt": {ledger.Item{"status": "in_progress", "owner": "me", "attempt": 4}, false},
		"finished":        {ledger.Item{"status": "completed", "owner": "me", "attempt": 3}, false},
		"lost":            {ledger.Item{"status": "unknown", "owner": "me", "attempt": 3}, false},
	} {
		r := newRow(t)
		if err := r.update(ledger.Cond{}, c.row); err != nil {
			t.Fatal(err)
		}
		if err := r.update(idempotency.Fence(mine), idempotency.Complete("x", at(0))); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
