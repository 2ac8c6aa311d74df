package decide

import (
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/machine"
)

const (
	// MaxStops is how many addresses one commit stops: each takes up to seven of
	// its writes (ledger.MaxWrites), ten while the identity rule is migrated.
	MaxStops = 9
	// MaxHeld is how many it holds or releases, at two writes each, beside the
	// few that a report can prove (rawmail.Message.ReturnedMarks).
	MaxHeld = 20
)

// StopFirst makes the commit that stops, holds or releases some of the
// addresses of a report which names more than the deciding commit can hold. The
// caller commits it, reads the ground anew and asks again, until there is
// nothing to commit; then the ground can be decided. A report that is read again
// after a crash goes on with those that are left.
//
// A hold that is put here is in the report's name, and only while the event is
// undecided: what decides it refers to a person. If he approves and the rest
// then fails, what is stopped stays so, and the task is open to be answered
// again.
func stopGround(g Ground, ids digest.Key) (ledger.Commit, error) {
	b := &builder{g: g, ids: ids}
	if !b.hardReport() {
		return b.c, nil
	}
	r := b.reported()
	var err error
	switch {
	case len(r.stop) > MaxStops:
		// The last ones: the first of all belongs to the decision.
		err = b.stopAll(r.stop[max(1, len(r.stop)-MaxStops):], b.stopReason())
	case len(r.hold) > MaxHeld:
		err = b.holdAll(r.hold[len(r.hold)-MaxHeld:])
	case len(r.release) > MaxHeld:
		err = b.release(r.release[len(r.release)-MaxHeld:])
	default:
		return b.c, nil
	}
	if err != nil {
		return b.c, err
	}
	b.c.Check("event", b.eventKey(), ledger.All(ledger.Is(machine.StateAttr, g.Event.State), ledger.Is(machine.TransitionAttr, g.Event.Transition)))
	return b.c, nil
}
