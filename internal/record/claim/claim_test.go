package claim_test

import (
	"testing"
	"time"

	"onefold/internal/record/claim"
	"onefold/internal/utc"
)

// The cases are those of DESIGN section 4, "Idempotency record".
func TestARecordIsJudgedBeforeItIsClaimed(t *testing.T) {
	t.Parallel()
	now := utc.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	tests := []struct {
		name   string
		record claim.Record
		print  string
		want   claim.Verdict
	}{
		{"nobody has claimed it", claim.Record{}, "", claim.Fresh},
		{"completed: its saved result", claim.Record{Status: claim.Completed, Fingerprint: "a"}, "a", claim.Done},
		{"completed for another payload: refused, and no result given out", claim.Record{Status: claim.Completed, Fingerprint: "a"}, "b", claim.Mismatch},
		{"running for another payload", claim.Record{Status: claim.InProgress, Fingerprint: "a", InProgressUntil: now.Add(time.Hour)}, "b", claim.Mismatch},
		{"running", claim.Record{Status: claim.InProgress, InProgressUntil: now.Add(time.Millisecond)}, "", claim.Running},
		{"lapsed at this moment", claim.Record{Status: claim.InProgress, InProgressUntil: now}, "", claim.Takeover},
		{"lapsed", claim.Record{Status: claim.InProgress, InProgressUntil: now.Add(-time.Hour)}, "", claim.Takeover},
		{"unknown: reconcile first", claim.Record{Status: claim.Unknown}, "", claim.Takeover},
		{"failed and due", claim.Record{Status: claim.Failed}, "", claim.Takeover},
		{"finally failed", claim.Record{Status: claim.Failed, ExpiresAt: 1}, "", claim.Done},
		{"a word of newer code is left alone", claim.Record{Status: "paused"}, "", claim.Running},
		{"the row itself is the payload", claim.Record{Status: claim.Completed, Fingerprint: "a"}, "", claim.Done},
	}
	for _, test := range tests {
		if got := test.record.Judge(test.print, now); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
