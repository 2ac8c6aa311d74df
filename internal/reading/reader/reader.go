// Package reader is the port to what reads the text: the deterministic rules or
// a model. It owns the record that may come out and the checks that
// decide, in code, how much of it is believed.
//
// Its invariant: a Record that left Validate holds no value whose evidence
// does not stand in the text the sender wrote (or in the header named), and
// no word outside the lists below. What a reader says is a proposal; it can
// name no recipient, no command and no rule.
package reader

import "context"

// Source is everything a reader may see: minimised, already separated into
// what the sender wrote now and what was quoted.
type Source struct {
	Kind        string   `json:"kind"` // "mail" or "form"
	FromName    string   `json:"from_name"`
	FromAddress string   `json:"from_address"`
	ReplyTo     string   `json:"reply_to"`
	Subject     string   `json:"subject"`
	Visible     string   `json:"visible"`   // new text, signature left out
	Signature   string   `json:"signature"` // signature block
	Quoted      string   `json:"quoted"`    // context only: nothing in it is the sender's
	Attachments []string `json:"attachments"`
	// OurNames are names of the business and of its people whom the mail is to:
	// no name or company of the sender's. No reader is shown them.
	OurNames []string `json:"our_names,omitempty"`
	// Given holds values that a form states in fields of their own.
	Given Given `json:"given"`
}

// Given are a form's own fields, as typed.
type Given struct {
	Email   string `json:"email"`
	Name    string `json:"name"`
	Company string `json:"company"`
	Phone   string `json:"phone"`
}

// Field is one value with the reader's stated confidence, in hundredths (0 to
// 100), and the words it was read from. An absent value is legal: Value "".
type Field struct {
	Value      string `json:"value"`
	Confidence int64  `json:"confidence"`
	Evidence   string `json:"evidence"`
	Where      Where  `json:"where"` // where the evidence stands
}

// Where names the place of an evidence.
type Where string

// The places that count as the sender's own word.
const (
	InVisible   Where = "visible"
	InSignature Where = "signature"
	InSubject   Where = "subject"
	InFrom      Where = "from"
	InReplyTo   Where = "reply_to"
	InForm      Where = "form"
)

// Record is the whole answer of a reader.
type Record struct {
	SenderEmail      Field  `json:"sender_email"`
	ContactName      Field  `json:"contact_name"`
	Company          Field  `json:"company"`
	Phone            Field  `json:"phone"`
	Intent           Intent `json:"intent"`
	PossibleOptOut   bool   `json:"possible_opt_out"`
	NeedsHumanReview bool   `json:"needs_human_review"`
	// ReviewReasons are machine words that say why a person should look.
	ReviewReasons []string `json:"review_reasons"`
	// Class is what sort of message it is; absent: an enquiry.
	Class Class `json:"class,omitempty"`
}

// Intent is what the sender wants, one word of this list.
type Intent string

// The intents.
const (
	ProductQuestion Intent = "product_question"
	Pricing         Intent = "pricing"
	Meeting         Intent = "meeting"
	Support         Intent = "support"
	OptOut          Intent = "opt_out"
	Other           Intent = "other"
)

// Reader reads one source. The answer is untrusted until validated.
//
// Extract makes at most one outside call and may take long; it honours the
// context's deadline. An error means no answer was had: OutcomeOf says whether
// the caller tries again later or asks a person; he never guesses. The same
// source may get another answer another time, so the caller stores the first
// and uses only that.
type Reader interface {
	Extract(ctx context.Context, s Source) (Record, error)
	// Model and PromptVersion name what answered, for the stored record.
	Model() string
	PromptVersion() string
}
