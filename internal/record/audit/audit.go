// Package audit holds the record of one state transition, as it is committed
// with the transition itself.
//
// Its invariant: a record names identifiers, hashes, states and reasons, and
// never an address, a name or a text. Append-only: the record of transition n
// of a noun is created with n in its key, so none can be put twice and a gap
// shows.
package audit

import "onefold/internal/utc"

// Record is one transition of one noun.
type Record struct {
	Tenant     string   `json:"tenant"`
	Noun       string   `json:"noun"`    // entity
	NounID     string   `json:"noun_id"` // its identifying words; of an event the event ID
	Transition int64    `json:"transition"`
	Event      string   `json:"event"` // what happened, a word of the noun's machine
	From       string   `json:"from,omitempty"`
	To         string   `json:"to,omitempty"`
	At         utc.Time `json:"at"`
	By         string   `json:"by"` // function, or "person:" and who
	Reasons    []string `json:"reasons,omitempty"`

	// Links by which explain finds the record; indexes read the *Ref ones.
	InboundEvent string `json:"inbound_event,omitempty"`
	Contact      string `json:"contact,omitempty"`
	Intent       string `json:"intent,omitempty"`
	ContactRef   string `json:"contact_ref,omitempty"`
	IntentRef    string `json:"intent_ref,omitempty"`
	MessageRef   string `json:"message_ref,omitempty"`

	// Details are further non-personal facts: hashes, versions, provider IDs.
	Details map[string]string `json:"details,omitempty"`
}
