package ledger

import (
	"errors"
	"strings"
)

var (
	// ErrContention means that another commit was in the way. Nothing was
	// written; try again after a short, jittered wait.
	ErrContention = errors.New("ledger: contention")
	// ErrUnavailable means that the store was not reached or refused to work.
	// Nothing was written; try again later.
	ErrUnavailable = errors.New("ledger: unavailable")
	// ErrUnknown means that no answer came. The commit may have been written.
	// Errors that are none of this package's mean the same.
	ErrUnknown = errors.New("ledger: outcome unknown")
	// ErrDamaged means that the store's files cannot be read. Nothing helps but
	// a person.
	ErrDamaged = errors.New("ledger: damaged")
	// ErrInUse means that another process holds the store.
	ErrInUse = errors.New("ledger: in use by another process")
)

// Refused says which conditions of a commit did not hold. Nothing was
// written. At least one failure is named; a store need not judge the rest
// after the first.
type Refused struct {
	Failures []Failure
}

// Failure is one write that was refused.
type Failure struct {
	Name    string
	Key     Key
	Current Item // as the condition saw it; nil if there is no such item
}

// Error names the refused writes, never their content.
func (r *Refused) Error() string {
	names := make([]string, len(r.Failures))
	for i, f := range r.Failures {
		names[i] = f.Name
	}
	return "ledger: refused by " + strings.Join(names, ", ")
}

// By returns the failure of the write with this name.
func (r *Refused) By(name string) (Failure, bool) {
	for _, f := range r.Failures {
		if f.Name == name {
			return f, true
		}
	}
	return Failure{}, false
}

// AsRefused tells whether an error is a refusal.
func AsRefused(err error) (*Refused, bool) {
	var r *Refused
	ok := errors.As(err, &r)
	return r, ok
}

// NotWritten tells whether an error proves that nothing was written. False
// means: unknown.
func NotWritten(err error) bool {
	_, refused := AsRefused(err)
	return refused || errors.Is(err, ErrContention) || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrInvalid)
}
