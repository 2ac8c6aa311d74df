// Package content says what raw content says, by rule alone: who wrote, of what
// kind it is, whether it wishes not to be mailed, and why a person should look.
//
// Its invariant: what a machine wrote is nobody's wish, and what casts doubt on a
// mail is never left out.
package content

import (
	"slices"
	"strings"

	"onefold/internal/digest"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/ours"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/reading/wish"
	"onefold/internal/record/inbound"
)

// Facts is what raw content says, by rule alone.
type Facts struct {
	Content string       // tenant.ContentForm or tenant.ContentMail
	Kind    rawmail.Kind // of a form: Human
	// Heard: the mail came by a machine, and what it carries are a person's words
	// all the same: a form's notification, opt-out words through a group.
	Heard       bool
	Cause       string // hash; what a follow-up would answer
	Source      reader.Source
	OptOut      wish.Finding
	MessageID   string
	InReplyTo   []string
	References  []string
	Suppression *rawmail.Suppression
	Failed      []string // every address that a bounce or complaint says is to be stopped
	// Returned are the intents whose genuine mark a bounce, a complaint or a person
	// gives back. It is filled in by extract.FactsOf, which has the key.
	Returned []string
	Ours     []string // pieces of our own mails that were taken out of the text
	Warnings []string
	Doubts   []string // why a person should look: faults of a form, words of rawmail
	Thanks   bool     // an answer that says nothing but thanks
	Asks     string   // a reason for which only a person can go on with a machine's mail
	// Warned is the reason for which a person, or with Dropped nobody, looks at
	// mail that the receiving provider warned of or whose sender is blocked; ""
	// for none.
	Warned  string
	Dropped bool
	// CustomerID is as an authenticated sender stated it; "" for none.
	CustomerID string
}

// Human tells whether a person may have written this.
func (f Facts) Human() bool { return f.Kind == rawmail.Human || f.Heard }

// Machine tells whether no person wrote this.
func (f Facts) Machine() bool { return !f.Human() && !f.Unreadable() }

// Unreadable tells whether nothing could be read.
func (f Facts) Unreadable() bool { return f.Kind == rawmail.Unparseable }

// OptOutPlain tells whether the words leave no doubt.
func (f Facts) OptOutPlain() bool { return f.Human() && f.OptOut.Verdict == wish.OptOutExplicit }

// Report tells whether this is a bounce or a complaint that came as mail.
func (f Facts) Report() bool { return f.Kind == rawmail.Bounce || f.Kind == rawmail.Complaint }

// OfMail makes the facts of a mail. The cause is its Message-ID with the
// hash of From, Date, Subject and decoded body: the same mail in two mailboxes
// is one cause, a stranger who reuses an ID is another.
func OfMail(m rawmail.Message) Facts {
	f := Facts{
		Content:     tenant.ContentMail,
		Kind:        m.Kind,
		Cause:       digest.Parts("mail", m.MessageID, m.ContentHash),
		MessageID:   m.MessageID,
		InReplyTo:   m.InReplyTo,
		References:  m.References,
		Suppression: m.Suppression,
		Warnings:    m.Warnings,
		Source: reader.Source{
			Kind: tenant.ContentMail, Subject: m.Subject,
			Visible: m.Visible, Signature: m.Signature, Quoted: strings.TrimPrefix(strings.Join(m.Ours, "\n")+"\n"+m.Quoted, "\n"),
			OurNames: m.OurNames,
		},
		Ours: m.Ours,
	}
	if len(m.From) > 0 {
		f.Source.FromName, f.Source.FromAddress = m.From[0].Name, m.From[0].Address
	}
	if len(m.ReplyTo) > 0 {
		f.Source.ReplyTo = m.ReplyTo[0].Address
	}
	for _, r := range m.Recipients {
		if r.Hard && (m.Kind == rawmail.Bounce || m.Kind == rawmail.Complaint) {
			f.Failed = append(f.Failed, r.Address)
		}
	}
	for _, a := range m.Attachments {
		f.Source.Attachments = append(f.Source.Attachments, a.Name)
	}
	switch m.Kind {
	case rawmail.Human:
		f.OptOut, f.Doubts = ours.WishIn(m), m.Doubts
		f.Thanks = f.onlyThanks(m)
	case rawmail.Complaint:
		f.InReplyTo = slices.Concat(f.InReplyTo, m.ReturnedIDs)
	case rawmail.Own:
		f.relayed(m)
		f.forwarded(m)
	case rawmail.AutoReply:
		if slices.Contains(m.KindReasons, rawmail.ForwardingConfirmation) {
			f.Asks = rawmail.ForwardingConfirmation
		}
		f.clicked(m)
	case rawmail.List:
		f.listed(m)
	default: // a machine's words are nobody's wish
	}
	return f
}

// clicked hears the mail that a mail program writes for a person who clicked on
// "unsubscribe" (RFC 2369): its own subject says nothing else.
func (f *Facts) clicked(m rawmail.Message) {
	subject, isReply := wish.CutReplyPrefix(m.Subject)
	if found := wish.OptOut(subject, ""); !isReply && len(m.InReplyTo) == 0 && found.Verdict == wish.OptOutExplicit {
		f.Heard, f.OptOut = true, found
	}
}

// OfForm makes the facts of a form's values. The cause is the event: a
// person who sends a form again after a time has asked again.
func OfForm(e inbound.Event, v tenant.FormValues) Facts {
	return Facts{
		Content: tenant.ContentForm,
		Kind:    rawmail.Human,
		Cause:   digest.Parts("event", e.Tenant, e.ID),
		OptOut:  ours.OrUnread(wish.OptOut(v.Subject, v.Message), v.Message),
		Doubts:  v.Warnings,
		Source: reader.Source{
			Kind: tenant.ContentForm, FromName: v.Name, FromAddress: v.Email,
			Subject: v.Subject, Visible: v.Message,
			Given: reader.Given{Email: v.Email, Name: v.Name, Company: v.Company, Phone: v.Phone},
		},
		CustomerID: v.CustomerID,
	}
}

// Unread makes the facts of content that cannot be read. Its cause is the
// event: content that nobody could read is the same as no other.
func Unread(e inbound.Event, warning string) Facts {
	return Facts{
		Content: e.Content, Kind: rawmail.Unparseable, Warnings: []string{warning},
		Cause: digest.Parts("event", e.Tenant, e.ID),
	}
}
