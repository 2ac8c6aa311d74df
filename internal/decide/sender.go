package decide

import (
	"onefold/internal/decide/match"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/inbound"
)

// contradicted tells whether the checks of who received a mail speak against
// its sender, the policy minds, and no person has vouched for it. That they
// speak for him lifts nothing: they are of the domain, and no proof of who
// wrote.
func (b *builder) contradicted() bool {
	if b.g.Event.Content != tenant.ContentMail || b.g.Policy.Mail.Unauthenticated == tenant.UnauthenticatedAccept {
		return false
	}
	return b.g.Event.Sender() == inbound.SenderContradicted && !b.settled(match.ReasonUnauthenticated)
}

// unauthenticated adds to the reasons for which a person looks. Besides what the
// policy says: that a mail answers one of ours is its own word, and neither a
// template nor a conversation may rest on it.
func (b *builder) unauthenticated(reasons []string) []string {
	if !b.contradicted() {
		return reasons
	}
	if b.g.Policy.Mail.Unauthenticated == tenant.UnauthenticatedReview || b.g.Seen.Replied != nil || len(reasons) > 0 {
		reasons = unique(append(reasons, match.ReasonUnauthenticated))
	}
	return reasons
}
