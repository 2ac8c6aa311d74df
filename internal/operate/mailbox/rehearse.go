package mailbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// rehearse decides every mail, the oldest first, on a ledger of this process.
func (a *auditor) rehearse(ctx context.Context) error {
	stage := rehearsal{a: a, items: map[ledger.Key]ledger.Item{}}
	last := utc.At(time.Unix(0, 0)) // for a mailbox without any date
	for _, n := range a.notes {
		last = later(last, n.Date)
	}
	for i, n := range a.notes {
		if n.kind == KindTooLarge {
			continue
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		now := n.Date
		if now.IsZero() {
			now = last
		}
		if err := stage.play(n, "audit-"+strconv.Itoa(i), now); err != nil {
			return fmt.Errorf("decide message %d: %w", n.Position, err)
		}
	}
	return nil
}

// rehearsal is a ledger that is thrown away. One decision follows the other, so
// a refused commit would be a fault of this program.
type rehearsal struct {
	a     *auditor
	items map[ledger.Key]ledger.Item
}

// play records a mail's event and decides it. What waits for a person only since
// a form of ours brought it is decided once more with that person's yes, so that
// it can be told whether it would fold into another.
func (r *rehearsal) play(n *note, id string, now utc.Time) error {
	e := inbound.Event{
		Tenant: r.a.policy.Tenant, ID: id, Source: "audit", Content: tenant.ContentMail,
		State: inbound.Recorded, Transition: 1, ReceivedAt: now,
	}
	key := ledger.Event.At(e.Tenant, e.ID)
	var c ledger.Commit
	if err := c.Create("event", key, e); err != nil {
		return err
	}
	if err := r.commit(c); err != nil {
		return err
	}
	var err error
	if n.person, n.result, err = r.decide(n, e, now, nil); err != nil {
		return err
	}
	if n.result.outcome != decide.Referred || !slices.Equal(n.result.reasons, []string{content.ReasonFormRelay}) {
		return nil
	}
	if err := r.items[key].Decode(&e); err != nil {
		return err
	}
	_, n.approved, err = r.decide(n, e, now, &decide.Answer{Approve: true, By: "person:audit"})
	return err
}

func (r *rehearsal) decide(n *note, e inbound.Event, now utc.Time, answer *decide.Answer) (decide.Person, decision, error) {
	p := r.a.policy
	var x *reader.Stored
	if decide.Reader(n.facts) {
		x = n.x
	}
	in := decide.Input{Event: e, Policy: p, Facts: n.facts, Extraction: x, Answer: answer, Now: now, By: "audit"}
	person := decide.Identify(r.a.ids, p, decide.AddressOf(n.facts, x, answer))
	res, err := decide.Read(in, r.a.ids, decide.Decide, r.rows)
	if err != nil {
		return person, decision{}, err
	}
	return person, decision{res.Outcome, res.Reasons, res.Intent}, r.commit(res.Commit)
}

func (r *rehearsal) rows(keys []ledger.Key) ([]ledger.Item, error) {
	items := make([]ledger.Item, len(keys))
	for n, k := range keys {
		items[n] = r.items[k]
	}
	return items, nil
}

// commit applies a commit by the ledger's own definition of it. What no decision
// reads is not kept.
func (r *rehearsal) commit(c ledger.Commit) error {
	for _, w := range c.Writes {
		if !w.Allowed(r.items[w.Key]) {
			return fmt.Errorf("the rehearsal's ledger refused write %s", w.Name)
		}
	}
	for _, w := range c.Writes {
		unread := slices.Contains([]ledger.Entity{ledger.Audit, ledger.Operation, ledger.MatchDecision}, w.Key.Entity)
		if w.Op != ledger.OpCheck && !unread {
			r.items[w.Key] = w.Apply(r.items[w.Key])
		}
	}
	return nil
}

func later(a, b utc.Time) utc.Time {
	if b.After(a) {
		return b
	}
	return a
}
