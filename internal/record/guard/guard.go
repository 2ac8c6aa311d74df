// Package guard is the address guard: the row that holds everything that can stop
// mail to an address.
//
// Its invariant: when in doubt it blocks. A stop of unknown reason counts as the
// person's own wish, and nothing here lifts a stop or a hold.
package guard

import "onefold/internal/utc"

// Guard is everything that can stop mail to one address, in one item, so that
// a send can make its absence a condition of its claim.
//
// The item's key is the keyed hash of the wide suppression key; the readable
// address is an attribute that erasure removes. Stops are attributes of their
// own, one per scope, because a condition sees attributes and not what is
// inside them.
type Guard struct {
	Tenant  string `json:"tenant"`
	ID      string `json:"id"`
	Address string `json:"address,omitempty"`

	// Stops: attribute "stop_" and scope, with the time it was committed.
	// StopAll stops every scope.
	StopAll utc.Time `json:"stop_all,omitzero"`
	// StopFollowUp stops the scope of follow-ups.
	StopFollowUp utc.Time `json:"stop_follow_up,omitzero"`
	// Hold is a doubtful opt-out or a report that nothing proves: nothing goes
	// until a person has looked.
	Hold       utc.Time `json:"hold,omitzero"`
	HoldReview string   `json:"hold_review,omitempty"`
	Reason     string   `json:"reason,omitempty"` // opt_out, bounce, complaint, person
	Bounces    int64    `json:"bounces,omitempty"`
	Complaints int64    `json:"complaints,omitempty"`
	ErasedAt   utc.Time `json:"erased_at,omitzero"`

	Transition int64 `json:"transition"`
	Version    int64 `json:"version,omitempty"`
}

// The attributes of a guard besides its stops (StopAttr).
const (
	AddressAttr    = "address"
	HoldAttr       = "hold"
	HoldReviewAttr = "hold_review"
	ReasonAttr     = "reason"
	BouncesAttr    = "bounces"
	ComplaintsAttr = "complaints"
	ErasedAtAttr   = "erased_at"
)

// Reasons of a stop.
const (
	ReasonOptOut    = "opt_out"
	ReasonBounce    = "bounce"
	ReasonComplaint = "complaint"
	ReasonPerson    = "person"
)

// StopReason is the reason that a stopped address carries when another comes.
// A bounce may be lifted once the address works again; what a person said is
// not to be lifted with it. So words of a person take the place of a bounce,
// and nothing takes theirs.
func StopReason(said, reason string) string {
	if said == "" || said == ReasonBounce {
		return reason
	}
	return said
}

// StopAttr is the attribute that stops a scope.
func StopAttr(scope string) string { return "stop_" + scope }

// ScopeAll is the scope whose stop holds for every scope.
const ScopeAll = "all"

// Blocks says what in the guard forbids mail of a scope now: a machine word,
// or "" when nothing does. stops are the item's own attributes, since a scope
// may be one that this code does not know by name. A nil guard blocks nothing.
func Blocks(attrs map[string]any, scope string) string {
	if attrs == nil {
		return ""
	}
	if v, _ := attrs[StopAttr(ScopeAll)].(string); v != "" {
		return "suppressed_all"
	}
	if v, _ := attrs[StopAttr(scope)].(string); v != "" {
		return "suppressed_" + scope
	}
	if v, _ := attrs[HoldAttr].(string); v != "" {
		return "opt_out_in_doubt"
	}
	return ""
}
