// Package contacts carries out what a person says about who is who: that two
// contacts are one (merge), that they are two after all (split), that somebody
// has one more address (alias), or another main one (address change).
//
// Its invariant: nothing happens that was not shown. A plan says in full what
// will happen and carries a token of the rows that it stands on; carrying it out
// is one bounded commit, conditional on these very rows. If they have changed,
// nothing is done and the plan is shown anew. What holds already is a result and
// no error. Opt-outs unite: after a merge or an alias a person's own wish
// against mail at one address forbids mail to all of them.
//
// It refuses to merge by itself, to free a key, to overwrite a field of the
// contact that stays, and to touch a CRM: it puts an operation for that.
//
// # What a crash leaves
//
// Before the commit nothing, after it all of it. A caller that got no answer
// repeats the act: it is recognised as done, or done.
package contacts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onefold/internal/digest"
	"onefold/internal/idempotency"
	"onefold/internal/ledger"
	"onefold/internal/policy/versions"
	"onefold/internal/utc"
)

// Service carries acts out. All fields are needed.
type Service struct {
	Store    ledger.Store
	Policies *versions.Book
	IDs      digest.Key
	Now      func() time.Time
}

// Act is what a person says. Contacts are named by ID or by one of their
// addresses.
type Act struct {
	Kind    Kind
	Tenant  string
	Contact string // of a merge the one that is merged away
	Into    string // of a merge the one that stays
	Address string // of an alias or address change
}

// Kind is what kind of act it is.
type Kind string

// The kinds.
const (
	Merge         Kind = "merge"
	Split         Kind = "split"
	Alias         Kind = "alias"
	ChangeAddress Kind = "address"
)

// Plan is what an act will do. Names and meanings of its JSON are stable;
// properties may be added. It is for the person who acts, and names addresses.
type Plan struct {
	Act     Kind   `json:"act"`
	Tenant  string `json:"tenant"`
	Contact string `json:"contact"`        // of a merge or split the one that is or was merged away
	Into    string `json:"into,omitempty"` // of a merge or split the one that stays
	// Already says in words that the act holds already: nothing will be done.
	Already string   `json:"already,omitempty"`
	Does    []string `json:"does"`
	Keeps   []string `json:"keeps"` // what stays as it is, though one might expect otherwise
	Token   string   `json:"token"`
}

var (
	// ErrMoved means that what was shown is no longer so. Nothing was done; the
	// caller shows the plan as it is now and asks again.
	ErrMoved = errors.New("contacts: this has changed since it was shown")
	// ErrUnclear means that it is not known whether it was done. Repeating it is
	// safe and answers that.
	ErrUnclear = errors.New("contacts: it is not known whether it was done")
)

// Refusal says why an act is not possible, and what the person can do. Neither
// text names an address.
type Refusal struct{ Why, Hint string }

func (r *Refusal) Error() string { return "contacts: " + r.Why }

// Plan says what an act would do. The error is a *Refusal where it is not
// possible.
func (s *Service) Plan(ctx context.Context, a Act) (Plan, error) {
	w, err := s.read(ctx, a)
	if err != nil {
		return Plan{}, err
	}
	return w.plan(), nil
}

// tries bounds how often an act is read anew because rows moved.
const tries = 8

// Do carries an act out. by is "person:" and who. token is that of the plan
// that the person saw, "" where nobody was shown one. Of an act that holds
// already, the plan says so and nothing is done.
//
// Errors: *Refusal, ErrMoved, ErrUnclear; with all others nothing was done, and
// the act may be repeated.
func (s *Service) Do(ctx context.Context, a Act, by, token string) (Plan, error) {
	st := stamp{by: by, call: idempotency.NewOwner(), ids: s.IDs}
	unclear := false
	var p Plan
	err := ledger.Retry(ctx, tries, func() (again bool, err error) {
		w, err := s.read(ctx, a)
		if err != nil {
			p = Plan{}
			return false, lost(unclear, err)
		}
		p = w.plan()
		if p.Already != "" {
			return false, nil
		}
		if token != "" && p.Token != token {
			return false, lost(unclear, ErrMoved)
		}
		st.at = utc.At(s.Now())
		c, err := w.commit(st)
		if err != nil {
			return false, err
		}
		if err = s.Store.Commit(ctx, c); err == nil {
			return false, nil
		}
		if ledger.NotWritten(err) && !ledger.Moved(err) {
			return false, fmt.Errorf("%s contact %s: %w", a.Kind, p.Contact, err)
		}
		unclear = unclear || !ledger.NotWritten(err)
		// Refused may be by its own first try, whose answer was lost.
		mine, readErr := s.done(ctx, w, st)
		if readErr != nil {
			return false, lost(unclear, readErr)
		}
		return !mine, nil
	})
	if errors.Is(err, ledger.ErrContention) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return Plan{}, lost(unclear, fmt.Errorf("%s: the contact kept changing: %w", a.Kind, err))
	}
	return p, err
}

// lost says of an error whether the act may have been done before it.
func lost(unclear bool, err error) error {
	if unclear {
		return fmt.Errorf("%w: %w", ErrUnclear, err)
	}
	return err
}

// done tells whether the act was committed by this very call: the record of the
// transition that it would make carries the call's own mark.
func (s *Service) done(ctx context.Context, w *work, st stamp) (bool, error) {
	it, err := s.Store.Get(ctx, ledger.AuditKey(contactKey(w.mark), w.mark.Transition+1))
	if err != nil {
		return false, fmt.Errorf("read what became of the act: %w", err)
	}
	details, _ := it["details"].(map[string]any)
	return it != nil && details["call"] == st.call, nil
}
