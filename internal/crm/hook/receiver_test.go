package hook_test

// The receiver that docs/crm-webhook.md shows. A test holds the page to it.

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver keeps people, notes and tasks in memory. A real one keeps them, and
// the answers, in one transaction of its database.
type receiver struct {
	mu       sync.Mutex
	verifier *standardwebhooks.Webhook
	answers  map[string]answer // by webhook-id, for 7 days
	people   []*row
	notes    []*row
	tasks    []*row
	next     int
}

type answer struct {
	status int
	body   map[string]any
}

// row is a record: who is known by which reference, and what it last took.
type row struct {
	ID, Ref, Person string
	Fields, Took    map[string]string
}

type message struct {
	Type string `json:"type"`
	Data struct {
		Ref, ID   string
		Former    []string
		Fields    map[string]string
		ContactID string `json:"contact_id"`
		At, Due   string
		Title     string
		Body      string
	} `json:"data"`
}

// ServeHTTP does a message once, and answers a repeat as it did the first.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, err := io.ReadAll(io.LimitReader(req.Body, 1<<20))
	if err != nil || r.verifier.Verify(body, req.Header) != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	id := req.Header.Get("webhook-id")
	a, done := r.answers[id]
	if !done {
		var m message
		if json.Unmarshal(body, &m) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		a = r.do(m)
		if a.status/100 == 2 {
			r.answers[id] = a
		}
	}
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body)
}

func (r *receiver) do(m message) answer {
	switch m.Type {
	case "ping":
		return answer{http.StatusOK, map[string]any{}}
	case "contact.upsert":
		return r.contact(m)
	case "note.create":
		return r.file(&r.notes, m, map[string]string{"at": m.Data.At, "body": m.Data.Body})
	case "task.create":
		return r.file(&r.tasks, m, map[string]string{"due": m.Data.Due, "title": m.Data.Title, "body": m.Data.Body})
	}
	return answer{http.StatusUnprocessableEntity, nil}
}

// contact finds the person by ID, by reference, and last by address.
func (r *receiver) contact(m message) answer {
	d, adopted := m.Data, false
	ours := func(p *row) bool { return p.Ref == d.Ref || slices.Contains(d.Former, p.Ref) }
	hasAddress := func(p *row) bool {
		return d.Fields["email"] != "" && strings.EqualFold(p.Fields["email"], d.Fields["email"])
	}
	p := find(r.people, func(p *row) bool { return p.ID == d.ID })
	if p == nil {
		p = find(r.people, ours)
	}
	if p == nil {
		p = find(r.people, hasAddress)
		adopted = p != nil && p.Ref == ""
	}
	switch {
	case p != nil && p.Ref != "" && !ours(p):
		return answer{http.StatusConflict, map[string]any{"reason": "other_reference"}}
	case find(r.people, func(o *row) bool { return o != p && (hasAddress(o) || o.Ref == d.Ref) }) != nil:
		return answer{http.StatusConflict, map[string]any{"reason": "two_records"}}
	}
	created := p == nil
	if created {
		p = r.add(&r.people)
	}
	p.Ref = d.Ref
	for name, value := range d.Fields {
		// What somebody changed here since stays.
		if has := p.Fields[name]; has == p.Took[name] {
			p.Fields[name], p.Took[name] = value, value
		}
	}
	return answer{http.StatusOK, map[string]any{"id": p.ID, "created": created, "adopted": adopted}}
}

// file makes a note or task of a person who is there.
func (r *receiver) file(all *[]*row, m message, fields map[string]string) answer {
	if find(r.people, func(p *row) bool { return p.ID == m.Data.ContactID }) == nil {
		return answer{http.StatusNotFound, map[string]any{"reason": "contact_missing"}}
	}
	has := find(*all, func(o *row) bool { return o.Ref == m.Data.Ref })
	created := has == nil
	if created {
		has = r.add(all)
		has.Ref, has.Person = m.Data.Ref, m.Data.ContactID
		maps.Copy(has.Fields, fields)
	}
	return answer{http.StatusOK, map[string]any{"id": has.ID, "created": created}}
}

func (r *receiver) add(all *[]*row) *row {
	r.next++
	made := &row{ID: fmt.Sprint(100 + r.next), Fields: map[string]string{}, Took: map[string]string{}}
	*all = append(*all, made)
	return made
}

func find(all []*row, is func(*row) bool) *row {
	if n := slices.IndexFunc(all, is); n >= 0 {
		return all[n]
	}
	return nil
}
