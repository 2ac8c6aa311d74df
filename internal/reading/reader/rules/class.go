package rules

import (
	"slices"
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

// class says what sort of message it is.
func (r *sourceRead) class() reader.Class {
	f := r.all
	asks := strings.ContainsAny(r.source.Visible, "?？")
	switch {
	case r.away():
		return reader.AutoReply
	case f.meets("mailing_why") && f.meets("mailing_end") && f.words >= mailingWords:
		return reader.Newsletter
	case f.kinds["promise"] >= 2 && f.kinds["bait"] >= 2, f.kinds["promise"] >= 1 && f.kinds["bait"] >= 3:
		return reader.Spam
	case f.meets("customer"):
		return reader.Enquiry
	case f.meets("bill") && f.meets("enclosed") && f.meets("payable") && !asks && !r.complains():
		return reader.Invoice
	case r.applies() && !r.complains():
		return reader.JobApplication
	case f.score["pitch"] >= pitchScore && f.kinds["pitch"] >= pitchKinds && !r.complains() && !f.meets("either_or"):
		return reader.Pitch
	}
	return reader.Enquiry
}

// away: somebody is away or gone, and the text says the rest that a machine
// says then. A person who is away and asks for something is none.
func (r *sourceRead) away() bool {
	f := r.all
	if !f.meets("away") || f.words > awayWords || strings.ContainsAny(r.source.Visible, "?？") || f.meets("customer") {
		return false
	}
	if slices.ContainsFunc(wishes(), func(i reader.Intent) bool { return i == reader.Pricing && f.score[string(i)] >= enough }) {
		return false
	}
	_, isReply := wish.CutReplyPrefix(r.source.Subject)
	return f.score["away"] >= 2 && (f.meets("away_also") || isReply) || f.meets("away_also") && (isReply || f.kinds["away_also"] >= 2)
}

// applies: an application is named and a job or a curriculum besides; one sign
// may be the use that a thing is put to.
func (r *sourceRead) applies() bool {
	return r.all.kinds["applies"] >= 2 || r.all.meets("applies") && r.all.meets("job")
}

// complains: something sold is wrong, which is a customer's business whatever
// else the words are.
func (r *sourceRead) complains() bool { return r.all.score[string(reader.Support)] >= enough }
