package optout

import (
	"slices"
	"strconv"
	"strings"

	"onefold/internal/decide"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/record/audit"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/machine"
	"onefold/internal/record/outbox"
	"onefold/internal/utc"
)

// Token is what a mail's opt-out link carries besides tenant and intent:
// nobody can make one without the deployment's key, so nobody stops mail to a
// stranger by guessing.
func Token(ids digest.Key, tenantID, intentID string) string {
	return ids.ID("opt-out link", tenantID, intentID)
}

// LinkStop is what the use of an opt-out link is decided on, as it was read.
type LinkStop struct {
	Intent   followup.Intent   // the mail that carried the link
	Guard    ledger.Item       // of the address it went to; nil when there is none
	Contacts []contact.Contact // who has that address now, and who was mailed: different, none merged away
	NoKeys   []string          // the address's keys that nobody has, so that nobody gets one meanwhile
	Now      utc.Time
}

// toldAttr lists, in the guard, the contacts whose consent a link has withdrawn
// while the address has been stopped; maxTold is how many, the latest last.
const (
	toldAttr = "opted_out_contacts"
	maxTold  = 20
)

// Stands tells whether the wish has been carried out: a person's own wish stops
// all mail to the address, and a link has told it to everybody concerned. The
// stop of a bounce or a complaint is none, for it says nothing of the person's
// other addresses; nor is one that words brought, which may have been those of
// another contact with another spelling of the address; nor one that a person
// has lifted and something else put again.
func (l LinkStop) Stands() bool {
	stopped := l.Guard.Text(guard.StopAttr(guard.ScopeAll))
	if stopped == "" || l.Guard.Text("opted_out_at") < stopped {
		return false
	}
	return !slices.ContainsFunc(l.Contacts, func(c contact.Contact) bool { return !slices.Contains(l.told(), c.ID) })
}

// told are those that a link has told while the address has been stopped.
func (l LinkStop) told() []string {
	if l.Guard.Text(guard.StopAttr(guard.ScopeAll)) == "" {
		return nil
	}
	return strings.Fields(l.Guard.Text(toldAttr))
}

// telling is the list with those that are told now.
func (l LinkStop) telling() string {
	list := l.told()
	for _, c := range l.Contacts {
		list = append(slices.DeleteFunc(list, func(id string) bool { return id == c.ID }), c.ID)
	}
	return strings.Join(list[max(0, len(list)-maxTold):], " ")
}

// StopByLink forbids every mail to the address that a mail went to, raises the
// consent version of each contact that has it, and puts the operation that ends
// what is queued: in one commit, on everything as it was read.
func StopByLink(l LinkStop, ids digest.Key) (ledger.Commit, error) {
	var c ledger.Commit
	i := l.Intent
	record := func(contactID, reason string) audit.Record {
		return audit.Record{At: l.Now, By: "optout", Reasons: []string{reason}, InboundEvent: i.Event, Contact: contactID, Intent: i.ID}
	}
	set := ledger.Item{"opted_out_at": l.Now, toldAttr: l.telling()}
	if l.Guard.Text(guard.StopAttr(guard.ScopeAll)) == "" {
		set[guard.StopAttr(guard.ScopeAll)] = l.Now
	}
	if said := l.Guard.Text(guard.ReasonAttr); guard.StopReason(said, guard.ReasonOptOut) != said {
		set[guard.ReasonAttr] = guard.StopReason(said, guard.ReasonOptOut)
	}
	if i.Recipient != "" && l.Guard.Text(guard.ErasedAtAttr) == "" {
		set[guard.AddressAttr] = i.Recipient
	}
	r := record(i.Contact, guard.ReasonOptOut)
	r.Details = map[string]string{"scope": guard.ScopeAll, "by_link": "1"}
	if err := decide.ChangeGuard(&c, decide.GuardChange{Tenant: i.Tenant, ID: i.Guard, Seen: l.Guard, Event: "stop", Set: set, Audit: r}); err != nil {
		return c, err
	}
	for _, id := range l.NoKeys {
		c.Check("contact_key", ledger.ContactKey.At(i.Tenant, id), ledger.Missing())
	}
	queued := []string{i.Contact} // of an address that is nobody's any more, what was queued for it ends all the same
	for n, who := range l.Contacts {
		if n == 0 {
			queued = queued[:0]
		}
		queued = append(queued, who.ID)
		if _, err := c.Move(ledger.Step{
			Key:        ledger.Contact.At(i.Tenant, who.ID),
			Transition: who.Transition, Event: "withdraw_consent",
			Set: ledger.Item{contact.ConsentVersionAttr: who.ConsentVersion + 1}, Audit: record(who.ID, "consent_withdrawn"),
		}); err != nil {
			return c, err
		}
	}
	for _, id := range queued {
		op := outbox.Operation{
			Tenant: i.Tenant, ID: ids.ID("op", outbox.CancelIntents, i.Tenant, "link", i.Guard, strconv.FormatInt(l.Guard.Int(machine.TransitionAttr), 10), id),
			Kind: outbox.CancelIntents, Guard: i.Guard, Contact: id, Event: i.Event,
		}
		if err := decide.InsertOperation(&c, op, l.Now, record(id, guard.ReasonOptOut)); err != nil {
			return c, err
		}
	}
	return c, nil
}
