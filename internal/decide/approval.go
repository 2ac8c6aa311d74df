package decide

import (
	"slices"

	"onefold/internal/decide/match"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/followup"
	"onefold/internal/record/review"
)

// Why a person approves a mail, besides the rule's mode.
const (
	ReasonDraftMode   = "draft_mode"
	ReasonNewProspect = "new_prospect" // by the policy a first mail to anybody is approved
	ReasonHighImpact  = "high_impact"  // by the rule each of its mails is
)

// approvals lists why a person has to see the mail that is planned before it
// goes, whatever the rule's mode. That a person has let the event pass is no
// approval: he had not seen the mail.
func (b *builder) approvals(p followUpPlan, res match.Result) []string {
	var why []string
	switch {
	case !p.make || p.rule.Mode == tenant.ModeObserve:
		return nil
	case b.addressOfAnother():
		why = append(why, ReasonAddressOfAnother)
	}
	if b.g.Policy.Review.NewContacts && b.prospect(res) {
		why = append(why, ReasonNewProspect)
	}
	if p.rule.HighImpact {
		why = append(why, ReasonHighImpact)
	}
	return why
}

// prospect tells whether nobody has approved of this person yet: there was no
// such contact before this event, or the mail that was proposed to him before,
// by whatever rule, still waits or was refused.
func (b *builder) prospect(res match.Result) bool {
	if res.Outcome == match.New {
		return true
	}
	if s := b.g.Seen.Slot; s != nil {
		return Unapproved(*s)
	}
	return b.g.Seen.Unapproved
}

// Unapproved tells whether a mail waits for a person's word or was refused.
func Unapproved(i followup.Intent) bool {
	return i.State == followup.Proposed || i.State == followup.Cancelled && i.Reason == followup.ReasonRefused
}

// propose puts the mail before a person.
func (b *builder) propose(i *followup.Intent) {
	i.State = followup.Proposed
	i.Review = b.ids.ID("task", review.ApproveIntent, b.tenant(), i.ID)
}

func whyApproved(p followUpPlan) []string {
	why := slices.Clone(p.ask)
	if p.rule.Mode != tenant.ModeAuto {
		why = append([]string{ReasonDraftMode}, why...)
	}
	return why
}

// guardResult is what the guard says when a person is asked: GuardClear, what
// forbids mail to the address, or "" where there is none.
func (b *builder) guardResult() string {
	if word := b.blocked(); word != "" || !b.g.Person.Known() {
		return word
	}
	return GuardClear
}

// GuardClear is the result of a guard check that found nothing.
const GuardClear = "clear"
