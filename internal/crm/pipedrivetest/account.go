// Package pipedrivetest is a CRM to develop and test against: a server that speaks
// Pipedrive's wire format and enforces what Pipedrive documents. It owns the rule
// that a fake must enforce the property a test relies on: nothing is unique; the
// search is late and takes capitals for small letters; a custom field has a code
// of the account's own; a list of addresses is written whole and has one primary
// entry; what is deleted stays readable for 30 days; the account's tokens of a day
// come to an end.
//
// It is not Pipedrive: it knows persons, their fields and search, notes and
// activities, and no visibility, organizations or formatting of values. What the
// vendor's pages leave open, Options chooses.
//
// Sources, read 2026-12-01: the pages under https://pipedrive.readme.io/docs/ named
// core-api-concepts-rate-limiting, core-api-concepts-http-status-codes,
// core-api-concepts-pagination and pipedrive-api-v2-migration-guide; the OpenAPI
// documents v1 and v2 with their token costs; the tutorial on merging two persons.
package pipedrivetest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options are an account's settings.
type Options struct {
	Token string // the one that is accepted
	// Now is the clock. If nil, time stands still but for Pass.
	Now func() time.Time
	// SearchLag is how long the search does not show a change.
	SearchLag time.Duration
	// Budget is how many tokens a day has; 0 is no limit.
	Budget int
	// PageMost cuts pages shorter than they are asked for; 0 does not.
	PageMost int
	// MergedIsGone: a person that was merged into another answers 404 at once. The
	// pages say that it is removed, and its webhook that it is deleted.
	MergedIsGone bool
}

// Entry is an address or number of a person.
type Entry struct {
	Value   string `json:"value"`
	Primary bool   `json:"primary"`
	Label   string `json:"label"`
}

// Person is one person. A custom field that is empty is not in the map.
type Person struct {
	ID      int64             `json:"id"`
	Name    string            `json:"name"`
	Emails  []Entry           `json:"emails"`
	Phones  []Entry           `json:"phones"`
	Custom  map[string]string `json:"custom_fields"`
	Deleted bool              `json:"is_deleted"`
	Updated time.Time         `json:"update_time"` // of a deleted person, when it was deleted
}

func (p Person) clone() Person {
	p.Emails, p.Phones, p.Custom = slices.Clone(p.Emails), slices.Clone(p.Phones), maps.Clone(p.Custom)
	return p
}

// Note is one note.
type Note struct {
	ID      int64  `json:"id"`
	Content string `json:"content"`
	Person  int64  `json:"person_id"`
	Added   string `json:"add_time"`
	Active  bool   `json:"active_flag"`
}

// Activity is one activity.
type Activity struct {
	ID           int64         `json:"id"`
	Subject      string        `json:"subject"`
	Type         string        `json:"type"`
	Note         string        `json:"note"`
	Person       int64         `json:"person_id"`
	Participants []Participant `json:"participants"`
	DueDate      string        `json:"due_date"`
	DueTime      string        `json:"due_time"`
	Done         bool          `json:"done"`
	Deleted      bool          `json:"is_deleted"`
}

// Participant is a person of an activity.
type Participant struct {
	Person  int64 `json:"person_id"`
	Primary bool  `json:"primary"`
}

// Field is a field of persons.
type Field struct {
	Name   string `json:"field_name"`
	Code   string `json:"field_code"`
	Type   string `json:"field_type"`
	Custom bool   `json:"is_custom_field"`
}

// Account is the CRM. It is an http.Handler, safe for concurrent use.
type Account struct {
	opts Options
	mux  *http.ServeMux
	busy sync.WaitGroup // requests being served

	mu         sync.Mutex // guards what follows; held for a request's whole change
	token      string
	passed     time.Duration
	lastID     int64
	fields     []Field
	persons    []*Person
	notes      []*Note
	activities []*Activity
	seen       map[int64][]Person // versions of a person, the oldest first, that the search may still show
	late       []late
	calls      []Call
	faults     []*Fault
	day        time.Time
	used       int // tokens of that day
}

// New makes an account without records; its own fields of persons are there.
func New(opts Options) *Account {
	if opts.Now == nil {
		still := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		opts.Now = func() time.Time { return still }
	}
	a := &Account{opts: opts, token: opts.Token, lastID: 100, seen: map[int64][]Person{}}
	for _, name := range []string{"name", "emails", "phones"} {
		a.fields = append(a.fields, Field{Name: strings.ToUpper(name[:1]) + name[1:], Code: name, Type: "varchar"})
	}
	a.mux = a.routes()
	return a
}

func (a *Account) now() time.Time { return a.opts.Now().Add(a.passed) }

func (a *Account) id() int64 { a.lastID++; return a.lastID }

func (a *Account) person(id int64) *Person {
	if n := slices.IndexFunc(a.persons, func(p *Person) bool { return p.ID == id }); n >= 0 {
		return a.persons[n]
	}
	return nil
}

// live is a person that is there and not deleted.
func (a *Account) live(id int64) *Person {
	if p := a.person(id); p != nil && !p.Deleted {
		return p
	}
	return nil
}

// saved notes a version of a person, which the search shows later.
func (a *Account) saved(p *Person, at time.Time) {
	p.Updated = at.UTC()
	a.seen[p.ID] = append(a.seen[p.ID], p.clone())
}

func (a *Account) code(name string) string {
	for _, f := range a.fields {
		if f.Custom && f.Name == name {
			return f.Code
		}
	}
	return ""
}

func (a *Account) field(name, kind string) Field {
	f := Field{Name: name, Code: fmt.Sprintf("%040x", uint64(a.id())*0x9e3779b97f4a7c15), Type: kind, Custom: true}
	a.fields = append(a.fields, f)
	return f
}
