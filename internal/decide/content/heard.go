package content

import (
	"slices"

	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/wish"
)

// Why a person has to look at what a machine brought.
const (
	ReasonFormRelay = "form_relay"
	ReasonListMail  = "list_mail"
)

// relayed takes a mail from one of our addresses with a stranger in Reply-To as
// that stranger's. Anybody can write into a form, so a person looks before
// anything follows, and plain opt-out words hold the address until then.
func (f *Facts) relayed(m rawmail.Message) {
	if m.Relayed == nil {
		return
	}
	f.Heard, f.Doubts = true, []string{ReasonFormRelay}
	f.Source.FromName, f.Source.FromAddress = m.Relayed.Name, m.Relayed.Address
	f.Source.ReplyTo = m.Relayed.Address
	if f.OptOut = wish.OptOut(m.Subject, m.Visible); f.OptOut.Verdict == wish.OptOutExplicit {
		f.OptOut.Verdict = wish.OptOutDoubtful
	}
}

// forwarded takes a mail that a colleague passed on as its sender's, for a
// person to confirm: the text says whose it is, and a text can say anything.
// It is in no thread with what the colleague wrote.
func (f *Facts) forwarded(m rawmail.Message) {
	if f.Heard || m.Forwarded == nil {
		return
	}
	f.Heard, f.Doubts = true, []string{rawmail.DoubtForwarded}
	f.MessageID, f.InReplyTo, f.References = "", nil, nil
	in := m.Forwarded
	f.Source.FromName, f.Source.FromAddress, f.Source.ReplyTo = in.From.Name, in.From.Address, ""
	f.Source.Visible, f.Source.Signature, f.Source.Quoted = in.Visible, in.Signature, m.Visible
	if in.Subject != "" {
		f.Source.Subject = in.Subject
	}
	if f.OptOut = wish.OptOut(in.Subject, in.Visible); f.OptOut.Verdict == wish.OptOutExplicit {
		f.OptOut.Verdict = wish.OptOutDoubtful
	}
}

// listed hears opt-out words through a list; all else that comes by one is
// ignored. Plain words count whatever list it is. Doubtful words count only
// outside mass mail and outside what the list itself adds, for nearly every
// newsletter tells its readers how to leave.
func (f *Facts) listed(m rawmail.Message) {
	found := wish.OptOut(m.Subject, m.Visible)
	if found.Verdict == wish.OptOutDoubtful {
		if massMail(m) {
			return
		}
		found = wish.OptOut(m.Subject, wish.WithoutListFooter(m.Visible))
	}
	if found.Verdict == wish.OptOutNone || found.Verdict == "" {
		return
	}
	f.Heard, f.OptOut = true, found
	if found.Verdict == wish.OptOutDoubtful {
		f.Doubts = []string{ReasonListMail}
	}
}

// massMail is what offers a way out and takes no answers: a newsletter, as
// opposed to a group that people write to (RFC 2369, List-Post).
func massMail(m rawmail.Message) bool {
	group := func(reason string) bool {
		return reason == "list_post" || reason == "mailing_list" || reason == "precedence_list"
	}
	return slices.Contains(m.KindReasons, "list_unsubscribe") && !slices.ContainsFunc(m.KindReasons, group)
}
