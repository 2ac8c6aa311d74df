// Package contact holds the person (or business) Onefold knows, the keys by
// which it is found, and its enquiries.
//
// Its invariant: one contact per identity key under the identity rule in
// force. The key's item in the ledger is the arbiter; a contact only lists
// its keys for people to read.
package contact

import "onefold/internal/utc"

// The statuses of a contact.
const (
	Active = "active"
	Merged = "merged" // into MergedInto: its keys are read through it
	Erased = "erased" // nothing personal is left
)

// Contact is one person.
type Contact struct {
	Tenant     string   `json:"tenant"`
	ID         string   `json:"id"`
	Status     string   `json:"status"`
	MergedInto string   `json:"merged_into,omitempty"`
	MergedAt   utc.Time `json:"merged_at,omitzero"`
	Email      string   `json:"email,omitempty"` // as first written, for people and the CRM
	Name       string   `json:"name,omitempty"`
	Company    string   `json:"company,omitempty"`
	Phone      string   `json:"phone,omitempty"`
	Keys       []string `json:"keys,omitempty"` // kind:value of each key put for it
	// Absorbed are all contacts that lead to this one by merges, directly or
	// through each other.
	Absorbed []string `json:"absorbed,omitempty"`
	// Reach rises whenever other addresses than before lead to this contact: an
	// alias, a merge, a split. Who decides on a person's addresses makes it a
	// condition; 0 is stored as no attribute.
	Reach int64 `json:"reach,omitempty"`

	// LikelySame is a contact that has the same phone number and name: a suggestion
	// for a person, by which nothing is matched.
	LikelySame string `json:"likely_same,omitempty"`

	// ConsentVersion rises with every opt-out of this person. A send claims
	// under the version that its intent was decided with.
	ConsentVersion int64 `json:"consent_version"`
	// Revision rises when a field that the CRM holds changes.
	Revision int64 `json:"revision"`

	FromEvent  string   `json:"from_event"` // the event that made it
	CreatedAt  utc.Time `json:"created_at"`
	Transition int64    `json:"transition"`
	Version    int64    `json:"version,omitempty"`
}

// Key is one identity key: the item whose existence makes its contact the
// only one.
type Key struct {
	Tenant       string   `json:"tenant"`
	ID           string   `json:"id"` // of KeyID or EmailKeyID
	Contact      string   `json:"contact"`
	Shared       bool     `json:"shared,omitempty"`   // never identifies one person
	Disputed     bool     `json:"disputed,omitempty"` // a record with another name than the contact's claimed it
	RuleVersion  int64    `json:"rule_version"`       // identity rule it was made under
	CreatedAt    utc.Time `json:"created_at"`
	InboundEvent string   `json:"inbound_event"`
	Version      int64    `json:"version,omitempty"`
}

// The attributes of contacts and keys that several packages write or ask for.
const (
	StatusAttr         = "status"
	KeysAttr           = "keys"
	ReachAttr          = "reach"
	ConsentVersionAttr = "consent_version"
	RevisionAttr       = "revision"
	LikelySameAttr     = "likely_same"

	HolderAttr   = "contact"  // of a key: Key.Contact
	SharedAttr   = "shared"   // of a key
	DisputedAttr = "disputed" // of a key
)

// The kinds of unique keys.
const (
	KindEmail    = "email"
	KindCustomer = "customer"
)

// KindPhone is of keys that identify nobody: a keyed hash of a phone number and a
// first name, with the first contact that had both.
const KindPhone = "phone"

// Enquiry is one request, attached to a contact. A person who writes twice has
// two.
type Enquiry struct {
	Tenant   string   `json:"tenant"`
	Contact  string   `json:"contact"`
	Event    string   `json:"event"`
	Intent   string   `json:"intent_word"`      // the extraction's word for what is wanted
	FollowUp string   `json:"intent,omitempty"` // intent that answers it, or ""
	Subject  string   `json:"subject,omitempty"`
	At       utc.Time `json:"at"`
	Version  int64    `json:"version,omitempty"`
}
