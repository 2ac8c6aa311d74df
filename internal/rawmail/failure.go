package rawmail

import (
	"regexp"
	"strings"
)

// failure is what a report says of one recipient.
type failure struct {
	address    string
	action     string // of the report, "" in free text
	status     string // as stated
	text       string // the diagnosis
	beside     string // the report's text for people, where it is of this recipient alone
	localAgent bool   // the diagnosis is of a program at the recipient's host, not of an address
}

var (
	enhancedCode = regexp.MustCompile(`(?:^|[^\d.])([245]\.\d{1,3}\.\d{1,3})(?:$|[^\d.]|\.\s|\.$)`)
	replyCode    = regexp.MustCompile(`(?:^|[\s:;>\[(])([245]\d\d)(?:[\s:\-,]|$)`)

	// noSuchAddress: the address or its domain does not exist.
	noSuchAddress = regexp.MustCompile(`(?i)(?:user[\s.]{1,3}unknown|unknown[\s.]{1,3}(?:user|recipient|address|host|local)|no such (?:user|mailbox|recipient|person|address|account|domain|local)|no mailbox (?:here )?by that name` +
		`|(?:user|recipient|mailbox|account|address|person|domain|host)[^.\n]{0,60}(?:does not exist|doesn't exist|do not exist|not exist|not found|is not known|isn't known|not recognized|not listed|no longer (?:on server|valid|available|in use)|is unknown|couldn't be found|could not be found|wasn't found)` +
		`|recip(?:ient)?notfound|(?:host|domain|user) \S{1,80} (?:was )?not found|user [^\n]{1,80} not listed|invalid (?:recipient|address|mailbox|user|destination)|not our customer|no valid recipients|unrouteable address|bad destination|addressee unknown|inactive email address` +
		`|host (?:unknown|name lookup fail|not found)|host or domain name not found|name service error|(?:doesn't|does not) have an? [\w.]{2,30} account|\[user unknown\]|address rejected[.\s]*$|not a valid (?:user|mailbox|recipient))`)

	// mailboxFull and notTheAddress: the address exists, or nothing is said of it.
	mailboxFull   = regexp.MustCompile(`(?i)not enough (?:disk )?space|mailbox[^.\n]{0,30}(?:full|quota|exceed|limit)|over ?quota|quota (?:exceeded|full)|exceed\w* (?:the |its |storage )*(?:local |mailbox |storage )?(?:limit|quota)|(?:inbox|account) (?:is )?(?:full|over quota)|disk (?:is )?full|insufficient (?:system )?storage`)
	notTheAddress = regexp.MustCompile(`(?i)(?:\bspam\b|virus|blocked|black ?list|blocklist|dnsbl|polic(?:y|ies)\b|dmarc|\bspf\b|\bdkim\b|authenticat|content (?:rejected|filter)|message (?:content|size|filtered)|access (?:denied|from)` +
		`|sender[^.\n]{0,60}(?:reject|not exist|denied|unknown)|domain of sender|relay(?:ing)? (?:access )?(?:denied|not permitted)|not allowed|temporar|try (?:again )?later|timed out|timeout|\bdisabled\b|suspended|frozen|\block(?:ed)?\b|is inactive` +
		`|too many|frequency|rate limit|hop count|mail loop|reputation|after end of data|rejected by the domain filter|deferred|expired|delayed|open relay|turn on smtp)`)
)

// code is the enhanced status code (RFC 3463) that says most: one of the
// diagnosis before a stated x.0.0.
func (f failure) code() string {
	stated := ""
	if m := enhancedCode.FindStringSubmatch(f.status); m != nil {
		stated = m[1]
	}
	if stated != "" && !strings.HasSuffix(stated, ".0.0") {
		return stated
	}
	if m := enhancedCode.FindStringSubmatch(f.text); m != nil {
		return m[1]
	}
	return stated
}

// hard is true only where the report says, permanently, that the address or
// its domain does not exist. In doubt it is false: a soft bounce costs a mail,
// a false hard one costs a customer.
func (f failure) hard() bool {
	code := f.code()
	switch {
	case f.action == "delayed", f.action == "delivered", f.action == "relayed", f.action == "expanded":
		return false
	case strings.HasPrefix(code, "4."), f.localAgent, mailboxFull.MatchString(f.text), mailboxFull.MatchString(f.beside):
		return false
	case strings.HasPrefix(f.status, "4."):
		return false
	}
	for _, m := range enhancedCode.FindAllStringSubmatch(f.text, 20) {
		// Policy and full mailboxes, whatever else is said; 5.1.7 and 5.1.8 are of the sender's address.
		if c := m[1]; strings.HasPrefix(c, "5.7.") || c == "5.2.2" || c == "5.2.3" || c == "5.1.7" || c == "5.1.8" {
			return false
		}
	}
	switch code {
	case "5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.4.4":
		return !senderRefused(f.text)
	case "5.1.7", "5.1.8", "5.2.0", "5.2.2", "5.2.3":
		return false
	}
	// 5.6 is of the content, 5.7 of policy (RFC 3463 sections 3.7 and 3.8).
	if strings.HasPrefix(code, "5.6.") || strings.HasPrefix(code, "5.7.") || notTheAddress.MatchString(f.text) {
		return false
	}
	if m := replyCode.FindStringSubmatch(f.text); m != nil {
		switch {
		case m[1][0] == '4' && code == "":
			return false
		case m[1] == "521", m[1] == "556":
			return true // RFC 7504: the host or domain never accepts mail
		}
	}
	return noSuchAddress.MatchString(f.text)
}

var senderFault = regexp.MustCompile(`(?i)sender[^.\n]{0,60}(?:reject|not exist|denied)|domain of sender|\bprocmail\b`)

func senderRefused(text string) bool { return senderFault.MatchString(text) }
