package reader

import (
	"regexp"
	"strings"

	"onefold/internal/address"
)

// Class is what sort of message it is, one word of this list. It is for code
// to judge, by the text and without a model: a message that talks a reader out
// of taking it for an enquiry would make itself unseen.
type Class string

// The classes. "" is not yet judged and stands for an enquiry, as it does in
// answers stored before there were classes. All others are no business of the
// sender's with this one: they make neither contact nor follow-up unless the
// tenant's policy says so.
const (
	Enquiry        Class = "enquiry"         // a person writes on their own business with this one; also all that is not clearly of another class
	Pitch          Class = "pitch"           // the sender sells something to this business
	Invoice        Class = "invoice"         // the sender bills it
	JobApplication Class = "job_application" // somebody wants to work here
	Newsletter     Class = "newsletter"      // a mailing to many, without the headers of one
	Spam           Class = "spam"            // fraud
	AutoReply      Class = "auto_reply"      // a machine answers for somebody away or gone, without the headers of one
)

// Classes lists them.
func Classes() []Class {
	return []Class{Enquiry, Pitch, Invoice, JobApplication, Newsletter, Spam, AutoReply}
}

// IsEnquiry tells whether a message of this class may make a contact.
func (c Class) IsEnquiry() bool { return c == "" || c == Enquiry }

// IsMachineAddress tells whether no person reads what is sent to an address, or
// only by way of a service, by its local part: no-reply in the languages of the
// rules, the names of programs, a service's address for one conversation, and
// what package address takes for a role. A shared box such as info@ is none.
func IsMachineAddress(written string) bool {
	a, err := address.Parse(strings.TrimSpace(written))
	if err != nil {
		return false
	}
	if address.IsRole(a) {
		return true
	}
	if relayLocal.MatchString(a.Local) {
		return true
	}
	local := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(a.Local))
	for _, word := range []string{
		"noreply", "donotreply", "dontreply", "nepasrepondre", "neparepondre", "pasdereponse", "nichtantworten", "keineantwort", "bittenichtantworten",
		"noresponder", "norespondas", "noresponda", "nocontestar", "norispondere", "nonrispondere", "naoresponda", "naoresponder",
		"nietantwoorden", "nietbeantwoorden", "geenantwoord", "nieodpowiadaj", "nieodpisuj", "svarainte", "svarej", "svarikke", "ikkesvar",
		"besvarikke", "alavastaa", "eivastausta",
	} {
		if strings.Contains(local, word) {
			return true
		}
	}
	return programs[local]
}

// programs are local parts that programs write under by default.
var programs = map[string]bool{
	"wordpress": true, "woocommerce": true, "drupal": true, "joomla": true, "typo3": true, "magento": true, "prestashop": true, "shopify": true, "phpmailer": true,
	"apache": true, "wwwdata": true, "nginx": true, "cron": true, "system": true, "robot": true, "mailbot": true, "mailer": true, "automailer": true, "automated": true,
	"notify": true, "notifier": true, "notice": true, "formmail": true, "formmailer": true, "webform": true, "jira": true, "gitlab": true, "jenkins": true, "nagios": true,
}

// relayLocal is what a service makes up so that an answer finds its conversation:
// a word for it, and a mark in which digits and letters alternate.
var relayLocal = regexp.MustCompile(`(?i)^(?:reply|replies|replyto|reply-to|respond)[-+_.=].*[0-9a-z]{4}|` +
	`^(?:re|r|message|msg|conversation|thread|ticket|case|comments?|notif\w*|inbound|incoming|relay)[-+_.=][a-z_.=+-]*[0-9][0-9a-z_.=+-]{4}|` +
	`(?:[a-z]+[0-9]+){3}[a-z0-9]*[a-z0-9]{4}`)
