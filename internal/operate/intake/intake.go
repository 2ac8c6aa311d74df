// Package intake compares a list of contacts, of a file or of a CRM, with the
// ledger: what is not known yet is taken in (`onefold import`), and what the CRM
// has otherwise is reported (`onefold crm check`). Open it for day one, when a
// business has its people already.
//
// Its invariant: what a list brings is a contact under its keys, its record in
// the CRM and stops, and nothing follows from it: no follow-up, nothing written
// to a CRM. No second contact for a key, and no stop is ever lifted. Whatever is
// not certain is reported and left as it is.
//
// # What a crash leaves
//
// Each row is one commit, conditional on all that was read for it: before it
// nothing, after it all of the row. There is no place in the list to remember:
// a run that is started again finds by its keys what an earlier one made, and
// goes on with the rest. So running it twice changes nothing.
//
// That a record of the CRM is one contact's is checked against all mappings as
// they were when the run began, and those that it made. A mapping that a worker
// makes meanwhile for another contact of the same record is not seen; `onefold
// verify` and `onefold crm check` report it.
package intake

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/versions"
)

// Service works on one ledger. All fields are needed.
type Service struct {
	Store    ledger.Store
	Policies *versions.Book
	IDs      digest.Key
	Now      func() time.Time
	By       string // "person:" and who, for the audit
}

// Entry is one row of a file, or one record of a CRM.
type Entry struct {
	Row    int    // where it begins in the file; 0 of a record
	Record string // its ID in the CRM; "" of a row
	Ref    string // Onefold's reference on the record

	Emails                           []string // the main one first
	CustomerID, Name, Company, Phone string
	// OptedOut: the list says that the person wants no mail.
	OptedOut bool
}

// List is what is taken in.
type List struct {
	Tenant  string
	CRM     string // whose records the entries are; "" of a file
	Entries iter.Seq2[Entry, error]
	Apply   bool         // false: say what would be done, and do nothing
	Told    func(Report) // after each entry; nil: nobody is told
}

// ErrMoved means that the rows of one entry kept changing. What was done before
// it is done; the same run goes on from there when it is started again.
var ErrMoved = errors.New("intake: the contact of an entry kept changing")

const (
	// tries bounds how often an entry is looked at again because its rows moved.
	tries = 8
	// entryTime is what an entry may take that was begun before the run was ended.
	entryTime = 30 * time.Second
)

// Run goes through a list. The report is of the entries until then, also with an
// error; a context that ends lets the entry under way be finished. Errors:
// versions.ErrNone of a tenant without a policy, ErrMoved, those of the list, of
// the ledger and of the context.
func (s *Service) Run(ctx context.Context, l List) (Report, error) {
	r := &run{Service: s, list: l, report: newReport(l), seen: map[string]Entry{}, stopped: map[string]bool{}, records: map[string]string{}}
	if _, err := s.Policies.Fresh(ctx, l.Tenant); err != nil {
		return r.report, err
	}
	if l.CRM != "" {
		for m, err := range s.mappings(ctx, l.Tenant, l.CRM) {
			if err != nil {
				return r.report, err
			}
			if m.CRMID != "" {
				r.records[m.CRMID] = m.Contact
			}
		}
	}
	for e, err := range l.Entries {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = r.entry(ctx, e)
		}
		if err != nil {
			return r.report, err
		}
		if l.Told != nil {
			l.Told(r.report)
		}
	}
	r.report.Complete = true
	return r.report, nil
}

// run is one pass over a list.
type run struct {
	*Service
	list    List
	report  Report
	seen    map[string]Entry  // by key, the entry that had it first
	stopped map[string]bool   // guards of addresses that it stopped, or would
	records map[string]string // by the CRM's ID, the contact that a mapping names
}

// entry takes one entry in, or says what would come of it.
func (r *run) entry(ctx context.Context, e Entry) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), entryTime)
	defer cancel()
	var v verdict
	var perhaps *verdict // of a commit that may have been made
	err := ledger.Retry(ctx, tries, func() (again bool, err error) {
		g, err := r.look(ctx, e)
		if err != nil {
			return false, err
		}
		v = g.decide()
		c, err := g.commit(v)
		if err != nil {
			return false, err
		}
		if len(c.Writes) == 0 || !r.list.Apply {
			if perhaps != nil {
				v = *perhaps // it was: nothing is left to do
			}
			return false, nil
		}
		switch err = r.Store.Commit(ctx, c); {
		case err == nil:
			return false, nil
		case !ledger.NotWritten(err):
			was := v
			perhaps = &was
		case !ledger.Moved(err):
			return false, err
		}
		return true, nil
	})
	switch {
	case errors.Is(err, ledger.ErrContention):
		return fmt.Errorf("%s: %w", e.place(), ErrMoved)
	case err != nil:
		return fmt.Errorf("%s: %w", e.place(), err)
	}
	r.note(e, v)
	return nil
}

// note counts what came of an entry, and remembers it for those that follow.
func (r *run) note(e Entry, v verdict) {
	r.report.add(e, v)
	for _, id := range v.stops {
		r.stopped[id] = true
	}
	if v.outcome == Left {
		return
	}
	for _, id := range v.keys {
		if _, known := r.seen[id]; !known {
			r.seen[id] = e
		}
	}
	if e.Record != "" && v.contact != "" {
		r.records[e.Record] = v.contact
	}
}

// place names an entry without anything that stands in it.
func (e Entry) place() string {
	if e.Record != "" {
		return "record " + e.Record
	}
	return fmt.Sprintf("row %d", e.Row)
}
