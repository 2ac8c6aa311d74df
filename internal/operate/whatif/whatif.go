// Package whatif decides stored events again under another policy and reports
// what would have become of each. It uses what the first decision had read, which
// is kept with the event, so every difference comes from the policy.
//
// Its invariants: it writes nothing, for the ports that it is given cannot; and
// every event of the window is counted under exactly one heading. Before it
// speaks of another policy it decides each event under its own once more: where
// that does not give what was decided then, the program is at fault and no
// difference is reported.
//
// Each event is decided by itself, on the ledger as it really was then: what an
// earlier event would have left behind under the other policy is not played. It
// asks no reader. Where something would have to be known that was never read, it
// says that it cannot tell.
package whatif

import (
	"context"
	"errors"

	"onefold/internal/blob"
	"onefold/internal/decide"
	"onefold/internal/decide/content"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// Store is the part of a ledger that a replay reads.
type Store interface {
	GetMany(ctx context.Context, keys []ledger.Key) ([]ledger.Item, error)
	List(ctx context.Context, parent ledger.Key, cursor string, limit int) (ledger.Page, error)
	Scan(ctx context.Context, s ledger.Scan) (ledger.Page, error)
}

// Content is the part of the raw content's store that a replay reads.
type Content interface {
	Get(ctx context.Context, ref blob.Ref) ([]byte, error)
}

// Policies gives a version as it was in force.
type Policies interface {
	Version(ctx context.Context, tenantID string, version int64) (tenant.Policy, error)
}

// ErrContent means that the raw content could not be asked for. Whoever replays
// looks at his rights to it, or tries again.
var ErrContent = errors.New("whatif: the raw content cannot be read")

// Replayer decides again. All fields are needed.
type Replayer struct {
	Store    Store
	Content  Content
	Policies Policies
	IDs      digest.Key
	// Facts reads raw content by rule, as whoever decides does.
	Facts func(ids digest.Key, e inbound.Event, raw []byte, p tenant.Policy) content.Facts
}

// Options say what is decided again.
type Options struct {
	Policy      tenant.Policy // the other policy; its tenant's events are read
	From, Until utc.Time      // the window of receipt, both included
	// Keep is the most entries of each list of the report, the earliest; 0: all.
	// Counts are of all.
	Keep int
	// Segments is into how many parts the table is cut; 0 is 1. Workers is how many
	// events are decided at once; 0 is 1.
	Segments, Workers int
	// Progress, if given, is called after each page.
	Progress func(Report)
}

// Why it cannot be told what would become of an event.
const (
	NoGround        = "no_ground"               // decided before grounds were kept
	GroundTooLarge  = "ground_too_large"        // more than decide.MaxGround was read
	GroundDamaged   = "ground_unreadable"       // damaged, or kept by later code
	ContentGone     = "content_gone"            // the raw content is not there any more, or not what it was
	PolicyGone      = "policy_gone"             // its own policy version is not stored, or is none any more
	ReadingGone     = "reading_gone"            // the reader's answer is not there any more
	ParserChanged   = "parser_changed"          // the reading of the mail changed, not the policy
	ReadingMissing  = "reading_missing"         // the policy needs an answer that no reader was asked for
	IdentityDiffers = "identity_rule_differs"   // under its identity rule the person has a key that was not read
	PersonNotRead   = "person_not_read"         // it makes the event somebody's that nothing was read of
	ContactNotRead  = "contact_not_read"        // it makes the event a contact's that was not read
	OtherContact    = "other_contact_unknown"   // the event is another contact's, and what hung on that one then is not known
	OtherRule       = "other_rule_unknown"      // another rule answers, and what it had done then is not known
	ThreadNotRead   = "thread_or_caps_not_read" // it counts against bounds, or answers mails, that were not read
	NotDecidable    = "not_decidable"           // the policy itself fails on the event
)

// Report is what a replay came to. Seen is the sum of Undecided, Same, Changed,
// Untold and Faults.
type Report struct {
	Tenant  string   `json:"tenant"`
	Version int64    `json:"version"` // of the other policy
	From    utc.Time `json:"from"`
	Until   utc.Time `json:"until"`

	Seen      int `json:"seen"`      // events received in the window
	Undecided int `json:"undecided"` // not decided yet, or parked
	Same      int `json:"same"`
	Changed   int `json:"changed"`
	Untold    int `json:"cannot_tell"`
	Faults    int `json:"faults"` // decided otherwise under their own policy

	// Reasons counts what cannot be told by its reason.
	Reasons map[string]int `json:"cannot_tell_reasons"`
	Groups  []Group        `json:"groups"` // the most first

	// The lists are in the order of receipt.
	Changes   []Change   `json:"changes"`
	UntoldOf  []Untold   `json:"cannot_tell_events"`
	FaultList []Baseline `json:"fault_events"`

	// Complete is false where the replay was interrupted: then the counts are of
	// the Rows read so far, in Segment of Segments.
	Complete bool `json:"complete"`
	Rows     int  `json:"rows"`
	Segment  int  `json:"segment"`
	Segments int  `json:"segments"`
}

// Group is changes of one kind.
type Group struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Change is one event that would have come to something else. It holds
// identifiers and machine words alone.
type Change struct {
	Event      string       `json:"event"`
	ReceivedAt utc.Time     `json:"received_at"`
	From       Side         `json:"from"`
	To         Side         `json:"to"`
	Differs    []Difference `json:"differs"`
}

// Side is what one policy made of an event.
type Side struct {
	Policy      int64    `json:"policy_version"`
	Outcome     string   `json:"outcome"`
	Reasons     []string `json:"reasons"`
	Contact     string   `json:"contact,omitempty"` // new or matched
	Rule        string   `json:"rule,omitempty"`    // of the follow-up that was made
	RuleVersion int64    `json:"rule_version,omitempty"`
	Mode        string   `json:"mode,omitempty"`
}

// Difference is one thing that differs, in machine words.
type Difference struct {
	What string `json:"what"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// Untold is one event of which it cannot be told.
type Untold struct {
	Event      string   `json:"event"`
	ReceivedAt utc.Time `json:"received_at"`
	Reason     string   `json:"reason"`
}

// Baseline is one event that is decided otherwise than it was, under the very
// policy and on the very ground.
type Baseline struct {
	Event      string   `json:"event"`
	ReceivedAt utc.Time `json:"received_at"`
	Then       Side     `json:"then"`
	Now        Side     `json:"now"`
}

func sideOf(policy int64, v decide.Verdict) Side {
	s := Side{Policy: policy, Outcome: v.Outcome, Reasons: append([]string{}, v.Reasons...), Contact: v.Contact}
	if v.Made != nil {
		s.Rule, s.RuleVersion, s.Mode = v.Made.Rule, v.Made.Version, v.Made.Mode
	}
	return s
}
