package webhook

import (
	"time"

	"onefold/internal/record/inbound"
)

// Source is one manner of sending: a provider's, or a scheme that many use. It
// is a value of rules, made of an endpoint's options; it does no I/O, remembers
// nothing and may be used by several at once.
//
// # Contract
//
// Open is given the request as it was sent and what the endpoint's owner has
// set up, and answers with what the request carries, or refuses it.
//
//   - It verifies the raw bytes before it reads any of them as JSON, a form or
//     mail, takes what any of the given secrets signed, current or previous, and
//     compares in constant time. Without a secret that it can use it says
//     ErrNoSecret, never yes. A source that cannot authenticate says so in
//     About.Public.
//   - It says nothing of the content to a stranger: the order is the shape of
//     the headers, the signature, the age, the content.
//   - Time is Setting.Now. A timestamp outside of About.Past and About.Future is
//     refused.
//   - Each Delivery has an ID that is the same on every try of one business
//     event and another for every other event: the provider's own, or DerivedID
//     of object, kind and version. It is never empty and never made of a body
//     or a subject alone. Where the sender does not sign the ID, Delivery.Once
//     holds something that he does sign.
//   - Delivery.Fingerprint is of what does not change between tries (no
//     attempt counters, no signatures), so that a repeat is a duplicate and
//     other content under a used ID is a conflict.
//   - A payload of several events gives as many deliveries, in its order, at
//     most MaxDeliveries. What of an authentic payload cannot be read is counted
//     in Opened.Broken; the rest is given all the same.
//   - A question that wants an answer and carries no event (a challenge, a
//     CORS preflight) gives Opened.Reply; a subscription to be confirmed by
//     visiting an address gives Opened.Visit, which Open has checked against
//     the endpoint's allow-list.
//   - Nothing of the request and no secret is in an error: sentinels and fixed
//     words only (Refuse). Any bytes are answered in time linear in their
//     number, without a panic.
//
// # What the receiver does with it
//
// Each delivery is made durable by itself, in a commit of its own and several at
// a time, those of one ID in their order; and then the one answer is given: Answers.Fault if any could not be recorded, for then
// the sender repeats the whole and those that are recorded are duplicates;
// else Answers.Malformed if a part was broken; else, of a single delivery, what
// became of it; of several, Answers.Recorded, since a conflict among them has
// been put before a person and a repeat would not better it. So whatever fails
// in the middle, nothing is lost and repeats are harmless.
type Source interface {
	About() About
	Open(r Request, s Setting) (Opened, error)
}

// DocumentSource is a source that verifies with a public document, such as a
// certificate, which the request names. Document says which, having checked
// that the address is the provider's; Setting.Document is then what was there.
// An error is a refusal, as Open's.
type DocumentSource interface {
	Source
	Document(r Request) (url string, err error)
}

// BrowserSource is a source whose requests come from browsers: every answer to
// one, a refusal too, carries these headers, by their lower-case names.
type BrowserSource interface {
	Source
	AnswerHeaders(r Request) map[string]string
}

// Setting is what the endpoint has besides the source's options, and the time.
type Setting struct {
	Content  string   // of the endpoint: ContentForm or ContentMail
	Secrets  []Secret // current first; a zero one counts for nothing
	Document []byte   // of a DocumentSource
	Now      time.Time
}

// What a delivery's raw content is.
const (
	ContentForm = "form" // a JSON object with the fields of an enquiry
	ContentMail = "mail" // one raw MIME message
)

// MaxDeliveries is the most events that one payload may be split into.
const MaxDeliveries = 200

// Opened is what an authentic request carries. The zero value is an authentic
// request that carries no event: it is answered as recorded.
type Opened struct {
	Deliveries []Delivery
	Broken     int    // parts of which no delivery can be made
	Reply      *Reply // to be given as it is; nothing is recorded
	Visit      string // an https address to be fetched once before the answer; an error there is Answers.Fault
	Note       string // fixed words for the log, of what a person should know; "" for nothing
}

// Delivery is one event as one request brought it.
type Delivery struct {
	ID      string // 1 to MaxIDSize printable ASCII bytes
	Content string // ContentForm or ContentMail
	Kind    string // the provider's word for what happened; "" where it has none. At most 100 bytes; not personal
	// Mailbox is, of mail, the envelope recipient in lower case; "" is the
	// endpoint's.
	Mailbox string
	// EnvelopeFrom is, of mail, MAIL FROM; NullSender for none; "" not stated.
	EnvelopeFrom string
	// Verdicts are, of mail, what the provider that received it found out.
	Verdicts inbound.Verdicts
	Raw      []byte // what is kept; of a form a JSON object
	// Fingerprint: see Source. Where JSON is set, the receiver compares by that
	// first, and by Fingerprint with events that were recorded without it.
	Fingerprint string
	// JSON is the content as one JSON value, as it was sent; nil where it is not
	// JSON. A sender that writes its object again for the next try means the same
	// event: what counts is the value, without Volatile. JSON that readers may
	// take for two values (a member named twice) is compared by its bytes.
	JSON []byte
	// Volatile are JSON Pointers (RFC 6901) in JSON to what the source changes
	// from one try to the next.
	Volatile []string
	// Once is something that the sender signs and uses for one event alone: a
	// token, or a hash of all that is signed where the ID is not (never the
	// signature, of which one request may hold several). "" for none. What comes
	// under another ID with the same Once is no new event: a duplicate if its
	// content is the same, a conflict if not. That of a repeat is used up with it.
	Once string
	// Fetch, where not "", names the content at the provider: Raw is its
	// metadata alone. The receiver fetches the content before it records the
	// event, and of an event that it has not again; ID and Fingerprint do not
	// rest on it. Where the deployment cannot fetch, the metadata is recorded,
	// and a person sees that it is no mail.
	Fetch string
}

// NullSender is an envelope sender that is empty or "<>": nobody may answer it
// (RFC 5321 section 4.5.5, RFC 3834 section 2).
const NullSender = "<>"

// Reply is an answer with a form of its own.
type Reply struct {
	Status  int
	Headers map[string]string // lower-case names
	Body    []byte
}
