// Package fetch is the port to content that a provider keeps and a webhook only
// names.
//
// Its invariant: content is given whole or not at all. It refuses to remember
// anything: that an event's content is fetched before the event is recorded, and
// not again once it is, is ingest's doing.
package fetch

import (
	"context"
	"errors"
)

// The errors of a fetch. None holds an address, an ID or a key.
var (
	// ErrGone means that the provider says there is no such content, or none any
	// more. Asking again will not better it; the provider's repeats of the webhook
	// end by themselves, and a person has to look there.
	ErrGone = errors.New("fetch: the provider has no such content")
	// ErrRefused means that the key is not taken: it has to be set anew.
	ErrRefused = errors.New("fetch: the provider does not take the key")
	// ErrTooLarge means that the content has more bytes than MaxContent.
	ErrTooLarge = errors.New("fetch: content that is too large")
	// ErrUnavailable means everything else: ask again later.
	ErrUnavailable = errors.New("fetch: the provider could not be asked")
)

// MaxContent is the most bytes of one content: the largest mail that any of the
// ways in takes.
const MaxContent = 42 << 20

// Mail gives raw mail by the provider's ID, with the tenant's key for its API.
// Reading changes nothing at the provider, so it may be done again at any time.
// It returns when the context ends, and is safe for concurrent use.
type Mail interface {
	Raw(ctx context.Context, key, id string) ([]byte, error)
}
