package webhook

import "time"

// About is what is known of a source: its row in docs/sources.md, and the
// numbers that the receiver and the conformance suite go by.
type About struct {
	Scheme   string   // the word in a policy's "scheme"
	Name     string   // as people know it
	Contents []string // what an endpoint of it may carry: ContentForm, ContentMail
	ID       string   // what identifies an event, in words
	Auth     string   // what proves the sender, in words
	// Past and Future are how far a signed timestamp may be from now; zero is no
	// bound, and Replay says what stands against a replay then.
	Past, Future time.Duration
	Replay       string // more about it; "" where the window says all
	Answers      Answers
	// Final are the codes after which the sender gives up an event for good or
	// disconnects the endpoint. No entry of Answers that may be a fault of ours
	// is among them.
	Final []int
	// JSON means that its deliveries of ContentForm have Delivery.JSON. IDs are the
	// pointers in it by which an event is identified; none where the ID is in a
	// header or made of something else.
	JSON    bool
	IDs     []string
	MaxBody int      // bytes that are taken; at most MaxBody
	Methods []string // besides POST
	// Public means that no secret is held by the sender: whoever knows the
	// address can write here. Events of it are never proof of who wrote, and the
	// answers tell nothing about an event.
	Public bool
	// Keyless means that the proof is by a public document (DocumentSource): the
	// endpoint names no secret.
	Keyless bool
	// NoMailbox means that its mail does not say which mailbox it was for: the
	// endpoint states one.
	NoMailbox bool
	// Checks is what the provider says of a mail's sender, in words, and why a
	// sender cannot have written it; "" for nothing. DMARC means that it says with
	// each mail what came of DMARC.
	Checks     string
	DMARC      bool
	Limits     string   // what else bounds it
	Facts      []string // where it is documented: addresses
	Unverified []string // what was not read at the source, and how the code bears its being otherwise
}

// MaxBody is the most bytes that any source can take: what API Gateway and
// Lambda carry of a binary body (6 MB of base64 text) with room for the
// envelope.
const MaxBody = 4 << 20

// NeedsSecret tells whether an endpoint of the source names a secret.
func (a About) NeedsSecret() bool { return !a.Public && !a.Keyless }
