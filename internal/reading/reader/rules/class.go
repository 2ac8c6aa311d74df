package rules

import (
	"strings"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
)

// Signs from which a class is given. A customer taken for a salesman is a lost
// customer, and a salesman taken for one costs a look: so one strong sign is
// never enough, and in doubt it is an enquiry.
const (
	pitchScore   = 5 // two strong signs and a weak one
	pitchKinds   = 3
	mailingWords = 12  // fewer is a note with a footer
	awayWords    = 110 // an absence is told in few words
)

// class says what sort of message it is, and whether it is an enquiry as well: a
// bill that asks a question is one, and nobody's to ignore.
func (r *sourceRead) class() (class reader.Class, both bool) {
	f := r.all
	asks := strings.ContainsAny(r.source.Visible, "?？")
	own := f.meets("customer")
	switch {
	case r.away():
		class, own = reader.AutoReply, own || asks || r.wantsPrice()
	case f.meets("mailing_why") && f.meets("mailing_end") && f.words >= mailingWords:
		class = reader.Newsletter
	case f.kinds["promise"] >= 2 && f.kinds["bait"] >= 2, f.kinds["promise"] >= 1 && f.kinds["bait"] >= 3:
		return reader.Spam, false
	case f.meets("bill") && f.meets("enclosed") && f.meets("payable"):
		class, own = reader.Invoice, own || asks || r.complains()
	case r.applies():
		class, own = reader.JobApplication, own || r.complains() || r.wantsPrice()
	case f.score["pitch"] >= pitchScore && f.kinds["pitch"] >= pitchKinds:
		class, own = reader.Pitch, own || r.complains() || f.meets("either_or")
	default:
		return reader.Enquiry, false
	}
	if own {
		return reader.Enquiry, true
	}
	return class, false
}

// away: somebody is away or gone, and the text says the rest that a machine
// says then.
func (r *sourceRead) away() bool {
	f := r.all
	if !f.meets("away") || f.words > awayWords {
		return false
	}
	_, isReply := wish.CutReplyPrefix(r.source.Subject)
	return f.score["away"] >= 2 && (f.meets("away_also") || isReply) || f.meets("away_also") && (isReply || f.kinds["away_also"] >= 2)
}

func (r *sourceRead) wantsPrice() bool { return r.all.score[string(reader.Pricing)] >= enough }

// applies: an application is named and a job or a curriculum besides; one sign
// may be the use that a thing is put to.
func (r *sourceRead) applies() bool {
	return r.all.kinds["applies"] >= 2 || r.all.meets("applies") && r.all.meets("job")
}

// complains: something sold is wrong, which is a customer's business whatever
// else the words are.
func (r *sourceRead) complains() bool { return r.all.score[string(reader.Support)] >= enough }
