// Package flow decides. From an event, what was read of it, the ledger as it
// was seen and the policy in force it makes one commit: everything that
// follows from the event, with the conditions under which it holds, or a
// review task with reasons.
//
// Its invariant: Decide is pure. The same ground gives the same commit, word
// for word; it reads no clock, asks no store and calls no model. So an event
// can be decided again under another policy and the difference is the
// policy's. If the ground has changed when the commit is made, the commit is
// refused, and the caller reads the ground anew and decides again.
package decide

import (
	"errors"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// Ground is everything that a decision stands on.
type Ground struct {
	Event  inbound.Event
	Policy tenant.Policy
	Facts  Facts
	// Extraction is the stored answer of the reader; nil when none is needed.
	Extraction *reader.Stored
	Person     Person  // whom the event is about, by address
	Also       []Party // the Others of a wish not to be mailed
	Seen       Seen    // the ledger as it was read
	Answer     *Answer
	Now        utc.Time
	By         string // function or person, for the audit
}

// Seen is what was read of the ledger. Each part is nil when it was not there.
type Seen struct {
	Key *contact.Key // of the person's address
	// Contact is the key's contact, read through merges. Of a shared inbox, whose
	// key names nobody, it is the contact that a person approved for this cause.
	Contact *contact.Contact
	Guard   ledger.Item // of the person's address
	// Elsewhere are the guards of the contact's other addresses, and of those of
	// the contacts that were merged into it; only such as there are.
	Elsewhere []ledger.Item
	Enquiry   *contact.Enquiry  // of this cause, when the contact has it already
	Cadence   *followup.Cadence // of the contact under the rule that answers
	Slot      *followup.Intent  // the intent that the cadence names
	// Unapproved: another rule's mail to the contact waits for a person or was
	// refused, and none was approved. It is read only where the policy has first
	// mails approved and the rule that answers has no mail in the slot.
	Unapproved bool
	Intent     *followup.Intent // of this cause under that rule
	Task       *review.Task     // the open task that holds this event
	Replied    *followup.Intent // our own mail that this event replies to
	Caps       []ledger.Item    // of CapsOf, in its order
	// Returned are those of Facts.Returned that there are.
	Returned []followup.Intent

	// During a migration of the identity rule. Contact is then that of Next where
	// Key is nil.
	Next        *contact.Key     // of the person's address, under the next rule
	NextContact *contact.Contact // Next's, read through merges
	Holder      *contact.Contact // whom the key that leads to Contact names, where that was merged into it
	CustomerKey *contact.Key     // of the customer ID that the event states
	Customer    *contact.Contact // that key's, read through merges
}

// Party is one more address that a wish not to be mailed is about, with what
// the ledger holds of it.
type Party struct {
	Person  Person
	Key     *contact.Key
	Contact *contact.Contact // the key's, read through merges
	Guard   ledger.Item

	Next        *contact.Key // as in Seen
	NextContact *contact.Contact
}

// Answer is what a person said to a review task of kind DecideEvent.
type Answer struct {
	Approve bool
	By      string // "person:" and who
	// Address replaces a sender address that is missing or broken.
	Address string
}

// Result is what follows.
type Result struct {
	Outcome string // of package inbound, or Referred
	Reasons []string
	Contact string
	Intent  string
	Task    string
	Commit  ledger.Commit
	Mail    *followup.Intent // made by the commit, or nil
}

// Referred is the outcome of a ground that only a person can decide on.
const Referred = "review"

// Decide makes the commit for a ground. An error is a fault of the program or
// of the policy (a template that no longer renders), never of the input: input
// that cannot be decided is Referred.
func Decide(g Ground, ids digest.Key) (Result, error) {
	b := &builder{g: g, ids: ids}
	if err := b.decide(); err != nil {
		return Result{}, err
	}
	b.res.Commit = b.c
	if err := b.keepGround(); err != nil {
		return Result{}, err
	}
	return b.res, nil
}

// Reader tells whether the ground needs a reader's answer before it can be
// decided: machine mail, plain opt-outs and what is dropped do not.
func Reader(f Facts) bool {
	return f.Human() && !f.OptOutPlain() && !f.Dropped
}

type builder struct {
	g   Ground
	ids digest.Key
	c   ledger.Commit
	res Result
	// raised are those whose consent version this commit raises: one item appears
	// once in it.
	raised map[string]bool
}

func (b *builder) tenant() string { return b.g.Event.Tenant }

func (b *builder) decide() error {
	f := b.g.Facts
	if b.g.Answer != nil && b.g.Seen.Task == nil {
		return errors.New("flow: an answer without its task")
	}
	switch {
	case b.g.Answer != nil && !b.g.Answer.Approve:
		return b.dismiss()
	case b.dropped():
		return b.drop()
	case f.Unreadable() && b.g.Answer == nil:
		return b.refer(append([]string{"unparseable"}, f.Warnings...)...)
	case f.Asks != "" && b.g.Answer == nil:
		return b.refer(f.Asks)
	case f.Machine():
		return b.machineMail()
	case f.OptOutPlain() && b.g.Person.Known():
		return b.optOut()
	case f.OptOutPlain():
		return b.refer("opt_out_without_address")
	}
	return b.enquiry()
}
