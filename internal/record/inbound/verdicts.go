package inbound

// VerdictFail is the word for what the provider is sure of: spam, a virus, a
// failed check of the sender; VerdictPass for the opposite.
const (
	VerdictFail = "FAIL"
	VerdictPass = "PASS"
)

// Verdicts are what the provider that received a mail found out about it, in
// its own words (of SES: PASS, FAIL, GRAY, PROCESSING_FAILED, DISABLED; of others
// those of RFC 8601 section 2.7 in capitals); "" is not said. They are facts about the delivery and never part of its identity:
// a redelivery that brings others changes nothing.
type Verdicts struct {
	Spam        string `json:"spam_verdict,omitempty"`
	Virus       string `json:"virus_verdict,omitempty"`
	SPF         string `json:"spf_verdict,omitempty"`
	DKIM        string `json:"dkim_verdict,omitempty"`
	DMARC       string `json:"dmarc_verdict,omitempty"`
	DMARCPolicy string `json:"dmarc_policy,omitempty"` // of the sending domain, where DMARC failed
}

// IsVirus tells whether the provider found a virus: such mail is not parsed.
func (v Verdicts) IsVirus() bool { return v.Virus == VerdictFail }

// IsSpam tells whether the provider takes the mail for spam.
func (v Verdicts) IsSpam() bool { return v.Spam == VerdictFail }

// What the provider's checks say of the sender whom a mail names.
const (
	SenderCorroborated = "corroborated" // its domain, or a server of it, sent this; not that its owner wrote it
	SenderContradicted = "contradicted" // its domain says that it did not
	SenderUnsaid       = "unsaid"       // nobody said either
)

// Sender weighs SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489). DMARC is
// of the address that people see, so where it passed or failed it decides,
// whatever its domain wants done with what fails; else SPF or DKIM that passed
// corroborates. That both failed contradicts nothing: forwarding does as much.
func (v Verdicts) Sender() string {
	switch {
	case v.DMARC == VerdictFail:
		return SenderContradicted
	case v.DMARC == VerdictPass, v.SPF == VerdictPass, v.DKIM == VerdictPass:
		return SenderCorroborated
	}
	return SenderUnsaid
}
