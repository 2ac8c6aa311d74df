package claim_test

import (
	"testing"
	"time"

	"onefold/internal/record/claim"
	"onefold/internal/utc"
)

// TestTheVerdictFollowsTheTable: what may be claimed is what the table has a
// claim for, and as the kind of claim that the table says.
func TestTheVerdictFollowsTheTable(t *testing.T) {
	t.Parallel()
	now := utc.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	m := claim.Machine()
	for _, status := range m.Names() {
		// The record at the moment at which it may be claimed, if ever it may.
		r := claim.Record{Status: claim.Status(status), InProgressUntil: now}
		got := r.Judge("", now)
		if (got == claim.Fresh) != m.Can(status, claim.Take) {
			t.Errorf("%q is judged %s, and the table says take: %t", status, got, m.Can(status, claim.Take))
		}
		if (got == claim.Takeover) != m.Can(status, claim.TakeOver) {
			t.Errorf("%q is judged %s, and the table says take over: %t", status, got, m.Can(status, claim.TakeOver))
		}
		if (got == claim.Done) != m.Terminal(status) {
			t.Errorf("%q is judged %s, and the table says terminal: %t", status, got, m.Terminal(status))
		}
	}
}

// TestOnlyWhatIsFinishedExpires: expires_at is compared, to the second, and
// says nothing of work that is under way or not known.
func TestOnlyWhatIsFinishedExpires(t *testing.T) {
	t.Parallel()
	now := utc.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	second := now.Std().Unix()
	for _, test := range []struct {
		status    claim.Status
		expiresAt int64
		want      bool
	}{
		{claim.Completed, second, true},
		{claim.Completed, second - 1, true},
		{claim.Completed, second + 1, false},
		{claim.Completed, 0, false},
		{claim.Failed, second, true},
		{claim.Failed, second + 1, false},
		{claim.Failed, 0, false},
		{claim.InProgress, second - 3600, false},
		{claim.Unknown, second - 3600, false},
		{claim.Unclaimed, second - 3600, false},
		{"paused", second - 3600, false},
	} {
		r := claim.Record{Status: test.status, ExpiresAt: test.expiresAt}
		if got := r.Expired(now); got != test.want {
			t.Errorf("%q with expires_at %d of %d: expired %t", test.status, test.expiresAt, second, got)
		}
	}
}

// TestALapseIsNoExpiry: the two times of a record answer different questions.
func TestALapseIsNoExpiry(t *testing.T) {
	t.Parallel()
	now := utc.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	running := claim.Record{Status: claim.InProgress, InProgressUntil: now.Add(time.Minute), ExpiresAt: 1}
	if running.Judge("", now) != claim.Running {
		t.Error("work in progress was taken for expired")
	}
	completed := claim.Record{Status: claim.Completed, InProgressUntil: now.Add(-time.Hour)}
	if completed.Judge("", now) != claim.Done {
		t.Error("a completed record was taken for lapsed")
	}
}
