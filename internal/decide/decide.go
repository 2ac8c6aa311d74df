// Package decide decides what follows from an event. Open it to learn why an
// event came to what it came to, and what was read for that (reads.go).
//
// Decide makes one commit: everything that follows from the event, with the
// conditions under which it holds, or a review task with reasons. It is made
// from an input (the event, what was read of it, the policy in force) and a
// snapshot (what was read of the ledger); where the snapshot lacks something,
// Decide says what, and the caller reads it and asks again.
//
// Its invariant: Decide is pure. The same input and snapshot give the same
// commit, word for word; it reads no clock, asks no store and calls no model. So
// an event can be decided again under another policy and the difference is the
// policy's. If the ledger has changed when the commit is made, the commit is
// refused, and the caller starts again with an empty snapshot.
package decide

import (
	"errors"

	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/record/review"
	"onefold/internal/utc"
)

// Input is everything a decision depends on besides the ledger.
type Input struct {
	Event  inbound.Event
	Policy tenant.Policy
	Facts  content.Facts
	// Extraction is the stored answer of the reader; nil when none is needed.
	Extraction *reader.Stored
	Answer     *Answer
	Now        utc.Time
	By         string // function or person, for the audit
}

// Ground is everything a decision depends on: an input, and what was read of
// the ledger for it.
type Ground struct {
	Input
	Person Person  // who the event is about, by address
	Also   []Party // the Others of a wish not to be mailed, or of a report
	Seen   Seen    // the ledger as it was read
}

// Answer is what a person said to a review task of kind DecideEvent.
type Answer struct {
	// Asked is the task as the person saw it; nil: as it is.
	Asked   *review.Task
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

// decideGround makes the commit for a ground. An error is a fault of the program
// or of the policy (a template that no longer renders), never of the input: input
// that cannot be decided is Referred.
func decideGround(g Ground, ids digest.Key) (Result, error) {
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
// decided: machine mail, plain opt-outs, thanks and what is dropped do not.
func Reader(f content.Facts) bool {
	return f.Human() && !f.OptOutPlain() && !f.Thanks && !f.Dropped
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
		return errors.New("decide: an answer without its task")
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
	case b.g.Seen.Ours && b.g.Answer == nil:
		return b.decided(inbound.Ignored, []string{string(rawmail.Own)})
	case f.OptOutPlain():
		return b.optOut()
	case f.Thanks && f.Warned == "" && b.g.Answer == nil && !b.doubted():
		return b.decided(inbound.Ignored, []string{content.ReasonThanks})
	}
	return b.enquiry()
}
