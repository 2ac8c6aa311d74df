// Package followup holds the intent (the one follow-up that a rule allows for
// a cause), its attempts and the cadence of a contact.
//
// Its invariants: an intent's ID is the keyed hash of tenant, cause, rule and
// rule version, so that neither a merge, a relink, a replay nor a second
// mailbox makes a second one; and what is sent is the content whose hash was
// approved, or nothing.
package followup

import (
	"strconv"

	"onefold/internal/digest"
	"onefold/internal/utc"
)

// ReasonRefused is the reason of an intent that a person refused.
const ReasonRefused = "person_said_no"

// IntentID names the one intent of a cause under a rule version. It is the
// primary key, the provider tag and the uniqueness rule in one.
func IntentID(key digest.Key, tenant, cause, rule string, ruleVersion int64) string {
	return key.ID("intent", tenant, cause, rule, strconv.FormatInt(ruleVersion, 10))
}

// Intent is one follow-up.
type Intent struct {
	Tenant      string `json:"tenant"`
	ID          string `json:"id"`
	Cause       string `json:"cause"`
	Rule        string `json:"rule"`
	RuleVersion int64  `json:"rule_version"`
	Mode        string `json:"mode"`
	Scope       string `json:"scope"`
	Contact     string `json:"contact"`
	Event       string `json:"event"` // the event that made it
	Guard       string `json:"guard"` // guard ID of the recipient

	State      string `json:"state"`
	Transition int64  `json:"transition"`
	Reason     string `json:"reason,omitempty"` // why it is where it is, a machine word

	// The mail, rendered when it was decided.
	From             string `json:"mail_from"`
	ReplyTo          string `json:"mail_reply_to,omitempty"`
	Recipient        string `json:"recipient"`
	Subject          string `json:"subject"`
	Text             string `json:"text"`
	InReplyTo        string `json:"in_reply_to,omitempty"`
	References       string `json:"references,omitempty"`
	ConfigurationSet string `json:"configuration_set,omitempty"`
	TemplateVersion  int64  `json:"template_version"`
	ContentHash      string `json:"content_hash"`

	// ApprovedHash is the content that a person approved; in auto mode the
	// policy did.
	ApprovedHash string   `json:"approved_hash,omitempty"`
	ApprovedBy   string   `json:"approved_by,omitempty"`
	ApprovedAt   utc.Time `json:"approved_at,omitzero"`
	Review       string   `json:"review,omitempty"`

	ConsentVersion int64    `json:"consent_version"` // of the contact, when decided
	NotAfter       utc.Time `json:"not_after,omitzero"`
	SendWithin     int64    `json:"send_within_ms"` // from the decision, or from an approval
	QuietPeriod    int64    `json:"quiet_period_ms"`
	OnUnknown      string   `json:"on_unknown"`
	UnknownWithin  int64    `json:"unknown_within_ms"`

	// The latest claim.
	Owner      string   `json:"owner,omitempty"`
	Attempt    int64    `json:"attempt,omitempty"`
	LeaseUntil utc.Time `json:"lease_until,omitzero"`
	// Timer is the operation of the latest claim, which evidence ends with the
	// intent.
	Timer string `json:"timer,omitempty"`
	// UnknownSince is when the latest outcome was lost.
	UnknownSince utc.Time `json:"unknown_since,omitzero"`
	// Resends counts claims that were made although an earlier outcome was
	// unknown, because a person or the policy accepted a possible duplicate.
	Resends int64 `json:"resends,omitempty"`

	MessageID  string   `json:"message_id,omitempty"`
	AcceptedAt utc.Time `json:"accepted_at,omitzero"`
	CreatedAt  utc.Time `json:"created_at"`
	ContactRef string   `json:"contact_ref,omitempty"`
	Version    int64    `json:"version,omitempty"`
}

// The attributes of intents, attempts and cadence that several packages write
// or ask for.
const (
	ContentHashAttr  = "content_hash"
	ApprovedHashAttr = "approved_hash"
	ResendsAttr      = "resends"
	MessageIDAttr    = "message_id"
	AcceptedAtAttr   = "accepted_at"

	// Of an intent and of its attempt.
	OwnerAttr      = "owner"
	AttemptAttr    = "attempt"
	LeaseUntilAttr = "lease_until"

	SettledAtAttr = "settled_at" // of an attempt

	SendingIntentAttr = "sending_intent" // of a cadence
	QuietUntilAttr    = "quiet_until"    // of a cadence
)

// HashContent is the hash that an approval binds: everything the recipient
// would see and to whom it goes.
func (i Intent) HashContent() string {
	return digest.Parts("mail", i.From, i.ReplyTo, i.Recipient, i.Subject, i.Text, i.InReplyTo, i.References)
}

// Attempt is one submission, written down before it is made.
type Attempt struct {
	Tenant     string   `json:"tenant"`
	Intent     string   `json:"intent"`
	Number     int64    `json:"attempt"`
	Owner      string   `json:"owner"`
	State      string   `json:"state"`
	Transition int64    `json:"transition"`
	ClaimedAt  utc.Time `json:"claimed_at"`
	LeaseUntil utc.Time `json:"lease_until"`
	SettledAt  utc.Time `json:"settled_at,omitzero"`
	// ResendAccepted says that an earlier attempt's outcome was unknown when this
	// one was claimed, and who or what accepted a possible duplicate.
	ResendAccepted string `json:"resend_accepted,omitempty"`

	MessageID string `json:"message_id,omitempty"`
	RequestID string `json:"request_id,omitempty"`
	Reason    string `json:"reason,omitempty"`
	// Evidence from the provider's events, whenever it came.
	SentAt       utc.Time `json:"sent_at,omitzero"`
	DeliveredAt  utc.Time `json:"delivered_at,omitzero"`
	BouncedAt    utc.Time `json:"bounced_at,omitzero"`
	ComplainedAt utc.Time `json:"complained_at,omitzero"`
	Version      int64    `json:"version,omitempty"`
}

// Cadence is the slot of a contact under a rule: which intent later causes
// fold into, and who mailed last.
type Cadence struct {
	Tenant    string   `json:"tenant"`
	Contact   string   `json:"contact"`
	Rule      string   `json:"rule"`
	Intent    string   `json:"intent"`
	FoldUntil utc.Time `json:"fold_until,omitzero"`
	// SendingIntent has the quiet period: no other intent of this rule is
	// claimed for this contact before QuietUntil.
	SendingIntent string   `json:"sending_intent,omitempty"`
	QuietUntil    utc.Time `json:"quiet_until,omitzero"`
	Version       int64    `json:"version,omitempty"`
}

// ProviderMessage finds the intent of a message ID of the provider.
type ProviderMessage struct {
	Tenant  string   `json:"of_tenant"`
	Intent  string   `json:"intent"`
	Attempt int64    `json:"attempt"`
	At      utc.Time `json:"at"`
}
