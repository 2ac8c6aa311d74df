package decide

import "onefold/internal/record/inbound"

// dropped tells whether the policy wants nothing to follow. An address that the
// event holds already keeps it alive: the hold has to end with a person.
func (b *builder) dropped() bool {
	return b.g.Facts.Dropped && b.g.Answer == nil && !b.doubted()
}

// drop ends an event that the policy wants nothing of. It stays on file, with its
// raw content for as long as that is kept.
func (b *builder) drop() error {
	return b.decided(inbound.Ignored, []string{b.g.Facts.Warned})
}
