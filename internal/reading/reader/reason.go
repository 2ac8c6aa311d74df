package reader

// Reasons why a person should look. A reader may give these words and no
// others; all but the last three can also be given by the rules.
const (
	ReasonInstructions = "instructions_to_model"    // the text speaks to the machine that reads it
	ReasonSensitive    = "sensitive"                // health, religion and the like are mentioned
	ReasonLegal        = "legal_or_privacy_request" // a lawyer, a complaint, a request under privacy law
	ReasonNoText       = "no_text"                  // there is nothing to read
	ReasonAmbiguous    = "ambiguous"                // several people or wishes, or unclear which
	ReasonThirdParty   = "third_party"              // the text is about or for somebody else
	ReasonReader       = "reader_reason_unknown"    // the reader gave a word outside this list
	ReasonPart         = "reader_saw_part"          // the text was longer than what the reader was given
	ReasonDisputed     = "sender_disputed"          // a model and the rules take different addresses, names or companies for the sender's
)

// ReviewReasons lists the words that a reader may give, for a prompt's or a
// schema's use.
func ReviewReasons() []string {
	return []string{
		ReasonInstructions, ReasonSensitive, ReasonLegal, ReasonNoText, ReasonAmbiguous, ReasonThirdParty,
	}
}

// Intents lists the words that a reader may give as an intent.
func Intents() []Intent {
	return []Intent{ProductQuestion, Pricing, Meeting, Support, OptOut, Other}
}

// Reasons that Validate gives. Those of a field are the field's word, an
// underscore and one of the endings: "name_unverified", "phone_malformed".
const (
	ClassUnknown  = "class_unknown"  // a word outside the list: taken as not judged
	IntentUnknown = "intent_unknown" // a word outside the list: taken as Other
	SenderDiffers = "sender_differs" // the address believed is neither From, Reply-To nor the form's
	SenderRelayed = "sender_relayed" // the address believed is Reply-To's, From is a machine's

	FieldSender  = "sender_email"
	FieldName    = "name"
	FieldCompany = "company"
	FieldPhone   = "phone"

	NotText         = "not_text"          // control or directional characters, a line break, not UTF-8
	TooLong         = "too_long"          // the value
	EvidenceTooLong = "evidence_too_long" // the evidence
	Malformed       = "malformed"         // not an address, a name, a number
	Unverified      = "unverified"        // the evidence does not stand where it is said to, or not for the value
	OnlyQuoted      = "only_quoted"       // it stands in quoted text alone: not the sender's word
	Ours            = "ours"              // it is the name of the business, or of one of its people whom the mail is to
	OnlyGreeting    = "only_greeting"     // it stands in a greeting alone: whom the sender writes to
)
