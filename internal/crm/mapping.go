package crm

import "onefold/internal/utc"

// The attributes of a mapping's claim.
const (
	OwnerAttr         = "owner"
	AttemptAttr       = "attempt"
	InFlightUntilAttr = "in_flight_until"
	TriedAttr         = "tried"
)

// Mapping links one contact to its record in one CRM: one row for each
// (tenant, CRM, contact), and that key is its uniqueness rule. It is also the
// claim that keeps one contact upsert in flight: who holds Owner and Attempt
// until InFlightUntil may call the CRM, nobody else may, and only that holder
// may settle. A row whose claim has lapsed is taken over with Attempt + 1,
// never deleted, since a claim is evidence that a call may have been made.
type Mapping struct {
	Tenant  string `json:"tenant"`
	CRM     string `json:"crm"`     // Capabilities.Name
	Contact string `json:"contact"` // Onefold's contact ID, the Ref in the CRM

	// CRMID is the record's ID in the CRM, "" until one is confirmed.
	CRMID string `json:"crm_id,omitempty"`
	// SentVersion is the contact version that the CRM last confirmed, 0 if
	// none. It only rises: an older version that settles late is superseded.
	SentVersion int64 `json:"sent_version"`

	// Wrote is, for each field, the keyed digest of what the record had when a write
	// was last confirmed, where it was ours; Tried are those of writes that nobody
	// confirmed. A mapping from before they were kept has neither.
	Wrote map[Field]string   `json:"wrote,omitempty"`
	Tried map[Field][]string `json:"tried,omitempty"`
	// Left are the fields that somebody changed in the CRM, as of the last sync.
	Left []Field `json:"left,omitempty"`
	// Asked is the digest of our value for which a person was last asked whether it
	// is to be written over what somebody changed.
	Asked map[Field]string `json:"asked,omitempty"`

	// Owner is the fresh random token of the claim in force, "" if none is.
	Owner string `json:"owner,omitempty"`
	// Attempt counts claims of this row; it fences a late holder.
	Attempt int64 `json:"attempt"`
	// InFlightUntil is when the claim lapses. It covers the call, the clock
	// skew and Capabilities.InFlight after an unknown outcome. Zero if no
	// claim is in force.
	InFlightUntil utc.Time `json:"in_flight_until,omitzero"`

	// Transition counts state transitions; audit records carry its value.
	Transition int64 `json:"transition"`
	// Version is raised by every write.
	Version   int64    `json:"version"`
	CreatedAt utc.Time `json:"created_at,omitzero"`
	UpdatedAt utc.Time `json:"updated_at,omitzero"`
}
