package decide

import (
	"slices"
	"strings"

	"onefold/internal/decide/content"
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
func RepliesTo(f content.Facts) []ledger.Key {
	refs := slices.Clone(f.References)
	slices.Reverse(refs)
	var keys []ledger.Key
	for _, id := range slices.Concat(f.InReplyTo, refs) {
		k, _ := indexed(id)
		if k == (ledger.Key{}) || slices.Contains(keys, k) {
			continue
		}
		if keys = append(keys, k); len(keys) == maxReplyIDs {
			break
		}
	}
	return keys
}

// indexed is where the message index has the mail with a Message-ID, no key for
// one that it cannot have, and whether it is of the form that SES gives.
func indexed(id string) (k ledger.Key, ses bool) {
	local, domain, _ := strings.Cut(id, "@")
	if ses = strings.HasSuffix(strings.ToLower(domain), ".amazonses.com"); ses {
		id = local
	}
	if k = ledger.ProviderMessage.At(ledger.NoTenant, "ses:"+id); id == "" || k.Validate() != nil {
		return ledger.Key{}, false
	}
	return k, ses
}

// ourID is where the index has the event's own mail, if that may be one of ours,
// which a list or a redirection has brought back. SES writes the Message-ID of
// all that it sends.
func ourID(f content.Facts) ledger.Key {
	k, ses := indexed(f.MessageID)
	if !ses {
		return ledger.Key{}
	}
	return k
}

// replyPlan folds an answer to one of our mails into the intent of that mail.
func (b *builder) replyPlan() (followUpPlan, bool) {
	i := b.g.Seen.Replied
	if i == nil {
		return followUpPlan{}, false
	}
	return followUpPlan{outcome: inbound.Folded, reasons: []string{ReasonReplyToOurs}, intentID: i.ID}, true
}
