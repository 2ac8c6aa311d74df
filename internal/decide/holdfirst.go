package decide

import (
	"slices"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/reading/wish"
	"onefold/internal/record/inbound"
	"onefold/internal/record/machine"
)

// HoldFirst makes the commit that holds every address that doubtful words may
// be about, before a reader is asked: a reader that gives no answer for hours
// must leave no way for a mail. There is nothing to commit when the words are
// not doubtful or our own, when a person's answer is at hand, or when the hold
// stands.
//
// The hold is in its cause's name, and is put only while the event is
// undecided. What decides the event finds it and refers to a person, whose
// approval lifts it (see doubted), so it is never without a task or an event
// that leads to one.
func holdGround(g Ground, ids digest.Key) (ledger.Commit, error) {
	b := &builder{g: g, ids: ids}
	if g.Facts.OptOut.Verdict != wish.OptOutDoubtful || !g.Facts.Human() || g.Answer != nil || g.Seen.Ours || b.erasedSince(g.Seen.Guard) {
		return b.c, nil
	}
	// An own address is not one that the task would find again.
	parties := slices.DeleteFunc(b.parties(), func(p Party) bool { return p.Person.Own })
	if err := b.holdAll(parties); err != nil || len(b.c.Writes) == 0 {
		return b.c, err
	}
	b.c.Check("event", b.eventKey(), ledger.All(ledger.Is(machine.StateAttr, inbound.Recorded), ledger.Is(machine.TransitionAttr, g.Event.Transition)))
	return b.c, nil
}

// doubted tells whether the event may be a wish not to be mailed: by its
// words, by its reader, or because it holds an address already. The last
// matters when the word lists were changed between the hold and the decision.
func (b *builder) doubted() bool {
	return b.g.Facts.OptOut.Verdict == wish.OptOutDoubtful || b.possibleOptOut() ||
		slices.ContainsFunc(b.parties(), func(p Party) bool { return slices.Contains(holds(p.Guard), b.holdOf()) })
}
