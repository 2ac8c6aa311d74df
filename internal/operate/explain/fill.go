package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
	"onefold/internal/record/words"
	"onefold/internal/utc"
)

// fill puts the rows as they are now into the timeline. personal says whether
// the address was named by whoever asked.
func (g *gatherer) fill(t *Timeline, personal bool) {
	t.Cut = g.cut
	if t.Guard == nil && len(g.guards) > 0 {
		t.Guard = &Guard{ID: slices.Sorted(maps.Keys(g.guards))[0]}
	}
	if t.Guard != nil {
		fillGuard(t.Guard, g.guards[t.Guard.ID])
	}
	for _, c := range inOrder(g.contacts, func(c *contact.Contact) utc.Time { return c.CreatedAt }) {
		row := Contact{ID: c.ID, Status: c.Status, MergedInto: c.MergedInto, Consent: c.ConsentVersion, LikelySame: c.LikelySame}
		if personal {
			row.Email = c.Email
		}
		t.Contacts = append(t.Contacts, row)
	}
	for _, e := range inOrder(g.events, func(e *inbound.Event) utc.Time { return e.ReceivedAt }) {
		row := Event{
			ID: e.ID, Label: fmt.Sprintf("E%d", len(t.Events)+1), ReceivedAt: e.ReceivedAt, State: e.State, Outcome: e.Outcome,
			Reasons: e.Reasons, Deliveries: len(g.deliveries[e.ID]), Tries: e.Attempt, Contact: e.Contact, Intent: e.Intent, Task: e.Review,
		}
		row.Says = saysEvent(row)
		t.Events = append(t.Events, row)
	}
	for _, i := range inOrder(g.intents, func(i *followup.Intent) utc.Time { return i.CreatedAt }) {
		t.Intents = append(t.Intents, g.fillIntent(*i, len(t.Intents)+1, personal))
	}
	for _, op := range inOrder(g.operations, func(op *outbox.Operation) utc.Time { return op.CreatedAt }) {
		tries := op.Attempt
		if op.Kind == outbox.SendIntent {
			// The timer is not claimed, the follow-up is.
			tries = int64(len(g.attempts[op.Intent]))
		}
		t.Operations = append(t.Operations, Operation{
			ID: op.ID, Kind: op.Kind, State: op.State, Reason: op.Reason, Attempts: tries, Nudges: op.Nudges,
			CRMID: op.CRMID, DueAt: op.DueAt, Event: op.Event, Intent: op.Intent,
		})
	}
}

// inOrder sorts rows by time, and by ID where that is equal.
func inOrder[T any](rows map[string]*T, at func(*T) utc.Time) []*T {
	ids := slices.SortedFunc(maps.Keys(rows), func(a, b string) int {
		return cmp.Or(cmp.Compare(at(rows[a]).String(), at(rows[b]).String()), cmp.Compare(a, b))
	})
	out := make([]*T, len(ids))
	for n, id := range ids {
		out[n] = rows[id]
	}
	return out
}

func fillGuard(to *Guard, it ledger.Item) {
	to.Stops = map[string]string{}
	for attr := range it {
		if scope, ok := strings.CutPrefix(attr, guard.StopAttr("")); ok {
			to.Stops[scope] = it.Text(attr)
		}
	}
	to.Hold, _ = utc.Parse(it.Text("hold"))
	to.ErasedAt, _ = utc.Parse(it.Text("erased_at"))
	to.Reason, to.Bounces, to.Complaints = it.Text("reason"), it.Int("bounces"), it.Int("complaints")
	var says []string
	for _, scope := range slices.Sorted(maps.Keys(to.Stops)) {
		kind := scope + " mail"
		if scope == guard.ScopeAll {
			kind = "all mail"
		}
		says = append(says, fmt.Sprintf("%s to this address is stopped since %s (%s)", kind, short(to.Stops[scope]), words.Plain(to.Reason)))
	}
	if !to.Hold.IsZero() {
		says = append(says, "mail to this address is held since "+short(to.Hold.String())+" until a person has read what may be an opt-out")
	}
	if !to.ErasedAt.IsZero() {
		says = append(says, "the person was erased at "+short(to.ErasedAt.String()))
	}
	if len(says) == 0 {
		says = append(says, "nothing stops mail to this address")
	}
	if to.Elsewhere != "" {
		says = append(says, "but for all addresses of the person: "+words.Plain(to.Elsewhere))
	}
	to.Says = strings.Join(says, "; ")
}

func (g *gatherer) fillIntent(i followup.Intent, n int, personal bool) Intent {
	row := Intent{
		ID: i.ID, Label: fmt.Sprintf("I%d", n), Rule: i.Rule, RuleVersion: i.RuleVersion, Mode: i.Mode, Event: i.Event, Contact: i.Contact,
		State: i.State, Reason: i.Reason, ApprovedBy: i.ApprovedBy, guard: i.Guard,
	}
	if personal {
		row.Recipient = i.Recipient
	}
	for _, a := range g.attempts[i.ID] {
		shown := Attempt{
			Number: a.Number, State: a.State, ClaimedAt: a.ClaimedAt, SettledAt: a.SettledAt, MessageID: a.MessageID, Reason: a.Reason,
			ResendAccepted: a.ResendAccepted, SentAt: a.SentAt, DeliveredAt: a.DeliveredAt, BouncedAt: a.BouncedAt, ComplainedAt: a.ComplainedAt,
		}
		shown.Says = saysAttempt(shown)
		row.Attempts = append(row.Attempts, shown)
	}
	row.Says = saysIntent(row)
	return row
}
