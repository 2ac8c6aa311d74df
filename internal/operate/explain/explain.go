// Package explain tells, from the ledger alone, what happened and why: why
// somebody got two mails, and why somebody got none.
//
// Its invariant: it reads and never writes, and every sentence comes from a
// row or a record that it names. Personal values are shown only when the
// query was that very address, and come from the rows as they are now; the
// audit holds none.
//
// It refuses to guess: a word that it has no sentence for is shown as it is,
// and where a list was cut it says so.
package explain

import (
	"context"
	"errors"
	"fmt"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/record/audit"
	"onefold/internal/utc"
)

// Query says what is asked about: exactly one of Email, Event, Intent and
// Message.
type Query struct {
	Tenant  string // needed but for Message
	Email   string // an address as written
	Event   string // event ID
	Intent  string // intent ID
	Message string // provider message ID

	// Provider is that of Message; "" is "ses".
	Provider string
	// Policy gives the tenant's policy, whose identity rule says which key an
	// address has. Needed for Email.
	Policy func(ctx context.Context, tenantID string) (tenant.Policy, error)
}

// ErrQuery means that a query names nothing, more than one thing, or no
// tenant. The caller asks again.
var ErrQuery = errors.New("explain: ask for one of email, event, intent and message, with a tenant")

// ErrNoSuch means that there is no such event, intent or message. An address
// that nobody knows is no error: the timeline says so.
var ErrNoSuch = errors.New("explain: no such event, intent or message")

// Timeline is the whole answer. The names in its JSON form are stable.
type Timeline struct {
	Tenant string `json:"tenant"`
	Asked  string `json:"asked"` // email, event, intent or message
	About  string `json:"about"` // the words that were asked for
	// Known tells whether anything was found. Of an address: whether a contact
	// or an open question has it.
	Known      bool        `json:"known"`
	Summary    []string    `json:"summary"`
	Guard      *Guard      `json:"guard,omitempty"`
	Contacts   []Contact   `json:"contacts,omitempty"`
	Events     []Event     `json:"events,omitempty"`
	Intents    []Intent    `json:"intents,omitempty"`
	Operations []Operation `json:"operations,omitempty"`
	Entries    []Entry     `json:"entries"`
	// Cut tells that there was more than is shown.
	Cut bool `json:"cut,omitempty"`
}

// Guard is what stands against mail to the address.
type Guard struct {
	ID         string            `json:"id"`
	Stops      map[string]string `json:"stops,omitempty"` // scope → since when
	Hold       utc.Time          `json:"hold,omitzero"`
	Reason     string            `json:"reason,omitempty"`
	Bounces    int64             `json:"bounces,omitempty"`
	Complaints int64             `json:"complaints,omitempty"`
	ErasedAt   utc.Time          `json:"erased_at,omitzero"`
	Elsewhere  string            `json:"elsewhere,omitempty"` // what the person's other addresses have against mail, a machine word
	Says       string            `json:"says"`
}

// Contact is a contact that was found.
type Contact struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	MergedInto string `json:"merged_into,omitempty"`
	Email      string `json:"email,omitempty"` // only if asked by address
	Consent    int64  `json:"consent_version"`
	LikelySame string `json:"likely_same,omitempty"` // another contact, which has the same phone number and name
}

// Event is an event with what became of it.
type Event struct {
	ID         string   `json:"id"`
	Label      string   `json:"label"` // E1, E2 … in the order of receipt
	ReceivedAt utc.Time `json:"received_at"`
	State      string   `json:"state"`
	Outcome    string   `json:"outcome,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
	Deliveries int      `json:"deliveries"`
	Tries      int64    `json:"tries"` // claims by a worker
	Contact    string   `json:"contact,omitempty"`
	Intent     string   `json:"intent,omitempty"`
	Task       string   `json:"task,omitempty"`
	Says       string   `json:"says"`
}

// Intent is a follow-up with its attempts.
type Intent struct {
	ID          string    `json:"id"`
	Label       string    `json:"label"` // I1, I2 …
	Rule        string    `json:"rule"`
	RuleVersion int64     `json:"rule_version"`
	Mode        string    `json:"mode"`
	Event       string    `json:"event"`
	Contact     string    `json:"contact"`
	Recipient   string    `json:"recipient,omitempty"` // only if asked by address
	State       string    `json:"state"`
	Reason      string    `json:"reason,omitempty"`
	ApprovedBy  string    `json:"approved_by,omitempty"`
	Attempts    []Attempt `json:"attempts,omitempty"`
	Says        string    `json:"says"`

	guard string
}

// Attempt is one submission.
type Attempt struct {
	Number         int64    `json:"attempt"`
	State          string   `json:"state"`
	ClaimedAt      utc.Time `json:"claimed_at"`
	SettledAt      utc.Time `json:"settled_at,omitzero"`
	MessageID      string   `json:"message_id,omitempty"`
	Reason         string   `json:"reason,omitempty"`
	ResendAccepted string   `json:"resend_accepted,omitempty"`
	SentAt         utc.Time `json:"sent_at,omitzero"`
	DeliveredAt    utc.Time `json:"delivered_at,omitzero"`
	BouncedAt      utc.Time `json:"bounced_at,omitzero"`
	ComplainedAt   utc.Time `json:"complained_at,omitzero"`
	Says           string   `json:"says"`
}

// Operation is one piece of work outside, as it stands.
type Operation struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	State    string   `json:"state"`
	Reason   string   `json:"reason,omitempty"`
	Attempts int64    `json:"attempts"` // of send_intent: submissions of its follow-up
	Nudges   int64    `json:"nudges,omitempty"`
	CRMID    string   `json:"crm_id,omitempty"`
	DueAt    utc.Time `json:"due_at,omitzero"`
	Event    string   `json:"event,omitempty"`
	Intent   string   `json:"intent,omitempty"`
}

// Entry is one thing that happened.
type Entry struct {
	At         utc.Time          `json:"at"`
	Noun       string            `json:"noun"`
	ID         string            `json:"id"`
	Transition int64             `json:"transition,omitempty"` // 0 of what is no transition
	Happened   string            `json:"event"`                // machine word
	From       string            `json:"from,omitempty"`
	To         string            `json:"to,omitempty"`
	By         string            `json:"by,omitempty"`
	Reasons    []string          `json:"reasons,omitempty"` // machine words
	What       string            `json:"what"`              // the same in plain words
	Event      string            `json:"inbound_event,omitempty"`
	Intent     string            `json:"intent,omitempty"`
	Contact    string            `json:"contact,omitempty"`
	Message    string            `json:"message,omitempty"`
	Details    map[string]string `json:"details,omitempty"`
}

// Explain gathers what the ledger knows and puts it in order. It follows
// indexes that may lag by a moment; what it names it reads from the rows.
func Explain(ctx context.Context, store ledger.Store, ids digest.Key, q Query) (Timeline, error) {
	t, err := q.begin()
	if err != nil {
		return t, err
	}
	g := newGatherer(ctx, store, q.Tenant)
	if err := g.start(ids, q, &t); err != nil {
		return t, err
	}
	if err := g.follow(); err != nil {
		return t, err
	}
	g.fill(&t, q.Email != "")
	g.entries(&t)
	t.summarise(g)
	return t, nil
}

func (q Query) begin() (Timeline, error) {
	t := Timeline{Tenant: q.Tenant, Summary: []string{}, Entries: []Entry{}}
	for name, words := range map[string]string{"email": q.Email, "event": q.Event, "intent": q.Intent, "message": q.Message} {
		if words == "" {
			continue
		}
		if t.Asked != "" {
			return t, ErrQuery
		}
		t.Asked, t.About = name, words
	}
	if t.Asked == "" || (q.Tenant == "" && q.Message == "") || (q.Email != "" && q.Policy == nil) {
		return t, ErrQuery
	}
	return t, nil
}

// record is one audit record with where it is kept.
type record struct {
	audit.Record
	key ledger.Key
}

func noSuch(what string) error { return fmt.Errorf("%w: %s", ErrNoSuch, what) }
