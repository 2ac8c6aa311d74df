package mailer

import "time"

// Event is what the provider later reports of one mail, in words that do not
// depend on the provider. It is evidence: an event that carries our tags
// proves that the provider took that attempt's mail, whatever the call said.
type Event struct {
	Type      EventType
	MessageID string    // as Result.MessageID; "" only when Type is EventOther
	At        time.Time // when it happened by the provider's clock, UTC; zero if not given
	// Recipients are those the event speaks of; for a kind that names none,
	// all the mail had. They are people's addresses.
	Recipients []string
	// Tags holds the first value of each tag, ours and the provider's own.
	// Nil where the provider reports none.
	Tags map[string]string
	// BounceType is the provider's word, such as "Permanent", "Transient" or
	// "Undetermined"; "" for what is no bounce.
	BounceType string
	// Permanent is true only of a bounce that will be the same next time.
	Permanent bool
	// Subtype is the provider's finer word: the bounce's subtype, the kind of
	// complaint, the type of a delay, or the name of an event that is
	// EventOther. It may be "".
	Subtype string
	// DedupeKey is the same for every repetition of one event and differs
	// between events. Providers repeat and reorder what they report.
	DedupeKey string
}

// EventType says what happened to a mail after it was accepted.
type EventType string

// The kinds of event. Their order of arrival says nothing.
const (
	// EventSent: the provider will try to deliver it.
	EventSent EventType = "sent"
	// EventDelivered: the recipient's server took it. Not: anyone read it.
	EventDelivered EventType = "delivered"
	// EventBounced: it will not arrive. Permanent tells whether the next will.
	EventBounced EventType = "bounced"
	// EventComplained: the recipient, or their provider, reported it.
	EventComplained EventType = "complained"
	// EventRejected: accepted at first, then not sent by the provider.
	EventRejected EventType = "rejected"
	// EventDelayed: not delivered yet; another event follows.
	EventDelayed EventType = "delayed"
	// EventOther: a kind that decides nothing here, known or not.
	EventOther EventType = "other"
)
