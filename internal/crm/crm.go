// Package crm is the port to a customer-relations system. It owns the
// outcomes of a write there and what an adapter must declare about its
// vendor, so that nobody has to guess whether a repeated call doubles a
// record.
package crm

import (
	"context"
	"errors"
	"time"
)

// Contact is what Onefold knows of a person, as sent to the CRM. Ref is
// Onefold's own contact ID and the external reference there.
type Contact struct {
	Ref string
	// Revision rises with each change of the contact: of two it tells the newer.
	Revision int64
	Email    string // the contact's first e-mail address
	Name     string
	Company  string
	Phone    string
	// Former are the references of contacts that were merged into this one. A
	// record that carries one of them is this contact's, and gets Ref.
	Former []string
	Last   Last // what was written of it before
}

// Note is an enquiry, filed on a contact. Ref is unique per event.
type Note struct {
	Ref       string
	ContactID string // the CRM's ID of the contact
	At        time.Time
	Body      string
}

// Task asks a person to act on an enquiry. Ref is unique per event.
type Task struct {
	Ref       string
	ContactID string
	Due       time.Time
	Title     string
	Body      string
}

// Outcome is what is known after one operation.
type Outcome string

// The outcomes of an operation.
const (
	// Done: the CRM confirmed it; ID names the record.
	Done Outcome = "done"
	// Refused: a known refusal that will be the same next time.
	Refused Outcome = "refused"
	// Busy: a known refusal that passes (rate limit, lock). Nothing written.
	Busy Outcome = "busy"
	// NotBegun: no connection was obtained. Nothing written.
	NotBegun Outcome = "not_begun"
	// Conflict: the CRM holds something that only a person can resolve, such
	// as two records for one reference. Nothing written.
	Conflict Outcome = "conflict"
	// Unknown: everything else; it may have been written, and may still be.
	Unknown Outcome = "unknown"
)

// Result is the outcome with what the CRM said.
type Result struct {
	Outcome    Outcome
	ID         string // the CRM's record ID, when done
	Adopted    bool   // an existing record was linked rather than made
	Created    bool   // a record was made by this call, or by the first of its idempotency key
	Reason     string // a machine word; no free text of the vendor
	RetryAfter time.Duration
	// Left are the fields that somebody changed in the CRM and that this call left
	// as they are (Contact.Change).
	Left []Field
	// Account: the fault is the account's, and every other call would meet it:
	// the token is refused, the account's limit is reached, no connection was
	// obtained. An adapter sets it with Refused, Busy and NotBegun alone: nothing
	// was written.
	Account bool
}

// Repeat is why a second call with one reference makes no second record.
type Repeat string

// The answers of a vendor to a repeated call.
const (
	// ByReference: the vendor keeps the reference unique and makes the record by
	// it, so that no call, repeated or late, makes a second one.
	ByReference Repeat = "reference"
	// ByLooking: the adapter looks for the reference before it makes the record.
	// It finds what was made IndexLag before; two calls at once make two records.
	ByLooking Repeat = "looking"
	// ByIdempotencyKey: the receiver answers a repeat as it did the first call, for
	// as long as KeyLife.
	ByIdempotencyKey Repeat = "idempotency_key"
	// Never: a record that may have been made cannot be found again.
	Never Repeat = "never"
)

// Capabilities is what an adapter declares of its vendor, with its source in
// the adapter's documentation. What a worker does about an unknown outcome
// follows from it alone: it calls again with the same reference, InFlight later
// or, for ByLooking, IndexLag after that; once KeyLife is over for
// ByIdempotencyKey, and at once for Never, a person is asked.
type Capabilities struct {
	Name string // "hubspot"

	Contacts, Notes, Tasks Repeat // Contacts is not Never

	// IndexLag is how long after a write a look may not show it.
	IndexLag time.Duration
	// InFlight is how long a request may still take effect inside the vendor
	// after its caller gave up.
	InFlight time.Duration
	KeyLife  time.Duration
	// EditLost is how long between the look at a record and the write a person's
	// edit of a field that is written can be lost; 0 if the vendor refuses a write
	// on what changed since. CannotLook: the adapter never sees a record, and sends
	// the fields in which the contact differs from what was last written.
	EditLost time.Duration

	Calls  Calls
	Secret string // what the tenant's secret crm/TENANT holds, and who makes it
	Facts  []Fact
}

// Calls are the HTTP calls that each operation makes when nothing goes wrong and
// the adapter is at work already. The least possible is 1 for a new contact, a note
// and a task (an upsert by the reference), 2 for an adopted and a changed one (a
// look, a write), 1 where nothing is to be written.
type Calls struct{ New, Adopted, Changed, Unchanged, Note, Task int }

// Fact is something that what is declared rests on.
type Fact struct {
	Says string
	// Source is the vendor's page with the day it was read, "" for an assumption of
	// ours, which then is on the safe side.
	Source string
}

// CannotLook is the EditLost of an adapter that cannot read a record.
const CannotLook time.Duration = -1

// CRM writes to one account. Each method is one logical operation, may make
// several HTTP calls, makes each at most once, honours the deadline, and
// never returns an error: every fault is an outcome. The caller answers Unknown
// as Capabilities tells.
type CRM interface {
	Capabilities() Capabilities
	// UpsertContact makes or updates the record whose external reference is
	// c.Ref. knownID is the CRM's ID if it is known, else "". Where no record
	// has the reference but one has the e-mail address, that one is adopted:
	// the reference is written to it, unless it carries another reference that
	// is not one of c.Former (Conflict). Of a record that exists, what c.Change
	// says is written.
	UpsertContact(ctx context.Context, c Contact, knownID string) Result
	UpsertNote(ctx context.Context, n Note) Result
	// Look is the cheapest read of the account: Done where it answers with the
	// rights that writing a contact needs. It writes nothing.
	Look(ctx context.Context) Result
	UpsertTask(ctx context.Context, t Task) Result
}

// Vendor is a CRM as its adapter gives it: with what has to be done once in each
// account.
type Vendor interface {
	CRM
	// SetUp makes in the account what the adapter needs there, such as a property
	// that keeps references unique. Repeating it is safe; a crash leaves a part.
	// An error that is ErrNotUnique stays until a person has acted there.
	SetUp(ctx context.Context) error
}

// ErrNotUnique means that a property of the name that holds references exists
// and does not keep them unique: a person archives and renames it, and SetUp can
// run again.
var ErrNotUnique = errors.New("crm: the property exists but is not unique")
