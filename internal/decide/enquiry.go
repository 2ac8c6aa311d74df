package decide

import (
	"slices"

	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/ledger"
	"onefold/internal/record/contact"
	"onefold/internal/record/followup"
	"onefold/internal/record/guard"
	"onefold/internal/record/inbound"
	"onefold/internal/record/outbox"
)

// enquiry decides what a person's own words lead to.
func (b *builder) enquiry() error {
	// A person who has been erased since is not written down again by what he
	// sent before.
	if b.erasedSince(b.g.Seen.Guard) {
		return b.decided(inbound.Ignored, []string{"address_erased"})
	}
	if b.noEnquiry() {
		return b.decided(inbound.Ignored, []string{b.classReason()})
	}
	res := b.whose()
	if reasons := b.reviewReasons(res); len(reasons) > 0 {
		if b.doubted() {
			if err := b.hold(); err != nil {
				return err
			}
		}
		if err := b.dispute(); err != nil {
			return err
		}
		return b.refer(reasons...)
	}
	// The same mail again, in another mailbox or under another delivery ID:
	// its enquiry is on file and its follow-up exists or was decided against.
	if e := b.g.Seen.Enquiry; e != nil {
		b.res.Contact, b.res.Intent = b.contact().ID, e.FollowUp
		if err := b.attach(res); err != nil {
			return err
		}
		return b.decided(inbound.Folded, append(res.Reasons, "same_cause"))
	}
	// The cause has its follow-up, though not of a contact that this event leads
	// to: the reader took another address of the same mail, or the contact was
	// merged. Neither makes a second contact or a second enquiry.
	if i := b.g.Seen.Intent; i != nil {
		b.res.Contact, b.res.Intent = i.Contact, i.ID
		if err := b.attach(res); err != nil {
			return err
		}
		return b.decided(inbound.Folded, append(res.Reasons, "same_cause"))
	}
	if other := b.likelySame(res); other != "" {
		res.Reasons, res.Candidates = append(res.Reasons, match.ReasonPhoneShared), append(res.Candidates, other)
	}
	b.res.Contact = b.contactID(res)
	plan := b.planFollowUp()
	plan.ask = b.approvals(plan, res)
	if plan.make && b.loopSuspected() {
		b.res.Contact = ""
		return b.refer(ReasonLoop)
	}
	b.res.Intent = plan.intentID
	var intent followup.Intent
	if plan.make {
		var err error
		// Before the first write: what cannot be rendered goes to a person, with
		// nothing else in the commit.
		if intent, err = b.render(plan); err != nil {
			b.res.Contact, b.res.Intent = "", ""
			return b.refer("mail_not_rendered")
		}
	}
	revision, err := b.writeContact(res)
	if err != nil {
		return err
	}
	if err := b.attach(res); err != nil {
		return err
	}
	b.mayBeMailed(plan)
	if err := b.writeFollowUp(plan, intent); err != nil {
		return err
	}
	if err := b.fileEnquiry(); err != nil {
		return err
	}
	if err := b.crmOperations(revision); err != nil {
		return err
	}
	return b.decided(plan.outcome, slices.Concat(res.Reasons, plan.reasons, b.candidates()))
}

// attach stores whose the event is. An answer also takes off the holds that
// were put for its question.
func (b *builder) attach(res match.Result) error {
	if err := b.releaseHolds(); err != nil {
		return err
	}
	return b.matched(res, b.res.Contact)
}

// ReasonNotRead means that no reader's answer is stored for what a person
// approves.
const ReasonNotRead = "not_read"

// whose matches the person by key. A person's approval lets a shared inbox
// have a contact of its own for this one event.
func (b *builder) whose() match.Result {
	p := b.g.Person
	if !p.Known() {
		return match.Result{Outcome: match.Review, Reasons: []string{p.Fault}}
	}
	if p.Own {
		return match.Result{Outcome: match.Review, Reasons: []string{match.ReasonOwnAddress}}
	}
	cand := match.Candidate{KeyID: p.KeyID, Kind: contact.KindEmail, Shared: p.Shared}
	if k := b.g.Seen.Key; k != nil {
		cand.Contact = k.Contact
		cand.Shared = cand.Shared || k.Shared
		cand.Disputed = k.Disputed && !match.FullName(b.values()["name"])
		if c := b.g.Seen.Contact; c != nil {
			cand.Contact = c.ID // read through merges
		}
	}
	cands := []match.Candidate{cand}
	if customer, stated := b.customerCandidate(); stated {
		cands[0].Customers = customersOf(b.g.Seen.Contact)
		cands = append(cands, customer)
	}
	res := b.bounded(b.approved(match.Rule{Customers: b.g.Policy.Customers()}.Decide(cands)))
	// Only to who has seen that the inbox is shared: an address given with the
	// answer may be one that he did not know to be.
	if cand.Shared && res.Outcome == match.Review && b.settled(match.ReasonSharedInbox) {
		res.Outcome = match.New
	}
	if b.contradicted() {
		res.Reasons = append(res.Reasons, match.ReasonUnauthenticated)
	}
	return b.underBoth(res)
}

// settled tells whether the person whose answer this is approved with this
// reason before his eyes. What came up since is a new question.
func (b *builder) settled(reason string) bool {
	switch reason {
	case match.ReasonNoKey, match.ReasonBadAddress, match.ReasonOwnAddress, match.ReasonSeveral, match.ReasonContactErased:
		return false // no approval makes these so that they can be acted on
	}
	return b.g.Answer != nil && slices.Contains(b.g.Seen.Task.Reasons, reason)
}

// reviewReasons lists why a person should look before anything is done. What a
// person has already seen and approved is not asked again.
func (b *builder) reviewReasons(res match.Result) []string {
	var reasons []string
	if res.Outcome == match.Review {
		reasons = append(reasons, res.Reasons...)
	}
	if c := b.contact(); c != nil && c.Status != contact.Active || c == nil && res.Outcome == match.Matched {
		reasons = append(reasons, match.ReasonContactErased)
	}
	if b.doubted() {
		reasons = append(reasons, "possible_opt_out")
	}
	reasons = append(reasons, b.g.Facts.Doubts...)
	if w := b.g.Facts.Warned; w == content.ReasonSpam || w == content.ReasonBlocked {
		reasons = append(reasons, w)
	}
	if reason := b.classReason(); reason != "" {
		reasons = append(reasons, reason)
	}
	if fault := CustomerOf(b.g.Policy, b.g.Facts).Fault; fault != "" {
		reasons = append(reasons, fault)
	}
	if b.second() != nil {
		reasons = append(reasons, match.ReasonReplyToAnother)
	}
	if b.g.Person.Role {
		reasons = append(reasons, match.ReasonRoleAddress)
	}
	// A person who approves sees that nobody has read this, before it counts.
	if b.g.Extraction == nil && b.g.Answer != nil && Reader(b.g.Facts) {
		reasons = append(reasons, ReasonNotRead)
	}
	if x := b.g.Extraction; x != nil {
		reasons = append(reasons, x.Reasons...)
		if x.Record.NeedsHumanReview {
			reasons = append(reasons, x.Record.ReviewReasons...)
			if len(x.Record.ReviewReasons) == 0 {
				reasons = append(reasons, "reader_asks_for_review")
			}
		}
	}
	if lowConfidence(b.g.Extraction, b.g.Policy.Review.MinConfidence) {
		reasons = append(reasons, "low_confidence")
	}
	if res.Outcome == match.Matched && len(b.conflicts()) > 0 {
		reasons = append(reasons, match.ReasonFieldConflict)
	}
	return b.unauthenticated(slices.DeleteFunc(unique(reasons), b.settled))
}

func (b *builder) possibleOptOut() bool {
	return b.g.Extraction != nil && b.g.Extraction.Record.PossibleOptOut
}

// blocked is the guard's word against a mail to this person, or "". A hold
// that this very answer lifts is none.
func (b *builder) blocked() string {
	word := guard.Blocks(b.g.Seen.Guard, b.scope())
	if word == "opt_out_in_doubt" && b.lifts(b.g.Seen.Guard) && len(b.othersHold(b.g.Seen.Guard)) == 0 {
		return ""
	}
	return word
}

// mayBeMailed makes the guard part of the ground: the address was not erased
// after the event came in and, where a mail is to be made, nobody has forbidden
// one since the guard was read.
func (b *builder) mayBeMailed(plan followUpPlan) {
	if b.lifts(b.g.Seen.Guard) {
		return // the release stands on the guard as it was read
	}
	cond := ledger.Any(ledger.Absent(guard.ErasedAtAttr), ledger.Less(guard.ErasedAtAttr, b.g.Event.ReceivedAt))
	if plan.make {
		cond = ledger.All(cond, ledger.Absent(guard.StopAttr(guard.ScopeAll)), ledger.Absent(guard.StopAttr(b.scope())), ledger.Absent(guard.HoldAttr))
	}
	b.c.Check("guard", ledger.Guard.At(b.tenant(), b.g.Person.GuardID), cond)
}

// fileEnquiry attaches the request to the contact, once for its cause.
func (b *builder) fileEnquiry() error {
	e := contact.Enquiry{
		Tenant: b.tenant(), Contact: b.res.Contact, Event: b.g.Event.ID, FollowUp: b.res.Intent,
		Subject: b.g.Facts.Source.Subject, At: b.g.Event.ReceivedAt,
	}
	if x := b.g.Extraction; x != nil {
		e.Intent = string(x.Record.Intent)
	}
	return b.c.Create("enquiry", ledger.Enquiry.Under(b.tenant(), b.res.Contact, b.g.Facts.Cause), e)
}

// crmOperations puts what the CRM should know. The contact goes when it is new
// or has changed; note and task wait for it.
func (b *builder) crmOperations(revision int64) error {
	if b.g.Policy.CRM.Kind == "" {
		return nil
	}
	base := outbox.Operation{Contact: b.res.Contact, Event: b.g.Event.ID}
	if revision > 0 {
		op := base
		op.Kind, op.Revision = outbox.CRMContact, revision
		op.ID = b.ids.ID("op", op.Kind, b.tenant(), op.Contact, itoa(revision))
		if err := b.born(op); err != nil {
			return err
		}
	}
	kinds := []string{outbox.CRMNote}
	if b.g.Policy.CRM.Task {
		kinds = append(kinds, outbox.CRMTask)
	}
	for _, kind := range kinds {
		op := base
		// With the contact, as the enquiry has it: no other enquiry's operation
		// may ever stand in the way of this commit.
		op.Kind, op.ID = kind, b.ids.ID("op", kind, b.tenant(), op.Contact, b.g.Facts.Cause)
		if err := b.born(op); err != nil {
			return err
		}
	}
	return nil
}
