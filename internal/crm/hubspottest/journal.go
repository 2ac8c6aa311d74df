package hubspottest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// change is one journal line: the whole new value of everything one request
// changed, so that applying a line twice is harmless.
type change struct {
	Records []Record     `json:"records,omitempty"`
	Defined []Definition `json:"defined,omitempty"`
	Groups  [][2]string  `json:"groups,omitempty"` // type, name
}

func (c change) empty() bool { return len(c.Records)+len(c.Defined)+len(c.Groups) == 0 }

// tx is one request's change in the making. The server's lock is held from
// begin to commit, so nobody sees it before it is durable.
type tx struct {
	*state
	now  time.Time
	old  time.Time // what the search index has caught up with
	log  change
	undo []func()
}

func (s *Server) begin() *tx {
	now := s.opts.Now().UTC()
	return &tx{state: s.state, now: now, old: now.Add(-s.opts.SearchLag)}
}

// save puts a record, with its time of change.
func (t *tx) save(r Record) *Record {
	r = r.clone()
	r.UpdatedAt = t.now
	p := &r
	old := t.put(r.Type, r.ID, p)
	key := r.Type + "/" + r.ID
	versions := t.seen[key]
	t.seen[key] = append(slices.Clone(visible(versions, t.old)), p)
	t.log.Records = append(t.log.Records, r)
	t.undo = append(t.undo, func() {
		t.put(r.Type, r.ID, old)
		t.seen[key] = versions
	})
	return p
}

func (t *tx) newID() string {
	t.lastID++ // not undone: an ID is never given twice
	return strconv.FormatInt(t.lastID, 10)
}

func (t *tx) rollback() {
	for i := len(t.undo) - 1; i >= 0; i-- {
		t.undo[i]()
	}
	t.undo, t.log = nil, change{}
}

// commit makes the change durable, or undoes it.
func (s *Server) commit(t *tx) error {
	if t.log.empty() || s.opts.Persist == nil {
		return nil
	}
	line, err := json.Marshal(t.log)
	if err == nil {
		err = s.opts.Persist(line)
	}
	if err != nil {
		t.rollback()
		return fmt.Errorf("persist change: %w", err)
	}
	return nil
}

// Restore applies one line that Persist was given. Call it for every line, in
// order, before serving. A torn last line is an error and changes nothing; its
// request was never answered, so it may be dropped.
func (s *Server) Restore(line []byte) error {
	var c change
	if err := json.Unmarshal(line, &c); err != nil {
		return fmt.Errorf("restore change: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range c.Groups {
		if s.state.groups[g[0]] == nil {
			return fmt.Errorf("restore change: unknown object type %q", g[0])
		}
		s.state.groups[g[0]][g[1]] = true
	}
	for _, d := range c.Defined {
		if s.state.defs[d.Type] == nil {
			return fmt.Errorf("restore change: unknown object type %q", d.Type)
		}
		s.state.define(d)
	}
	for _, r := range c.Records {
		if s.state.objects[r.Type] == nil {
			return fmt.Errorf("restore change: unknown object type %q", r.Type)
		}
		p := r.clone()
		s.state.put(r.Type, r.ID, &p)
		key := r.Type + "/" + r.ID
		s.state.seen[key] = append(visible(s.state.seen[key], s.begin().old), &p)
	}
	return nil
}
