package decide

import (
	"slices"
	"strings"

	"onefold/internal/ledger"
	"onefold/internal/record/inbound"
)

// ReasonReplyToOurs says that the event answers a follow-up. It is a
// conversation, which people go on with: no template answers an answer.
const ReasonReplyToOurs = "reply_to_ours"

// maxReplyIDs bounds how many identifiers of a thread are looked up, the
// nearest ones.
const maxReplyIDs = 20

// RepliesTo lists where the message index would tell of each mail in the
// event's thread that it is one of ours, the nearest first. SES sends under
// <message ID@email.amazonses.com>, outside us-east-1 under
// <message ID@region.amazonses.com> (Developer Guide, "Email header fields",
// read 2026-11); the index has the part before the @. Any other identifier is
// looked up as it stands.
func RepliesTo(f Facts) []ledger.Key {
	refs := slices.Clone(f.References)
	slices.Reverse(refs)
	var keys []ledger.Key
	for _, id := range slices.Concat(f.InReplyTo, refs) {
		local, domain, _ := strings.Cut(id, "@")
		if strings.HasSuffix(strings.ToLower(domain), ".amazonses.com") {
			id = local
		}
		k := ledger.ProviderMessage.At(ledger.NoTenant, "ses:"+id)
		if id == "" || k.Validate() != nil || slices.Contains(keys, k) {
			continue
		}
		if keys = append(keys, k); len(keys) == maxReplyIDs {
			break
		}
	}
	return keys
}

// replyPlan folds an answer to one of our mails into the intent of that mail.
func (b *builder) replyPlan() (followUpPlan, bool) {
	i := b.g.Seen.Replied
	if i == nil {
		return followUpPlan{}, false
	}
	return followUpPlan{outcome: inbound.Folded, reasons: []string{ReasonReplyToOurs}, intentID: i.ID}, true
}
