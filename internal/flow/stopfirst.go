package flow

import (
	"slices"

	"onefold/internal/digest"
	"onefold/internal/guard"
	"onefold/internal/ledger"
	"onefold/internal/rawmail"
)

// MaxStops is how many addresses one commit stops: each takes up to seven of
// its writes (ledger.MaxWrites), ten while the identity rule is migrated.
const MaxStops = 9

// StopFirst makes the commit that stops some of the addresses of a report which
// names more than the deciding commit can hold. The caller commits it, reads
// the ground anew and asks again, until there is nothing to commit; then the
// ground can be decided. A report that is read again after a crash goes on with
// those that are not stopped yet.
func StopFirst(g Ground, ids digest.Key) (ledger.Commit, error) {
	b := &builder{g: g, ids: ids}
	reported := b.reported()
	if !g.Facts.Machine() || g.Answer != nil || len(reported) <= MaxStops {
		return b.c, nil
	}
	reason := guard.ReasonBounce
	if g.Facts.Kind == rawmail.Complaint {
		reason = guard.ReasonComplaint
	}
	// The last ones: the first of all belongs to the decision.
	if err := b.stopAll(reported[max(1, len(reported)-MaxStops):], reason); err != nil {
		return b.c, err
	}
	b.c.Check("event", b.eventKey(), ledger.All(ledger.Is("state", g.Event.State), ledger.Is("transition", g.Event.Transition)))
	return b.c, nil
}

// reported are the addresses that a report still has to stop: whom the event
// is about, counted each time, and the others that nothing has stopped.
func (b *builder) reported() []Party {
	others := slices.DeleteFunc(slices.Clone(b.g.Also), func(p Party) bool {
		return p.Guard.Text(guard.StopAttr(guard.ScopeAll)) != ""
	})
	if !b.g.Person.Known() {
		return others
	}
	return append([]Party{b.main()}, others...)
}
