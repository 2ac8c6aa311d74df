package decide

import (
	"slices"
	"strings"

	"onefold/internal/address"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/guard"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/record/review"
)

// stopAll forbids every mail to these addresses from this commit on: the one
// that the event is about, first, and the others that it may be about too. It raises the consent version of each contact that holds such a
// key, and puts the operations that end what is queued.
func (b *builder) stopAll(parties []Party, reason string) error {
	for i, p := range parties {
		if err := b.stopGuard(p, reason); err != nil {
			return err
		}
		contactID := ""
		if c := p.Contact; c != nil && !p.Person.Shared {
			contactID = c.ID
			if err := b.raiseConsent(c); err != nil {
				return err
			}
		}
		b.keyStaysUnknown(p)
		if i == 0 && p.Person.GuardID == b.g.Person.GuardID {
			b.res.Contact = contactID
		}
		// With the guard's transition: an event may stop an address a second time,
		// by an answer, when a person has lifted the first stop.
		id := b.ids.ID("op", outbox.CancelIntents, b.tenant(), b.g.Event.ID, p.Person.GuardID, itoa(p.Guard.Int(machine.TransitionAttr)))
		if err := b.born(outbox.Operation{
			ID: id, Kind: outbox.CancelIntents, Guard: p.Person.GuardID, Contact: contactID, Event: b.g.Event.ID,
		}); err != nil {
			return err
		}
		if err := b.stopNext(p); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) stopGuard(p Party, reason string) error {
	set := b.named(p)
	if p.Guard.Text(guard.StopAttr(guard.ScopeAll)) == "" {
		set[guard.StopAttr(guard.ScopeAll)] = b.g.Now // the first stop's time is the one that counts
	}
	if said := p.Guard.Text(guard.ReasonAttr); guard.StopReason(said, reason) != said {
		set[guard.ReasonAttr] = guard.StopReason(said, reason)
	}
	if reason == guard.ReasonBounce {
		set[guard.BouncesAttr] = p.Guard.Int(guard.BouncesAttr) + 1
	}
	if reason == guard.ReasonComplaint {
		set[guard.ComplaintsAttr] = p.Guard.Int(guard.ComplaintsAttr) + 1
	}
	return ChangeGuard(&b.c, GuardChange{
		Tenant: b.tenant(), ID: p.Person.GuardID, Seen: p.Guard, Event: "stop", Set: set,
		Audit: b.stopAudit(p, reason),
	})
}

// stopAudit names the contact whose address it is, and for what the stop
// holds.
func (b *builder) stopAudit(p Party, reason string) audit.Record {
	r := b.audit(append([]string{reason}, b.relation(p)...))
	r.Contact = ""
	if p.Contact != nil && !p.Person.Shared {
		r.Contact = p.Contact.ID
	}
	r.Details = map[string]string{"scope": guard.ScopeAll}
	return r
}

// parties are all the addresses that a wish not to be mailed, or a report, may be
// about.
func (b *builder) parties() []Party {
	others := slices.Concat(b.g.Also, b.mailed())
	if !b.g.Person.Known() {
		return others
	}
	return append([]Party{b.g.main()}, others...)
}

// named is the readable address for a guard, unless it was erased after the
// event came in: an old event must not bring it back.
func (b *builder) named(p Party) ledger.Item {
	if b.erasedSince(p.Guard) || p.Person.Address == (address.Address{}) {
		return ledger.Item{}
	}
	return ledger.Item{guard.AddressAttr: p.Person.Address.String()}
}

func (b *builder) erasedSince(g ledger.Item) bool {
	at := g.Text(guard.ErasedAtAttr)
	return at != "" && at >= b.g.Event.ReceivedAt.String()
}

// keyStaysUnknown makes the absence of a contact part of the ground: if one
// appears before this commit, its consent version has to be raised too.
func (b *builder) keyStaysUnknown(p Party) {
	b.nextStaysUnknown(p)
	if p.Key != nil || p.isMailed() {
		return
	}
	b.c.Check("contact_key", ledger.ContactKey.At(b.tenant(), p.Person.KeyID), ledger.Missing())
}

// raiseConsent raises it once in a commit: two addresses, or an address and a
// customer ID, may be of one contact.
func (b *builder) raiseConsent(c *contact.Contact) error {
	if b.raised[c.ID] {
		return nil
	}
	if b.raised == nil {
		b.raised = map[string]bool{}
	}
	b.raised[c.ID] = true
	r := b.audit([]string{"consent_withdrawn"})
	r.Contact = c.ID
	_, err := b.c.Move(ledger.Step{
		Key:        ledger.Contact.At(b.tenant(), c.ID),
		Transition: c.Transition, Event: "withdraw_consent",
		Set:   ledger.Item{contact.ConsentVersionAttr: c.ConsentVersion + 1},
		Audit: r,
	})
	return err
}

// MaxHolds is how many causes a hold lists. With more, it waits for a person
// to lift it by hand.
const MaxHolds = 50

// byHand stands in a hold's list for what no answer to a task lifts: a hold
// that a person put, and causes beyond MaxHolds.
const byHand = "by_hand"

// holdOf names a cause in the list of a hold. Each doubtful mail has a place of
// its own there, since what a person says of one says nothing of another. It
// is the cause and not the event, so that the same mail in two mailboxes needs
// one approval.
func (b *builder) holdOf() string { return b.ids.ID("hold", b.tenant(), b.g.Facts.Cause) }

func holds(g ledger.Item) []string { return strings.Fields(g.Text(guard.HoldReviewAttr)) }

func (b *builder) decideTask() string {
	return b.ids.ID("task", review.DecideEvent, b.tenant(), b.g.Event.ID)
}

// hold stops mail to every address that a doubtful wish may be about, until a
// person has looked at it.
func (b *builder) hold() error { return b.holdAll(b.parties()) }

func (b *builder) holdAll(parties []Party) error {
	reason := "possible_opt_out"
	switch {
	case b.g.Facts.Report():
		reason = ReasonUnproven
	case b.g.Facts.OptOutPlain():
		reason = reasonWords
	}
	for _, p := range parties {
		list, held := b.addHold(p.Guard)
		if held {
			continue
		}
		set := b.named(p)
		if p.Guard.Text(guard.HoldAttr) == "" {
			set[guard.HoldAttr] = b.g.Now
		}
		set[guard.HoldReviewAttr] = strings.Join(list, " ")
		if err := ChangeGuard(&b.c, GuardChange{
			Tenant: b.tenant(), ID: p.Person.GuardID, Seen: p.Guard, Event: "hold",
			Set: set, Audit: b.audit(append([]string{reason}, b.relation(p)...)),
		}); err != nil {
			return err
		}
	}
	return nil
}

// addHold is what a guard is held for once this cause is one of it; held tells
// that it is already.
func (b *builder) addHold(g ledger.Item) (list []string, held bool) {
	switch list = holds(g); {
	case g.Text(guard.HoldAttr) == "":
		list = nil
	case len(list) == 0:
		list = []string{byHand}
	}
	mine := b.holdOf()
	if len(list) >= MaxHolds {
		mine = byHand
	}
	if slices.Contains(list, mine) {
		return list, true
	}
	return append(list, mine), false
}

// lifts tells whether a person's answer says that what a guard is held for is
// nothing: of doubtful words the approval, for then they are no opt-out; of a
// report or a plain wish the rejection, for then it is not genuine, or not of
// this address. The hold of another cause is not this answer's to lift.
func (b *builder) lifts(g ledger.Item) bool {
	return b.g.Answer != nil && b.g.Answer.Approve != b.asksWhose() && slices.Contains(holds(g), b.holdOf())
}

// asksWhose tells whether a person was asked not what the event means but whether
// it is genuine, or whose it is.
func (b *builder) asksWhose() bool {
	return b.g.Facts.Report() || b.g.Seen.Task != nil &&
		slices.ContainsFunc(b.g.Seen.Task.Reasons, func(r string) bool { return r == reasonWords || r == reasonNobody })
}

// othersHold are the causes that a guard stays held for after this answer.
func (b *builder) othersHold(g ledger.Item) []string {
	return slices.DeleteFunc(holds(g), func(cause string) bool { return cause == b.holdOf() })
}

// releaseHolds takes the hold of this cause off every guard that has it.
func (b *builder) releaseHolds() error { return b.release(b.parties()) }

func (b *builder) release(parties []Party) error {
	reason := "person_says_no_opt_out"
	switch {
	case b.g.Facts.Report():
		reason = "person_says_not_genuine"
	case b.asksWhose():
		reason = "person_says_another"
	}
	for _, p := range parties {
		if !b.lifts(p.Guard) {
			continue
		}
		rest := b.othersHold(p.Guard)
		set := ledger.Item{guard.HoldReviewAttr: strings.Join(rest, " ")}
		if len(rest) == 0 {
			set[guard.HoldAttr] = ""
		}
		if err := ChangeGuard(&b.c, GuardChange{
			Tenant: b.tenant(), ID: p.Person.GuardID, Seen: p.Guard, Event: "release_hold",
			Set: set, Audit: b.audit([]string{reason}),
		}); err != nil {
			return err
		}
	}
	return nil
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
	k := ledger.Guard.At(ch.Tenant, ch.ID)
	if ch.Audit.Details == nil {
		ch.Audit.Details = map[string]string{}
	}
	ch.Audit.Details["guard"] = ch.ID
	if ch.Seen != nil {
		_, err := c.Move(ledger.Step{
			Key: k, Transition: ch.Seen.Int(machine.TransitionAttr), Event: ch.Event, Set: ch.Set, Audit: ch.Audit,
		})
		return err
	}
	born := ledger.Item{"tenant": ch.Tenant, "id": ch.ID, machine.TransitionAttr: int64(1)}
	for attr, v := range ch.Set {
		n, err := ledger.Normal(v)
		if err != nil {
			return err
		}
		born[attr] = n
	}
	return c.Insert(ledger.Step{Key: k, Event: ch.Event, Audit: ch.Audit}, born, "")
}
