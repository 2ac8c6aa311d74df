package feedback

import (
	"context"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

// whose is the contact whose wish a stop is: of a complaint the one that was
// mailed, read through merges; of a bounce, which says nothing of a person's
// other addresses, none.
func (s *Service) whose(ctx context.Context, i followup.Intent, reason string) (*contact.Contact, error) {
	if reason == guard.ReasonBounce {
		return nil, nil
	}
	c, _, err := people.Find(ctx, s.Store, i.Tenant, i.Contact)
	if c == nil || c.Status != contact.Active {
		return nil, err
	}
	return c, err
}

// withdraw raises the consent version of a complainer, so that nothing goes to
// any of the person's addresses that was decided before.
func (s *Service) withdraw(c *ledger.Commit, who contact.Contact, i followup.Intent, opID string, now utc.Time) error {
	r := audit.Record{At: now, By: "feedback", Reasons: []string{"consent_withdrawn"}, InboundEvent: i.Event, Contact: who.ID, Intent: i.ID}
	if _, err := c.Move(ledger.Step{
		Key: people.Key(i.Tenant, who.ID), Transition: who.Transition, Event: "withdraw_consent",
		Set: ledger.Item{contact.ConsentVersionAttr: who.ConsentVersion + 1}, Audit: r,
	}); err != nil || who.ID == i.Contact {
		return err
	}
	// The mail was made for a contact that was merged since: what waits for the
	// one it leads to ends too.
	op := outbox.Operation{
		Tenant: i.Tenant, ID: s.IDs.ID("op", outbox.CancelIntents, i.Tenant, "survivor", opID),
		Kind: outbox.CancelIntents, Guard: i.Guard, Contact: who.ID, Event: i.Event,
	}
	return decide.InsertOperation(c, op, now, audit.Record{At: now, By: "feedback", InboundEvent: i.Event})
}
