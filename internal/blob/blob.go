// Package blob is the port to where raw content is kept: bodies as they came,
// byte for byte, under a name that holds their own hash.
//
// Its invariant: a name never gets other content. Since the name is made of
// the content, putting it twice is one put, and an answer that got lost is
// harmless.
package blob

import (
	"context"
	"errors"

	"onefold/internal/digest"
)

// Ref names raw content: tenant/event hash/content hash. Not a secret; it
// holds no personal words.
type Ref string

// RefOf makes the name of a content of an event.
func RefOf(tenant, event string, content []byte) Ref {
	return Ref(tenant + "/" + digest.Parts(tenant, event)[:40] + "/" + digest.Content(content))
}

// ErrMissing means that there is no content under the name. For a name that
// an event holds this is a loss and goes to a person.
var ErrMissing = errors.New("blob: no such content")

// Store keeps raw content.
//
// Put returns nil only when the content is durable against the death of the
// machine. An error means unknown: the caller may put again, or leave what may
// have been stored to the retention rule for content that no event names. Put
// of a name that exists succeeds and changes nothing. Get checks the content
// against the hash in its name and returns another error than ErrMissing where
// it does not fit.
type Store interface {
	Put(ctx context.Context, ref Ref, content []byte) error
	Get(ctx context.Context, ref Ref) ([]byte, error)
}
