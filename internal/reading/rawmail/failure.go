package rawmail

import "strings"

// failure is what a report says of one recipient.
type failure struct {
	address    string
	action     string // of the report, "" in free text
	status     string // as stated
	text       string // the diagnosis
	beside     string // the report's text for people, where it is of this recipient alone
	localAgent bool   // the diagnosis is of a program at the recipient's host, not of an address
}

// sameSaid: the two differ in nothing but their address.
func (f failure) sameSaid(o failure) bool {
	f.address, o.address = "", ""
	return f == o
}

// code is the enhanced status code (RFC 3463) that says most: one of the
// diagnosis, or else of the text beside it, before a stated x.0.0.
func (f failure) code() string {
	stated := firstOf(enhancedCodes(f.status, 1))
	if stated != "" && !tellsNothing(stated) {
		return stated
	}
	said := firstOf(enhancedCodes(f.text, 1))
	if beside := firstOf(enhancedCodes(f.beside, 1)); said == "" || tellsNothing(said) && beside != "" {
		said = beside
	}
	if said != "" {
		return said
	}
	return stated
}

func tellsNothing(code string) bool { return strings.HasSuffix(code, ".0.0") }

// hard is true only where the report says, permanently, that the address or
// its domain does not exist. In doubt it is false: a soft bounce costs a mail,
// a false hard one costs a customer.
func (f failure) hard() bool {
	switch f.action {
	case "delayed", "delivered", "relayed", "expanded":
		return false
	}
	if f.localAgent || strings.HasPrefix(f.status, "4.") || f.beside != f.text && mailboxFull.in(lowered(f.beside)) {
		return false
	}
	v := said(f.code(), f.text)
	if v == ofNothing && f.beside != f.text {
		v = said(f.code(), f.beside)
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

func said(code, text string) verdict {
	text = lowered(text)
	if strings.HasPrefix(code, "4.") || mailboxFull.in(text) {
		return ofAnother
	}
	for _, c := range enhancedCodes(text, 20) {
		// Policy and full mailboxes, whatever else is said; 5.1.7 and 5.1.8 are of the sender's address.
		if strings.HasPrefix(c, "5.7.") || c == "5.2.2" || c == "5.2.3" || c == "5.1.7" || c == "5.1.8" {
			return ofAnother
		}
	}
	unknown, another := noSuchAddress.in(text) || strings.HasSuffix(strings.TrimRight(text, ". \t\r\n"), "address rejected"), notTheAddress.in(text)
	switch code {
	case "5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.4.4":
		// Some servers give these codes for whatever they refuse: their words count.
		if senderFault.in(text) || another && !unknown || passes.in(text) {
			return ofAnother
		}
		return ofNoAddress
	case "5.1.7", "5.1.8", "5.2.0", "5.2.2", "5.2.3":
		return ofAnother
	}
	// 5.6 is of the content, 5.7 of policy (RFC 3463 sections 3.7 and 3.8).
	if strings.HasPrefix(code, "5.6.") || strings.HasPrefix(code, "5.7.") || another || passes.in(text) {
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
