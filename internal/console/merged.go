package console

import (
	"cmp"
	"context"

	"onefold/internal/decide"
	"onefold/internal/decide/people"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/schema"
	"onefold/internal/utc"
)

// survivor is whom the mail of a merged contact is for now, with what the claim
// will need of it. A mail that waits for approval keeps the contact it was made
// for; the approval moves it, since no claim is made for a contact that was
// merged.
type survivor struct {
	contact     contact.Contact
	slot, other *followup.Cadence // of the survivor, and of the contact that was merged
}

// movesTo finds the survivor; nil when the mail is for the right contact. To one
// who was erased it moves too, and the claim ends it there.
func (s *Service) movesTo(ctx context.Context, i followup.Intent) (*survivor, error) {
	c, chain, err := people.Find(ctx, s.Store, i.Tenant, i.Contact)
	if err != nil || c == nil || len(chain) < 2 {
		return nil, err
	}
	to := &survivor{contact: *c}
	for id, slot := range map[string]**followup.Cadence{c.ID: &to.slot, i.Contact: &to.other} {
		var found followup.Cadence
		there, err := s.get(ctx, slotKey(i, id), &found)
		if err != nil {
			return nil, err
		}
		if there {
			*slot = &found
		}
	}
	return to, nil
}

// attributes are what the move changes of the intent. It is decided by the
// consent that the survivor has now: a wish against mail that stands on any
// address of the person is in a guard, and the claim asks all of these.
func (to *survivor) attributes(i followup.Intent) ledger.Item {
	return ledger.Item{
		"contact": to.contact.ID, "contact_ref": schema.Ref(i.Tenant, to.contact.ID), "consent_version": to.contact.ConsentVersion,
	}
}

// write makes the ground of the move a condition, and sees that the survivor
// has a place in its cadence: the longer of the two quiet periods counts.
func (to *survivor) write(c *ledger.Commit, i followup.Intent, now utc.Time) error {
	c.Check("merged", people.Key(i.Tenant, i.Contact), ledger.Is(contact.StatusAttr, contact.Merged))
	c.Check("survivor", people.Key(i.Tenant, to.contact.ID),
		ledger.All(ledger.All(ledger.Is(contact.StatusAttr, to.contact.Status), ledger.Is(contact.ConsentVersionAttr, to.contact.ConsentVersion)),
			decide.SameReach(to.contact))) // between the two nothing was taken back
	k := slotKey(i, to.contact.ID)
	other := cmp.Or(to.other, &followup.Cadence{})
	quiet := other.QuietUntil.After(now) && other.SendingIntent != i.ID
	if to.slot == nil {
		slot := followup.Cadence{Tenant: i.Tenant, Contact: to.contact.ID, Rule: i.Rule, Intent: i.ID, FoldUntil: other.FoldUntil}
		if quiet {
			slot.SendingIntent, slot.QuietUntil = other.SendingIntent, other.QuietUntil
		}
		return c.Create("cadence", k, slot)
	}
	if !quiet || !other.QuietUntil.After(to.slot.QuietUntil) {
		return nil
	}
	return c.Update("cadence", k, ledger.AtVersion(to.slot.Version),
		ledger.Item{followup.SendingIntentAttr: other.SendingIntent, followup.QuietUntilAttr: other.QuietUntil})
}

func slotKey(i followup.Intent, contactID string) ledger.Key {
	return ledger.Cadence.Under(i.Tenant, contactID, i.Rule)
}
