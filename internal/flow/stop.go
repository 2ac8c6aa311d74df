package flow

import (
	"onefold/internal/audit"
	"onefold/internal/contact"
	"onefold/internal/guard"
	"onefold/internal/ledger"
	"onefold/internal/outbox"
)

// stop forbids every mail to the person's address from this commit on, raises
// the consent version of the contact that holds the key, and puts the
// operation that ends what is queued.
func (b *builder) stop(reason string) error {
	p, now := b.g.Person, b.g.Now
	set := ledger.Item{"reason": reason, "address": p.Address.String()}
	if b.g.Seen.Guard.Text(guard.StopAttr(guard.ScopeAll)) == "" {
		set[guard.StopAttr(guard.ScopeAll)] = now // the first stop's time is the one that counts
	}
	if reason == guard.ReasonBounce {
		set["bounces"] = b.g.Seen.Guard.Int("bounces") + 1
	}
	if reason == guard.ReasonComplaint {
		set["complaints"] = b.g.Seen.Guard.Int("complaints") + 1
	}
	if err := ChangeGuard(&b.c, GuardChange{
		Tenant: b.tenant(), ID: p.GuardID, Seen: b.g.Seen.Guard, Event: "stop", Set: set,
		Audit: b.audit([]string{reason}),
	}); err != nil {
		return err
	}
	contactID := ""
	if c := b.g.Seen.Contact; c != nil && !p.Shared {
		contactID = c.ID
		if err := b.raiseConsent(c); err != nil {
			return err
		}
	} else if err := b.keyStaysUnknown(); err != nil {
		return err
	}
	b.res.Contact = contactID
	return b.born(outbox.Operation{
		ID: b.ids.ID("op", outbox.CancelIntents, b.tenant(), b.g.Event.ID), Kind: outbox.CancelIntents,
		Guard: p.GuardID, Contact: contactID, Event: b.g.Event.ID,
	})
}

// keyStaysUnknown makes the absence of a contact part of the ground: if one
// appears before this commit, its consent version has to be raised too.
func (b *builder) keyStaysUnknown() error {
	if b.g.Seen.Key != nil || b.g.Person.KeyID == "" {
		return nil
	}
	b.c.Check("contact_key", ledger.Key{Entity: ledger.ContactKey, Tenant: b.tenant(), ID: b.g.Person.KeyID}, ledger.Missing())
	return nil
}

func (b *builder) raiseConsent(c *contact.Contact) error {
	_, err := b.c.Move(ledger.Step{
		Key:        ledger.Key{Entity: ledger.Contact, Tenant: b.tenant(), ID: c.ID},
		Transition: c.Transition, Event: "withdraw_consent",
		Set:   ledger.Item{"consent_version": c.ConsentVersion + 1},
		Audit: b.audit([]string{"consent_withdrawn"}),
	})
	return err
}

// GuardChange is one audited change of a guard, which may not exist yet.
type GuardChange struct {
	Tenant string
	ID     string
	Seen   ledger.Item // as read; nil when there is none
	Event  string
	Set    ledger.Item
	Audit  audit.Record
}

// ChangeGuard adds the change to a commit, conditional on the guard as it was
// read.
func ChangeGuard(c *ledger.Commit, ch GuardChange) error {
	k := ledger.Key{Entity: ledger.Guard, Tenant: ch.Tenant, ID: ch.ID}
	if ch.Audit.Details == nil {
		ch.Audit.Details = map[string]string{}
	}
	ch.Audit.Details["guard"] = ch.ID
	if ch.Seen != nil {
		_, err := c.Move(ledger.Step{
			Key: k, Transition: ch.Seen.Int("transition"), Event: ch.Event, Set: ch.Set, Audit: ch.Audit,
		})
		return err
	}
	born := ledger.Item{"tenant": ch.Tenant, "id": ch.ID, "transition": int64(1)}
	for attr, v := range ch.Set {
		n, err := ledger.Normal(v)
		if err != nil {
			return err
		}
		born[attr] = n
	}
	return c.Born(ledger.Step{Key: k, Event: ch.Event, Audit: ch.Audit}, born, "")
}
