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

var (
	// noSuchAddress: the address or its domain does not exist.
	noSuchAddress = newPhrases(`user[\s.]{1,3}unknown|unknown[\s.]{1,3}(?:user|recipient|address|host|local)|no such (?:user|mailbox|recipient|person|address|account|domain|local)|no mailbox (?:here )?by that name`+
		`|(?:user|recipient|mailbox|account|address|person|domain|host)[^.\n]{0,60}(?:does not exist|doesn't exist|do not exist|not exist|not found|is not known|isn't known|not recognized|not listed|no longer (?:on server|valid|available|in use)|is unknown|couldn't be found|could not be found|wasn't found)`+
		`|recip(?:ient)?notfound|(?:host|domain|user) \S{1,80} (?:was )?not found|user [^\n]{1,80} not listed|invalid (?:recipient|address|mailbox|user|destination)|not our customer|no valid recipients|unrouteable address|bad destination|addressee unknown|inactive email address`+
		`|host (?:unknown|name lookup fail|not found)|name service error|(?:doesn't|does not) have an? [\w.]{2,30} account|not a valid (?:user|mailbox|recipient)`,
		"known", "no such", "no mailbox", "exist", "found", "recognized", "listed", "no longer", "invalid ", "not our cust", "no valid", "unrouteable",
		"bad dest", "inactive em", "name lookup", "name service", "have a", "not a valid")

	// mailboxFull and notTheAddress: the address exists, or nothing is said of it.
	mailboxFull = newPhrases(`not enough (?:disk )?space|mailbox[^.\n]{0,30}(?:full|quota|exceed|limit)|over ?quota|quota (?:exceeded|full)|exceed\w* (?:the |its |storage )*(?:local |mailbox |storage )?(?:limit|quota)|(?:inbox|account) (?:is )?(?:full|over quota)|disk (?:is )?full|insufficient (?:system )?storage`,
		"not enough", "full", "quota", "exceed", "limit", "insufficient")
	notTheAddress = newPhrases(`\bspam\b|virus|blocked|black ?list|blocklist|dnsbl|polic(?:y|ies)\b|dmarc|\bspf\b|\bdkim\b|authenticat|content (?:rejected|filter)|message (?:content|size|filtered)|access (?:denied|from)`+
		`|sender[^.\n]{0,60}(?:reject|not exist|denied|unknown)|domain of sender|relay(?:ing)? (?:access )?(?:denied|not permitted)|not allowed|temporar|try (?:again )?later|timed out|timeout|\bdisabled\b|suspended|frozen|\block(?:ed)?\b|is inactive`+
		`|too many|frequency|rate limit|hop count|mail loop|reputation|after end of data|rejected by the domain filter|deferred|expired|delayed|open relay|turn on smtp|smtp command\s{1,4}data\b|in reply to (?:end of )?data`,
		"spam", "virus", "lock", "black", "dnsbl", "polic", "dmarc", "spf", "dkim", "authenticat", "content r", "content f", "message c", "message s", "message f",
		"access d", "access f", "sender", "relay", "not allowed", "temporar", "later", "timed out", "timeout", "disabled", "suspended", "frozen", "inactive", "too many",
		"frequency", "rate limit", "hop count", "mail loop", "reputation", "end of data", "domain filter", "deferred", "expired", "delayed", "turn on", "smtp command", "in reply to")

	senderFault = newPhrases(`sender[^.\n]{0,60}(?:reject|not exist|denied)|domain of sender|\bprocmail\b`, "sender", "procmail")
)

// sameSaid: the two differ in nothing but their address.
func (f failure) sameSaid(o failure) bool {
	f.address, o.address = "", ""
	return f == o
}

// code is the enhanced status code (RFC 3463) that says most: one of the
// diagnosis before a stated x.0.0.
func (f failure) code() string {
	stated := firstOf(enhancedCodes(f.status, 1))
	if stated != "" && !strings.HasSuffix(stated, ".0.0") {
		return stated
	}
	if said := firstOf(enhancedCodes(f.text, 1)); said != "" {
		return said
	}
	return stated
}

// hard is true only where the report says, permanently, that the address or
// its domain does not exist. In doubt it is false: a soft bounce costs a mail,
// a false hard one costs a customer.
func (f failure) hard() bool {
	code, text := f.code(), lowered(f.text)
	switch {
	case f.action == "delayed", f.action == "delivered", f.action == "relayed", f.action == "expanded":
		return false
	case strings.HasPrefix(code, "4."), f.localAgent, mailboxFull.in(text), f.beside != f.text && mailboxFull.in(lowered(f.beside)):
		return false
	case strings.HasPrefix(f.status, "4."):
		return false
	}
	for _, c := range enhancedCodes(f.text, 20) {
		// Policy and full mailboxes, whatever else is said; 5.1.7 and 5.1.8 are of the sender's address.
		if strings.HasPrefix(c, "5.7.") || c == "5.2.2" || c == "5.2.3" || c == "5.1.7" || c == "5.1.8" {
			return false
		}
	}
	switch code {
	case "5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.4.4":
		return !senderFault.in(text)
	case "5.1.7", "5.1.8", "5.2.0", "5.2.2", "5.2.3":
		return false
	}
	// 5.6 is of the content, 5.7 of policy (RFC 3463 sections 3.7 and 3.8).
	if strings.HasPrefix(code, "5.6.") || strings.HasPrefix(code, "5.7.") || notTheAddress.in(text) {
		return false
	}
	switch reply := replyCode(f.text); {
	case strings.HasPrefix(reply, "4") && code == "":
		return false
	case reply == "521", reply == "556":
		return true // RFC 7504: the host or domain never accepts mail
	}
	return noSuchAddress.in(text) || strings.HasSuffix(strings.TrimRight(text, ". \t\r\n"), "address rejected")
}
