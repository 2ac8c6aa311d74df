// Package secret is the port to where secrets are kept: the webhook secrets
// and CRM tokens of tenants, the identifier key and the key of the console's
// sessions.
//
// Its invariant: nothing prints a secret. A Secret shows itself as one fixed
// word however it is formatted, logged or encoded, and no error repeats a
// value. It refuses to replace the identifier key, which names every opt-out.
package secret

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

const hidden = "secret.Secret(hidden)"

// Secret is a secret with the one it replaced. Both are valid: a rotation takes
// time to reach who uses it. Current is never empty; Previous is empty where
// nothing was replaced, or where the replaced value was revoked.
type Secret struct{ Current, Previous string }

// Values are the valid values, current first.
func (s Secret) Values() []string {
	if s.Previous == "" {
		return []string{s.Current}
	}
	return []string{s.Current, s.Previous}
}

// String is a fixed word.
func (Secret) String() string { return hidden }

// GoString is the same fixed word.
func (Secret) GoString() string { return hidden }

// Format writes the fixed word for every verb; fmt asks String for some only.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(hidden)) }

// LogValue is the fixed word.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON is the fixed word: a secret is never stored by way of this type.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalText is the fixed word.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// The errors of a store.
var (
	// ErrNone means that there is no secret of this name. It is an answer: a
	// caller refuses what needs the secret and says that it is not set up.
	ErrNone = errors.New("secret: there is none")
	// ErrUnavailable means that the store could not be asked, or gave something
	// that is no secret. The caller fails and tries again later; it must not
	// take it for ErrNone.
	ErrUnavailable = errors.New("secret: the store could not be asked")
	// ErrRefused means that a name or value cannot be put.
	ErrRefused = errors.New("secret: refused")
)

// Store gives secrets by their names, which are schema.SecretIdentifierKey,
// schema.SecretConsole, and those of Webhook and CRM. A stage's prefix is the
// store's own affair.
//
// Get returns the secret, or an error that is ErrNone or ErrUnavailable; never
// both, and never a Secret whose Current is empty. A name that CheckName
// refuses is ErrNone. A value that was put before Get began is returned, unless
// the store says by how much it may lag; a store that lags never goes back to
// an older value than it gave. It is safe for concurrent use, and returns when
// the context ends.
type Store interface {
	Get(ctx context.Context, name string) (Secret, error)
}

// Entry is what can be told of a secret without telling it.
type Entry struct {
	Name      string
	ChangedAt time.Time // zero: not known
	Previous  bool      // a replaced value is valid too
}

// Keeper is a store whose secrets an operator manages. Its Get never lags.
//
// Put makes the value current and what was current the previous one; what was
// previous is valid no more. Putting the current value changes nothing. Put
// refuses what CheckPut refuses. Revoke ends the previous value and succeeds
// where there is none; a name without a secret is ErrNone. List is sorted by
// name, and may be minutes behind where the store says so. After an error Put and Revoke may have been carried out or not: doing
// them again is harmless.
type Keeper interface {
	Store
	Put(ctx context.Context, name, value string) error
	Revoke(ctx context.Context, name string) error
	List(ctx context.Context) ([]Entry, error)
}
