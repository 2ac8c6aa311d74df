package crmtest

import (
	"testing"
	"time"
)

// Fields of a record, by the port's words. A vendor that keeps a name in two
// parts gives them joined by a space.
const (
	Email   = "email"
	Name    = "name"
	Company = "company"
	Phone   = "phone"
	Body    = "body"  // of a note
	Title   = "title" // of a task
	Done    = "done"  // of a task: "yes" or ""
)

// Kind is what a record is.
type Kind string

// The kinds that an adapter writes.
const (
	Contacts Kind = "contacts"
	Notes    Kind = "notes"
	Tasks    Kind = "tasks"
)

// Record is one record as the vendor has it.
type Record struct {
	ID       string
	Values   map[string]string // by field; empty ones left out
	Contacts []string          // IDs of the contacts that a note or task is filed on
	Content  any               // all that the vendor keeps of it but for IDs and times; only compared
}

// Fault is what one request of the adapter meets.
type Fault struct {
	Name string
	// Refusal: the vendor says that it did nothing and that the same will pass
	// later. Of every other fault the adapter cannot know whether it was written.
	Refusal bool
}

// Call is one request that the vendor got.
type Call struct {
	Reads    bool // it can change nothing
	Answered bool // false: the connection was cut
}

// Vendor is the vendor's side of one test: its API on loopback, and what people
// of that CRM and its network do. An adapter's test makes it of the adapter's
// fake; a fake has to enforce what its vendor documents, or the suite proves
// nothing. Records that are archived are not listed. Every method fails the test
// for what the fake cannot do.
type Vendor interface {
	// URL is where the adapter finds the API.
	URL() string
	// Put makes a contact without Onefold's reference, as a person of the CRM
	// would, and gives its ID.
	Put(t testing.TB, values map[string]string) string
	// Edit changes fields as a person of the CRM would.
	Edit(t testing.TB, kind Kind, id string, values map[string]string)
	// Archive takes a contact away as a person of the CRM would.
	Archive(t testing.TB, id string)
	Records(kind Kind) []Record
	Calls() []Call
	// Faults are those that this vendor can have.
	Faults() []Fault
	// Meet has a request meet a fault, after skip others have passed.
	Meet(f Fault, skip int)
	// Throttle has the next request refused for the rate, to be tried again after
	// the seconds that it returns.
	Throttle() (seconds int)
	// Hold has the next write wait in the vendor until the channel is closed, and
	// then take effect whether its caller is still there or not. entered is called
	// when it waits.
	Hold(until <-chan struct{}, entered func())
	// Pass lets time go by in the vendor: what was written before is found by its
	// search. Used of a vendor whose adapter declares an IndexLag.
	Pass(d time.Duration)
	// Idle waits until no request is under way.
	Idle()
	// RefuseToken has the adapter's credentials refused from now on.
	RefuseToken()
	// Stop closes the API's port.
	Stop()
}
