package mailbox

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/operate/mailbox/mbox"
	"onefold/internal/reading/ours"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// MaxMail is the longest mail that is read, in bytes: what Onefold itself reads.
const MaxMail = rawmail.MaxRaw

// KindTooLarge is the kind of a mail beyond MaxMail. The others are those of
// package rawmail.
const KindTooLarge = "too_large"

// maxShown bounds a subject and an identifier in the report, in bytes.
const maxShown = 300

// note is what is kept of one message. It holds no body.
type note struct {
	Ref
	raw   string // digest of the raw bytes: with the date, the order of the report
	kind  string
	facts content.Facts
	// x is what the reader stated of a human's mail, and is shown; the decision
	// may do without it.
	x         *reader.Stored
	to        []string // of our own mail: To, Cc and, where the copy has kept it, Bcc
	recipient []rawmail.Suppression
	relayed   bool // a form's notification

	// What the rehearsal adds.
	person   decide.Person
	result   decision
	approved decision // after a person's word, where that was played
}

// decision is what came of a mail.
type decision struct {
	outcome string
	reasons []string
	intent  string
}

// sent tells a mail of ours that carries nobody else's words.
func (n *note) sent() bool { return n.kind == string(rawmail.Own) && !n.facts.Heard }

// key is the place of a note among all. It does not depend on the file's order;
// notes that are equal in it are equal in every byte.
func (n *note) key() string { return n.Date.String() + "\x00" + n.raw }

// noteOf reads one message as the product does: parser, facts, screen, reader.
func (a *auditor) noteOf(ctx context.Context, m mbox.Message) (*note, error) {
	if m.Cut {
		return a.tooLarge(m), nil
	}
	msg := ours.ReadMail(a.policy, m.Raw, nil, "")
	n := &note{Ref: a.refOf(m, msg), raw: digest.Content(m.Raw), kind: string(msg.Kind), recipient: msg.Recipients}
	event := inbound.Event{Tenant: a.policy.Tenant, Content: "mail", ReceivedAt: n.Date}
	n.facts = content.Screen(content.OfMail(msg), event, a.policy)
	n.relayed = slices.Contains(n.facts.Doubts, content.ReasonFormRelay)
	if n.facts.Human() {
		answer, err := a.reader.Extract(ctx, n.facts.Source)
		if err != nil {
			return nil, fmt.Errorf("read message %d: %w", m.Position, err)
		}
		stored := reader.NewStored(a.policy.Tenant, "audit", a.reader, n.facts.Source, answer, n.Date)
		n.x = &stored
	}
	if n.sent() {
		for _, box := range slices.Concat(msg.To, msg.Cc, msg.Bcc) {
			n.to = append(n.to, strings.Clone(box.Address))
		}
	}
	n.detach()
	return n, nil
}

// tooLarge keeps of a mail beyond the limit who it says it is from.
func (a *auditor) tooLarge(m mbox.Message) *note {
	head := headerOf(m.Raw)
	return &note{
		Ref: a.refOf(m, rawmail.Parse(head, a.policy.IsOwn)), raw: digest.Content(m.Raw), kind: KindTooLarge,
	}
}

// headerOf is the header block of a raw mail.
func headerOf(raw []byte) []byte {
	end := len(raw)
	for _, gap := range []string{"\n\n", "\n\r\n"} {
		if i := bytes.Index(raw, []byte(gap)); i >= 0 {
			end = min(end, i+1)
		}
	}
	return raw[:end]
}

func (a *auditor) refOf(m mbox.Message, msg rawmail.Message) Ref {
	r := Ref{Position: m.Position, Subject: shown(msg.Subject), MessageID: shown(msg.MessageID), Mailbox: shown(msg.Route.DeliveredTo)}
	if len(msg.From) > 0 {
		r.From = shown(msg.From[0].Address)
	}
	if at := a.dateOf(msg.Date, m.Received); !at.IsZero() {
		r.Date = utc.At(at)
	}
	return r
}

// dateOf is the mail's own date, or else that of the mailbox. One in the future
// is none, nor is a year that the stored form of times cannot hold.
func (a *auditor) dateOf(stated, received time.Time) time.Time {
	for _, t := range []time.Time{stated, received} {
		future := !a.latest.IsZero() && t.After(a.latest)
		if y := t.UTC().Year(); !t.IsZero() && !future && y >= 1970 && y <= 9999 {
			return t
		}
	}
	return time.Time{}
}

// shown is a copy of a header's text, cut.
func shown(s string) string {
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return strings.Clone(s)
}

// detach lets go of the mail: every text that is kept is a copy, and the body,
// which the decision does not look at, goes.
func (n *note) detach() {
	f := &n.facts
	f.Source = reader.Source{
		Kind: f.Source.Kind, FromName: strings.Clone(f.Source.FromName), FromAddress: strings.Clone(f.Source.FromAddress),
		ReplyTo: strings.Clone(f.Source.ReplyTo), Subject: strings.Clone(f.Source.Subject),
	}
	f.MessageID = strings.Clone(f.MessageID)
	f.InReplyTo, f.References, f.Failed = copies(f.InReplyTo), copies(f.References), copies(f.Failed)
	if s := f.Suppression; s != nil {
		f.Suppression = &rawmail.Suppression{Address: strings.Clone(s.Address), Reason: s.Reason, Code: strings.Clone(s.Code), Hard: s.Hard}
	}
	for i, r := range n.recipient {
		n.recipient[i] = rawmail.Suppression{Address: strings.Clone(r.Address), Reason: r.Reason, Hard: r.Hard}
	}
	if n.x == nil {
		return
	}
	r := &n.x.Record
	for _, field := range []*reader.Field{&r.SenderEmail, &r.ContactName, &r.Company, &r.Phone} {
		field.Value, field.Evidence = strings.Clone(field.Value), ""
	}
}

func copies(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.Clone(s)
	}
	return out
}
