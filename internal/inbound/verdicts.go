package inbound

// VerdictFail is the word for what the provider is sure of: spam, a virus, a
// failed check of the sender.
const VerdictFail = "FAIL"

// Verdicts are what the provider that received a mail found out about it, in
// its own words (of SES: PASS, FAIL, GRAY, PROCESSING_FAILED, DISABLED); "" is
// not said. They are facts about the delivery and never part of its identity:
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
