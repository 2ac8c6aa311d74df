package content

import (
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/wish"
	"onefold/internal/record/inbound"
)

// The warnings of the provider that received a mail, and the policy's word
// against a sender, as reasons.
const (
	ReasonVirus   = "virus_verdict"
	ReasonSpam    = "spam_verdict"
	ReasonBlocked = "sender_blocked"
)

// OfVirus makes the facts of a mail in which the provider found a virus.
// Its content is not read, not even for them: a person sees that it came, or,
// by the tenant's policy, nobody.
func OfVirus(e inbound.Event, p tenant.Policy) Facts {
	f := Unread(e, ReasonVirus)
	f.Warned, f.Dropped = ReasonVirus, p.Mail.OnVirus == tenant.ScreenIgnore
	return f
}

// Screen adds to the facts of a mail or form what the provider warned of and
// what the tenant's policy makes of it and of its sender. A machine's mail stays
// one: a bounce counts whatever else is said of it. Words that may be a wish not
// to be mailed are never dropped, for a wrong verdict would else cost somebody
// his peace.
func Screen(f Facts, e inbound.Event, p tenant.Policy) Facts {
	// Whom a colleague or a form of ours names is the sender; who wants answers
	// at a blocked address is blocked too.
	if f.Human() && (p.IsBlocked(f.Source.FromAddress) || p.IsBlocked(f.Source.ReplyTo)) {
		f.Warned, f.Dropped = ReasonBlocked, f.OptOut.Verdict == wish.OptOutNone
		return f
	}
	if !e.IsSpam() || p.Mail.OnSpam == tenant.ScreenAccept || !f.Human() {
		return f
	}
	f.Warned = ReasonSpam
	f.Dropped = p.Mail.OnSpam == tenant.ScreenIgnore && f.OptOut.Verdict == wish.OptOutNone
	return f
}
