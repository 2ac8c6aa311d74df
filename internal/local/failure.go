package local

import (
	"context"
	"time"
)

// failureLook is how often it is asked whether the disk still takes writes.
const failureLook = 250 * time.Millisecond

// Failed gives one error when the system can keep nothing any more: a write or
// fsync of the ledger, or of a journal of the fakes, has failed for good,
// mostly on a full disk. Deliveries are then answered with 503 and nothing
// moves. The caller tells a person, calls Stop and ends the process; a new
// start finds out what holds. An error that is ledger.ErrDamaged goes to a
// person with a copy of the folder.
func (s *System) Failed() <-chan error { return s.failed }

// watch looks until reading ends or something has failed.
func (s *System) watch(reading context.Context) {
	for ; reading.Err() == nil; rest(reading, failureLook) {
		if err := s.failure(); err != nil {
			s.failed <- err // has room for the one that is ever sent
			return
		}
	}
}

// failure is what has stopped the ledger or a journal, or nil.
func (s *System) failure() error {
	if s.stores != nil && s.stores.err != nil {
		if err := s.stores.err(); err != nil {
			return err
		}
	}
	if s.fakes == nil {
		return nil
	}
	return s.fakes.err()
}
