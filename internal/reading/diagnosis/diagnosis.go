// Package diagnosis reads what a mail system says of a mail that it could not
// deliver, in codes and in words, and tells whether the address is to blame.
//
// Its invariant: in doubt it is not.
package diagnosis

import (
	"strings"

	"onefold/internal/reading/phrases"
)

// Failure is what a report says of one recipient.
type Failure struct {
	Address    string
	Action     string // of the report, "" in free text
	Status     string // as stated
	Text       string // the diagnosis
	Beside     string // the report's text for people, where it is of this recipient alone
	LocalAgent bool   // the diagnosis is of a program at the recipient's host, not of an address
}

// SameSaid tells whether the two differ in nothing but their address.
func (f Failure) SameSaid(o Failure) bool {
	f.Address, o.Address = "", ""
	return f == o
}

// Code is the enhanced status code (RFC 3463) that says most: one of the
// diagnosis, or else of the text beside it, before a stated x.0.0.
func (f Failure) Code() string {
	stated := firstOf(enhancedCodes(f.Status, 1))
	if stated != "" && !tellsNothing(stated) {
		return stated
	}
	said := firstOf(enhancedCodes(f.Text, 1))
	if beside := firstOf(enhancedCodes(f.Beside, 1)); said == "" || tellsNothing(said) && beside != "" {
		said = beside
	}
	if said != "" {
		return said
	}
	return stated
}

func tellsNothing(code string) bool { return strings.HasSuffix(code, ".0.0") }

// Hard is true only where the report says, permanently, that the address or
// its domain does not exist. In doubt it is false: a soft bounce costs a mail,
// a false hard one costs a customer.
func (f Failure) Hard() bool {
	switch f.Action {
	case "delayed", "delivered", "relayed", "expanded":
		return false
	}
	if f.LocalAgent || strings.HasPrefix(f.Status, "4.") || f.Beside != f.Text && mailboxFull.In(phrases.Lowered(f.Beside)) {
		return false
	}
	v := said(f.Code(), f.Text, f.Text != f.Beside)
	if v == ofNothing && f.Beside != f.Text {
		v = said(f.Code(), f.Beside, false)
	}
	return v == ofNoAddress
}

// verdict is what words and codes say of an address.
type verdict int

const (
	ofNothing   verdict = iota
	ofNoAddress         // it does not exist, or takes no mail, for good
	ofAnother           // the failure is of something else, or passes
)

// said reads a code and a text; alone: the text is a diagnosis and nothing else.
func said(code, text string, alone bool) verdict {
	text = phrases.Lowered(text)
	if strings.HasPrefix(code, "4.") || mailboxFull.In(text) {
		return ofAnother
	}
	for _, c := range enhancedCodes(text, 20) {
		// Policy and full mailboxes, whatever else is said; 5.1.7 and 5.1.8 are of the sender's address.
		if strings.HasPrefix(c, "5.7.") || c == "5.2.2" || c == "5.2.3" || c == "5.1.7" || c == "5.1.8" {
			return ofAnother
		}
	}
	unknown, another := noSuchAddress.In(text) || strings.HasSuffix(strings.TrimRight(text, ". \t\r\n"), "address rejected"), notTheAddress.In(text)
	switch code {
	case "5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.4.4":
		// Some servers give these codes for whatever they refuse: their words count.
		if senderFault.In(text) || !unknown && (another || alone && (ofMail.In(text) || anyServer.MatchString(text))) || passes.In(text) {
			return ofAnother
		}
		return ofNoAddress
	case "5.1.7", "5.1.8", "5.2.0", "5.2.2", "5.2.3":
		return ofAnother
	}
	// 5.6 is of the content, 5.7 of policy (RFC 3463 sections 3.7 and 3.8).
	if strings.HasPrefix(code, "5.6.") || strings.HasPrefix(code, "5.7.") || another || passes.In(text) {
		return ofAnother
	}
	switch reply := replyCode(text); {
	case strings.HasPrefix(reply, "4") && code == "":
		return ofAnother
	case unknown, reply == "521", reply == "556": // RFC 7504: the host or domain never accepts mail
		return ofNoAddress
	}
	return ofNothing
}
