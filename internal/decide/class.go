package decide

import (
	"slices"

	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
)

// ReasonClass begins the reason that names what a message is, where it is no
// enquiry: "class_pitch".
const ReasonClass = "class_"

// classReason says what the message is, when that is no enquiry and the policy
// does not take it for one; else "".
func (b *builder) classReason() string {
	if b.g.Extraction == nil {
		return ""
	}
	class := b.g.Extraction.Record.Class
	if class.IsEnquiry() || b.g.Policy.Accepts(string(class)) {
		return ""
	}
	return ReasonClass + string(class)
}

// noEnquiry tells whether the event ends as what it is, with neither contact
// nor follow-up. Anything that may be more than that keeps it for a person, who
// then sees the class as one reason of several: a wish not to be mailed, a
// person's answer, whatever else is in doubt, and mail of somebody known or in
// answer to ours, for to be wrong about a customer costs most.
func (b *builder) noEnquiry() bool {
	if b.classReason() == "" || b.g.Answer != nil || b.doubted() {
		return false
	}
	f, x, seen := b.g.Facts, b.g.Extraction, b.g.Seen
	doubts := slices.ContainsFunc(f.Doubts, func(word string) bool { return word != rawmail.DoubtMachine })
	if doubts || f.Warned != "" || len(x.Reasons) > 0 || x.Record.NeedsHumanReview || len(x.Record.ReviewReasons) > 0 {
		return false
	}
	// Somebody's absence is told to those he knows and in answer to their mail.
	return x.Record.Class == reader.AutoReply || seen.Replied == nil && seen.Contact == nil
}
