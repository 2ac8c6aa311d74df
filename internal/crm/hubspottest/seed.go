package hubspottest

import "fmt"

// Seed makes a record as a person in the CRM would, and returns its ID. An
// error says that the CRM would have refused it.
func (s *Server) Seed(kind string, props map[string]string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.begin()
	rec, failed := s.create(t, kind, props)
	return s.byHand(t, rec, failed)
}

// Edit changes a record as a person in the CRM would; "" clears a property.
func (s *Server) Edit(kind, id string, props map[string]string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.begin()
	rec := t.live(kind, id)
	if rec == nil {
		return fmt.Errorf("edit %s %s: no such record", kind, id)
	}
	rec, failed := s.update(t, rec, props)
	_, err := s.byHand(t, rec, failed)
	return err
}

// Archive moves a record to the bin as a person in the CRM would.
func (s *Server) Archive(kind, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.begin()
	rec := t.live(kind, id)
	if rec == nil {
		return fmt.Errorf("archive %s %s: no such record", kind, id)
	}
	gone := rec.clone()
	gone.Archived = true
	_, err := s.byHand(t, t.save(gone), nil)
	return err
}

func (s *Server) byHand(t *tx, rec *Record, failed *apiError) (string, error) {
	if failed != nil {
		t.rollback()
		return "", fmt.Errorf("write record by hand: %s", failed.Category)
	}
	if err := s.commit(t); err != nil {
		return "", err
	}
	return rec.ID, nil
}
