package flow

import (
	"onefold/internal/contact"
	"onefold/internal/guard"
	"onefold/internal/inbound"
	"onefold/internal/ledger"
	"onefold/internal/match"
	"onefold/internal/outbox"
	"onefold/internal/review"
)

// enquiry decides what a person's own words lead to.
func (b *builder) enquiry() error {
	res := b.whose()
	if reasons := b.reviewReasons(res); len(reasons) > 0 {
		if b.g.Facts.OptOut.Verdict == guard.OptOutDoubtful || b.possibleOptOut() {
			if err := b.hold(); err != nil {
				return err
			}
		}
		return b.refer(reasons...)
	}
	// The same mail again, in another mailbox or under another delivery ID:
	// its enquiry is on file and its follow-up exists or was decided against.
	if e := b.g.Seen.Enquiry; e != nil {
		b.res.Contact, b.res.Intent = b.g.Seen.Contact.ID, e.FollowUp
		if err := b.matched(res, b.res.Contact); err != nil {
			return err
		}
		return b.decided(inbound.Folded, append(res.Reasons, "same_cause"))
	}
	b.res.Contact = b.contactID(res)
	plan := b.planFollowUp()
	b.res.Intent = plan.intentID
	revision, err := b.writeContact(res)
	if err != nil {
		return err
	}
	if err := b.matched(res, b.res.Contact); err != nil {
		return err
	}
	if err := b.notErased(); err != nil {
		return err
	}
	if err := b.writeFollowUp(plan); err != nil {
		return err
	}
	if err := b.fileEnquiry(); err != nil {
		return err
	}
	if err := b.crmOperations(revision); err != nil {
		return err
	}
	return b.decided(plan.outcome, append(res.Reasons, plan.reasons...))
}

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
		if c := b.g.Seen.Contact; c != nil {
			cand.Contact = c.ID // read through merges
		}
	}
	res := match.Decide([]match.Candidate{cand})
	if cand.Shared && b.g.Answer != nil {
		res.Outcome = match.New
	}
	return res
}

// reviewReasons lists why a person should look before anything is done. What a
// person has already seen and approved is not asked again.
func (b *builder) reviewReasons(res match.Result) []string {
	var reasons []string
	if res.Outcome == match.Review {
		reasons = append(reasons, res.Reasons...)
	}
	if c := b.g.Seen.Contact; c != nil && c.Status != contact.Active {
		reasons = append(reasons, match.ReasonContactErased)
	}
	if b.g.Answer != nil {
		return reasons
	}
	if b.g.Facts.OptOut.Verdict == guard.OptOutDoubtful || b.possibleOptOut() {
		reasons = append(reasons, "possible_opt_out")
	}
	reasons = append(reasons, b.g.Facts.Doubts...)
	if b.g.Person.Role {
		reasons = append(reasons, match.ReasonRoleAddress)
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
	return unique(reasons)
}

func (b *builder) possibleOptOut() bool {
	return b.g.Extraction != nil && b.g.Extraction.Record.PossibleOptOut
}

// blocked is the guard's word against a mail to this person, or "". A hold
// that this very answer lifts is none.
func (b *builder) blocked() string {
	word := guard.Blocks(b.g.Seen.Guard, b.scope())
	if word == "opt_out_in_doubt" && b.lifts() {
		return ""
	}
	return word
}

// lifts tells whether the person's approval says that what this event was held
// for is no opt-out. A hold of another event is not this answer's to lift.
func (b *builder) lifts() bool {
	return b.g.Answer != nil && b.g.Seen.Task != nil && b.g.Seen.Guard.Text("hold_review") == b.g.Seen.Task.ID
}

// hold stops mail to the address until a person has looked at a doubtful
// opt-out.
func (b *builder) hold() error {
	if !b.g.Person.Known() {
		return nil
	}
	set := ledger.Item{"address": b.g.Person.Address.String()}
	if b.g.Seen.Guard.Text("hold") == "" {
		set["hold"] = b.g.Now
		set["hold_review"] = b.ids.ID("task", review.DecideEvent, b.tenant(), b.g.Event.ID)
	}
	return ChangeGuard(&b.c, GuardChange{
		Tenant: b.tenant(), ID: b.g.Person.GuardID, Seen: b.g.Seen.Guard, Event: "hold",
		Set: set, Audit: b.audit([]string{"possible_opt_out"}),
	})
}

// notErased asks, in the commit, that the address was not erased after the
// event came in.
func (b *builder) notErased() error {
	if b.lifts() {
		return ChangeGuard(&b.c, GuardChange{
			Tenant: b.tenant(), ID: b.g.Person.GuardID, Seen: b.g.Seen.Guard, Event: "release_hold",
			Set: ledger.Item{"hold": "", "hold_review": ""}, Audit: b.audit([]string{"person_says_no_opt_out"}),
		})
	}
	b.c.Check("erased", ledger.Key{Entity: ledger.Guard, Tenant: b.tenant(), ID: b.g.Person.GuardID},
		ledger.Any(ledger.Missing(), ledger.Absent("erased_at"), ledger.Less("erased_at", b.g.Event.ReceivedAt)))
	return nil
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
	return b.c.Create("enquiry", ledger.Key{
		Entity: ledger.Enquiry, Tenant: b.tenant(), ID: b.res.Contact, Sub: b.g.Facts.Cause,
	}, e)
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
		op.Kind, op.ID = kind, b.ids.ID("op", kind, b.tenant(), b.g.Facts.Cause)
		if err := b.born(op); err != nil {
			return err
		}
	}
	return nil
}
