package content

import (
	"slices"
	"strings"

	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/wish"
)

// ReasonThanks says that an answer says nothing but thanks: it is on file, and
// nobody has to answer it.
const ReasonThanks = "only_thanks"

// onlyThanks tells whether a mail is an answer to anybody that asks for nothing.
// The facts are those made of it so far: any doubt makes it a mail like others.
func (f Facts) onlyThanks(m rawmail.Message) bool {
	document := func(a rawmail.Attachment) bool { return !strings.HasPrefix(a.Type, "image/") } // not of the signature
	return f.OptOut.Verdict == wish.OptOutNone && len(f.Doubts) == 0 && !slices.ContainsFunc(m.Attachments, document) &&
		wish.OnlyThanks(m.Subject, len(m.InReplyTo) > 0, m.Visible, m.Signature, f.Source.FromName)
}
