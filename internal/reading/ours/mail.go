package ours

import (
	"slices"
	"strings"

	"onefold/internal/reading/rawmail"
)

// Business is what is known of those whom a mail is to.
type Business interface {
	IsOwn(addr string) bool
	Sent() []string  // the texts of its mails, with Value where they differ
	Names() []string // its own
}

// ReadMail parses a mail to a business as rawmail.ParseMarked does, and takes what
// the business's own mails say out of a reply. A mail that is no reply and has
// nothing but our text, by whatever way it came, is our own.
func ReadMail(p Business, raw []byte, genuine rawmail.IsMark, envelopeFrom string) rawmail.Message {
	m := rawmail.ParseMarked(raw, p.IsOwn, genuine, envelopeFrom)
	if m.Kind == rawmail.Human && len(p.Sent()) > 0 {
		withoutOurs(&m, newTexts(p.Sent()))
	}
	m.OurNames = p.Names()
	for _, box := range slices.Concat(m.To, m.Cc) {
		if box.Name != "" && p.IsOwn(box.Address) {
			m.OurNames = append(m.OurNames, box.Name)
		}
	}
	return m
}

var unmarked = strings.NewReplacer("\n> ", "\n", "\n>", "\n")

func withoutOurs(m *rawmail.Message, sent *texts) {
	above, below := sent.without(m.Visible, true), sent.without(m.Signature, false)
	if !m.IsReply() {
		if above.Only && (below.Only || m.Signature == "") {
			m.Kind, m.KindReasons, m.Doubts, m.Forwarded = rawmail.Own, append(m.KindReasons, "own_text"), []string{}, nil
		}
		return
	}
	m.OnlyOurs, m.OneOfOurs = above.Only, above.Equal+below.Equal == 1
	if m.Visible == "" { // nothing was written above what was quoted
		m.OnlyOurs = sent.without(unmarked.Replace("\n"+m.Quoted), false).Equal > 0
	}
	if len(above.Ours) > 0 {
		m.Visible = above.Rest
	}
	if len(below.Ours) > 0 {
		m.Signature = below.Rest
	}
	m.Ours = slices.Concat(above.Ours, below.Ours)
}
