// Package salesforcetest is a CRM to develop and test against: a server that speaks
// the wire of Salesforce's REST API and enforces what Salesforce documents. It owns
// the rule that a fake must enforce the property a test relies on: external IDs that
// are unique, also when two writes race between match and save; last names that are
// needed; lengths; duplicate rules; conditional writes counted in seconds; fields
// that nobody sees before field-level security shows them; queries that are refused
// where Salesforce refuses them; sessions that end.
//
// It is not Salesforce: it knows contacts and tasks, no triggers, person accounts or
// record types, of sharing that a record can be hidden, and of SOQL one form
// (soql.go), beyond which it answers 501.
//
// Sources, read 2026-12-01, under https://developer.salesforce.com/docs/ :
// platform/api-rest/guide/errorcodes (statuses, the list of errors), dome-upsert and
// resources-sobject-upsert-patch (201, 200, 300, updateOnly; the external ID not in
// the body), intro-rest-conditional-requests (412; 400 for a date that is none),
// headers-duplicaterules (all false if not given); the Apex guide on upserts (a
// unique field compares without regard to case unless it is case sensitive); the
// SOQL guide's quoted string escapes and comparison operators (text without regard
// to case, but for unique fields that are case sensitive); the Tooling API's
// CustomField. The login is that of help.salesforce.com, remoteaccess_oauth_jwt_flow.
// The loser of two upserts at once gets DUPLICATE_VALUE:
// https://salesforce.stackexchange.com/questions/197382.
//
// Assumed: that an assertion ends within three minutes; the status (400) of errors
// for which no page has one; ENTITY_IS_DELETED with 404 where a path names the record
// and 400 where a field does; that a deleted record's external ID is free; that an
// upsert does not match a hidden record.
package salesforcetest

import (
	"crypto/rsa"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Rule is what the duplicate rule of contacts, equal addresses, does.
type Rule string

// The duplicate rules.
const (
	NoRule Rule = ""
	Alerts Rule = "alert" // refuses unless the request has allowSave=true
	Blocks Rule = "block"
)

// Options are an org's settings.
type Options struct {
	// Who may log in: the key of the app's certificate, its ID, the user that it is
	// approved for, and the audience that an assertion must name.
	Key                          *rsa.PublicKey
	ClientID, Username, Audience string
	// Now is the clock. If nil, time stands still, and each write is a second later.
	Now func() time.Time
	// Customizes: the user may make fields. Grants: it sees them at once.
	Customizes, Grants bool
	Rule               Rule
	// Limit is how many requests the API takes; 0 is no limit.
	Limit int
}

// Record is one contact or task. A field without a value is not in the map.
type Record struct {
	ID       string
	Fields   map[string]string
	Modified time.Time
	Deleted  bool
	Hidden   bool // from the user, by sharing; uniqueness and duplicate rules see it
}

func (r Record) clone() Record { r.Fields = maps.Clone(r.Fields); return r }

// Org is the CRM. It is an http.Handler, safe for concurrent use.
type Org struct {
	opts Options
	busy sync.WaitGroup // requests being served

	mu     sync.Mutex // guards what follows
	ticks  time.Duration
	lastID int
	logins int
	closed bool // to every login
	tokens map[string]bool
	fields map[string][]*Field // by object
	rows   map[string][]*Record
	calls  []Call
	faults []*Fault
}

// The objects.
const (
	Contact = "Contact"
	Task    = "Task"
)

// New makes an org without records, and with the fields that every org has.
func New(opts Options) *Org {
	return &Org{opts: opts, tokens: map[string]bool{}, fields: standard(), rows: map[string][]*Record{}}
}

func (o *Org) locked(do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	do()
}

func (o *Org) now() time.Time {
	if o.opts.Now != nil {
		return o.opts.Now().UTC()
	}
	return time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(o.ticks)
}

func (o *Org) row(object, id string) *Record {
	n := slices.IndexFunc(o.rows[object], func(r *Record) bool { return r.ID == id || len(id) == 15 && strings.HasPrefix(r.ID, id) })
	if n < 0 {
		return nil
	}
	return o.rows[object][n]
}

// live are the records that are not deleted.
func (o *Org) live(object string, is func(*Record) bool) []*Record {
	return slices.DeleteFunc(slices.Clone(o.rows[object]), func(r *Record) bool { return r.Deleted || !is(r) })
}

// seen are those of them that the user sees.
func (o *Org) seen(object string, is func(*Record) bool) []*Record {
	return o.live(object, func(r *Record) bool { return !r.Hidden && is(r) })
}

// save checks a record with changed fields against the org's rules, then keeps it.
// A record without an ID is new.
func (o *Org) save(object string, of *Record, change map[string]string, header http.Header) (*Record, *failure) {
	next := of.clone()
	if next.Fields == nil {
		next.Fields = map[string]string{}
	}
	for name, value := range change {
		if next.Fields[name] = value; value == "" {
			delete(next.Fields, name)
		}
	}
	if f := o.refuses(object, &next, header); f != nil {
		return nil, f
	}
	o.ticks += time.Second
	next.Modified = o.now()
	if next.ID == "" {
		o.lastID++
		next.ID = map[string]string{Contact: "003", Task: "00T"}[object] + fmt.Sprintf("5g00000%05dAAA", o.lastID)
		o.rows[object] = append(o.rows[object], &next)
		return &next, nil
	}
	*of = next
	return of, nil
}

// refuses tells what the org has against a record.
func (o *Org) refuses(object string, r *Record, header http.Header) *failure {
	who := r.Fields["WhoId"]
	switch {
	case object == Contact && r.Fields["LastName"] == "":
		return bad("REQUIRED_FIELD_MISSING", "Required fields are missing: [LastName]")
	case object == Task && r.Fields["Status"] == "": // which every picklist has a default for
		r.Fields["Status"] = "Not Started"
	}
	if who != "" && !isID(who) {
		return bad("MALFORMED_ID", "Name ID: id value of incorrect type: "+who)
	}
	if person := o.row(Contact, who); who != "" && person == nil {
		return bad("INVALID_CROSS_REFERENCE_KEY", "invalid cross reference id")
	} else if who != "" && person.Deleted {
		return bad("ENTITY_IS_DELETED", "entity is deleted")
	}
	for _, other := range o.live(object, func(x *Record) bool { return x.ID != r.ID }) {
		for _, f := range o.fields[object] {
			if f.Unique && r.Fields[f.Name] != "" && f.same(r.Fields[f.Name], other.Fields[f.Name]) {
				return bad("DUPLICATE_VALUE", "duplicate value found: "+f.Name+" duplicates value on record with id: "+other.ID)
			}
		}
		allowed := o.opts.Rule == Alerts && strings.Contains(header.Get("Sforce-Duplicate-Rule-Header"), "allowSave=true")
		if a := r.Fields["Email"]; object == Contact && o.opts.Rule != NoRule && !allowed && a != "" && strings.EqualFold(a, other.Fields["Email"]) {
			return bad("DUPLICATES_DETECTED", "Use one of these records?")
		}
	}
	return nil
}

// isID reports whether a text has the form of an ID.
func isID(s string) bool {
	letter := func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	return (len(s) == 15 || len(s) == 18) && strings.IndexFunc(s, func(r rune) bool { return !letter(r) }) < 0
}
