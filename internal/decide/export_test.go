package decide

import "onefold/internal/digest"

// Tests decide on grounds that they make by hand.
var (
	DecideGround = decideGround
	HoldGround   = holdGround
	StopGround   = stopGround
)

// SnapshotOf is a ground as a snapshot.
func SnapshotOf(g Ground, ids digest.Key) (Snapshot, error) {
	answers, err := known(g, ids)
	return Snapshot{Kept: answers}, err
}
