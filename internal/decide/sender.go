package decide

import (
	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/digest"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/contact"
	"onefold/internal/record/inbound"
)

// secondOf is the other one of From and Reply-To, p being the one that a mail is
// about; without a key where both are one, or one of them names nobody.
func secondOf(ids digest.Key, policy tenant.Policy, f content.Facts, p Person) (o Person) {
	from, replyTo := Identify(ids, policy, f.Source.FromAddress), Identify(ids, policy, f.Source.ReplyTo)
	switch p.KeyID {
	case "":
	case from.KeyID:
		o = replyTo
	case replyTo.KeyID:
		o = from
	}
	if f.Content != tenant.ContentMail || !f.Human() || o.Own || o.Shared || o.KeyID == p.KeyID {
		return Person{}
	}
	return o
}

// second is the other contact of a mail whose From and Reply-To are two: nobody
// can say which of them wrote. It is nil where one of them is not known.
func (b *builder) second() *contact.Contact {
	one, two := b.g.Seen.Contact, b.g.Seen.Second
	if one == nil || two == nil || one.ID == two.ID || one.Status != contact.Active || two.Status != contact.Active {
		return nil
	}
	return two
}

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
