package decide

import (
	"slices"
	"strings"

	"onefold/internal/address"
	"onefold/internal/digest"
	"onefold/internal/policy/tenant"
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
	// Returned are the intents whose genuine mark a bounce or complaint gives
	// back. It is filled in by extract.FactsOf, which has the key.
	Returned []string
	Warnings []string
	Doubts   []string // why a person should look: faults of a form, words of rawmail
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

// FactsOfMail makes the facts of a mail. The cause is its Message-ID with the
// hash of From, Date, Subject and decoded body: the same mail in two mailboxes
// is one cause, a stranger who reuses an ID is another.
func FactsOfMail(m rawmail.Message) Facts {
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
			Visible: m.Visible, Signature: m.Signature, Quoted: m.Quoted,
		},
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
		f.OptOut, f.Doubts = optOutOf(m), m.Doubts
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

// maxWish is how long, in bytes, a signature is that may be somebody's wish: a
// longer one is a company's, with its notice of what to do with misdirected mail.
const maxWish = 200

// optOutOf looks for a wish not to be mailed. Where a signature begins, and
// whether a text without a word above it is all quoted, are guesses: plain words
// there hold the address until a person has looked.
func optOutOf(m rawmail.Message) wish.Finding {
	found := wish.OptOut(m.Subject, m.Visible)
	if found.Verdict != wish.OptOutNone {
		return found
	}
	var elsewhere []string
	if len(m.Signature) <= maxWish {
		elsewhere = append(elsewhere, m.Signature)
	}
	if strings.TrimSpace(m.Visible) == "" {
		elsewhere = append(elsewhere, m.Quoted)
	}
	for _, text := range elsewhere {
		if other := wish.OptOut("", text); other.Verdict == wish.OptOutExplicit {
			other.Verdict = wish.OptOutDoubtful
			return other
		}
	}
	if slices.Contains(m.Doubts, rawmail.DoubtUndecoded) || slices.ContainsFunc(m.Warnings, func(w string) bool { return slices.Contains(partly, w) }) {
		return wish.Finding{Verdict: wish.OptOutDoubtful, Phrase: "unread_text"}
	}
	return orUnread(found, m.Visible)
}

// partly are the warnings of rawmail that say that not all of the text was read.
var partly = []string{"text_truncated", "too_many_parts", "unknown_charset"}

// orUnread makes a doubtful wish of no wish where the language is not read.
func orUnread(found wish.Finding, text string) wish.Finding {
	if found.Verdict == wish.OptOutNone && wish.Unread(text) {
		return wish.Finding{Verdict: wish.OptOutDoubtful, Phrase: "unread_language"}
	}
	return found
}

// FactsOfForm makes the facts of a form's values. The cause is the event: a
// person who sends a form again after a time has asked again.
func FactsOfForm(e inbound.Event, v tenant.FormValues) Facts {
	return Facts{
		Content: tenant.ContentForm,
		Kind:    rawmail.Human,
		Cause:   digest.Parts("event", e.Tenant, e.ID),
		OptOut:  orUnread(wish.OptOut(v.Subject, v.Message), v.Message),
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

// Person is whom an event is about, by address and the tenant's rules.
type Person struct {
	Address address.Address
	KeyID   string // identity key, of package contact
	GuardID string // keyed hash of the suppression key
	Shared  bool   // an inbox that several people write from
	Own     bool
	Role    bool   // postmaster, no-reply and the like
	Fault   string // why there is no address: a word of package match, or ""

	NextKeyID string // identity key under the rule that is migrated to; "" without one
}

// Known tells whether there is an address at all.
func (p Person) Known() bool { return p.Fault == "" }

// Identify applies the tenant's identity rule to an address as it was written.
func Identify(ids digest.Key, p tenant.Policy, written string) Person {
	if strings.TrimSpace(written) == "" {
		return Person{Fault: "identity_missing"}
	}
	a, err := address.Parse(strings.TrimSpace(written))
	if err != nil {
		return Person{Fault: "identity_invalid"}
	}
	return Person{
		Address: a,
		KeyID:   KeyUnder(p.Identity, a), NextKeyID: nextKey(p, a),
		GuardID: GuardID(ids, p.Tenant, a),
		Shared:  p.IsShared(a.String()),
		Own:     p.IsOwn(a.String()),
		Role:    address.IsRole(a),
	}
}

// GuardID names the guard of an address.
func GuardID(ids digest.Key, tenantID string, a address.Address) string {
	return ids.ID("guard", tenantID, string(a.SuppressionKey()))
}

// AddressOf is the address that an event is about: of a bounce or complaint the
// address it names; else what a person supplied, what the stored extraction
// established, or the header or form field itself.
func AddressOf(f Facts, x *reader.Stored, a *Answer) string {
	switch {
	case a != nil && a.Address != "":
		return a.Address
	case f.Machine() && f.Suppression != nil:
		return f.Suppression.Address
	case f.Machine():
		return ""
	case x != nil && x.Record.SenderEmail.Value != "":
		return x.Record.SenderEmail.Value
	case f.OptOutPlain() && !isAddress(f.Source.FromAddress) && isAddress(f.Source.ReplyTo):
		return f.Source.ReplyTo
	}
	return f.Source.FromAddress
}

// Others are the further people that an event stops or holds mail to, p being
// whom it is about. A report names each recipient that failed. A wish not to be
// mailed may come from two at most: who writes from one address and wants
// answers at another is known to the ledger by either of them, and a form's
// notification names the person in Reply-To only.
func Others(ids digest.Key, policy tenant.Policy, f Facts, x *reader.Stored, p Person) []Person {
	if f.Machine() {
		return otherPeople(ids, policy, f.Failed, p)
	}
	if !f.Human() || f.OptOut.Verdict == wish.OptOutNone && (x == nil || !x.Record.PossibleOptOut) {
		return nil
	}
	return otherPeople(ids, policy, []string{f.Source.FromAddress, f.Source.ReplyTo}, p)
}

func otherPeople(ids digest.Key, policy tenant.Policy, written []string, p Person) []Person {
	var out []Person
	known := map[string]bool{p.GuardID: true}
	for _, w := range written {
		if o := Identify(ids, policy, w); o.Known() && !o.Own && !known[o.GuardID] {
			known[o.GuardID] = true
			out = append(out, o)
		}
	}
	return out
}

func isAddress(written string) bool {
	_, err := address.Parse(strings.TrimSpace(written))
	return err == nil
}
