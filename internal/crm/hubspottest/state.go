package hubspottest

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Record is one object with its properties. A property that is not set is not
// in the map.
type Record struct {
	Type         string            `json:"type"`
	ID           string            `json:"id"`
	Properties   map[string]string `json:"properties"`
	Associations []string          `json:"associations,omitempty"` // "contacts/51"
	CreatedAt    time.Time         `json:"created_at"`
	UpdatedAt    time.Time         `json:"updated_at"`
	Archived     bool              `json:"archived,omitempty"`
}

func (r Record) clone() Record {
	r.Properties = maps.Clone(r.Properties)
	r.Associations = slices.Clone(r.Associations)
	return r
}

// Definition is a property of one object type.
type Definition struct {
	Type   string `json:"object_type"`
	Name   string `json:"name"`
	Group  string `json:"group"`
	Unique bool   `json:"unique"`
}

// uniqueKey is one value that no second record of the type may have.
type uniqueKey struct{ kind, property, value string }

// state is everything the server keeps. Records in it are never changed in
// place: put replaces them, which is what makes undo a matter of pointers.
type state struct {
	objects map[string]map[string]*Record
	seen    map[string][]*Record // per type/ID, versions the search may still show
	unique  map[uniqueKey]string // to the record's ID
	defs    map[string]map[string]Definition
	groups  map[string]map[string]bool
	lastID  int64
}

// readOnly is a property that people of the CRM set, and no caller of the API.
const readOnly = "hs_email_optout"

// The properties HubSpot defines itself, as far as they are known here.
var standard = map[string]string{
	"contacts": "email hs_additional_emails firstname lastname company phone " + readOnly,
	"notes":    "hs_timestamp hs_note_body",
	"tasks":    "hs_timestamp hs_task_subject hs_task_body hs_task_status hs_task_type hs_task_priority",
}

func newState() *state {
	st := &state{
		objects: map[string]map[string]*Record{}, seen: map[string][]*Record{}, unique: map[uniqueKey]string{},
		defs: map[string]map[string]Definition{}, groups: map[string]map[string]bool{}, lastID: 100,
	}
	for kind, names := range standard {
		st.objects[kind] = map[string]*Record{}
		st.defs[kind] = map[string]Definition{}
		st.groups[kind] = map[string]bool{"standard": true}
		for name := range strings.FieldsSeq(names) {
			st.define(Definition{Type: kind, Name: name, Group: "standard", Unique: kind == "contacts" && name == "email"})
		}
	}
	return st
}

func (st *state) define(d Definition) {
	if d.Group != "" {
		st.groups[d.Type][d.Group] = true
	}
	st.defs[d.Type][d.Name] = d
}

// uniqueKeys are the values of r that must be its own. Addresses compare
// without case, and a secondary address counts as one.
func (st *state) uniqueKeys(r *Record) []uniqueKey {
	if r == nil || r.Archived {
		return nil
	}
	var keys []uniqueKey
	for name, value := range r.Properties {
		switch {
		case r.Type == "contacts" && name == "hs_additional_emails":
			for a := range strings.SplitSeq(value, ";") {
				keys = append(keys, uniqueKey{r.Type, "email", foldValue("email", a)})
			}
		case st.defs[r.Type][name].Unique:
			keys = append(keys, uniqueKey{r.Type, name, foldValue(name, value)})
		}
	}
	return keys
}

func foldValue(property, value string) string {
	if property == "email" {
		return strings.ToLower(strings.TrimSpace(value))
	}
	return value
}

// find is the live record with the value in a unique property.
func (st *state) find(kind, property, value string) *Record {
	id, ok := st.unique[uniqueKey{kind, property, foldValue(property, value)}]
	if !ok {
		return nil
	}
	return st.live(kind, id)
}

func (st *state) live(kind, id string) *Record {
	r := st.objects[kind][id]
	if r == nil || r.Archived {
		return nil
	}
	return r
}

// holder is another record that has one of r's unique values, with the
// property's name.
func (st *state) holder(r *Record) (id, property string) {
	keys := st.uniqueKeys(r)
	// A fixed order, e-mail first, so that an answer does not depend on
	// chance.
	sort.Slice(keys, func(i, j int) bool { return keys[i].property < keys[j].property })
	for _, k := range keys {
		if id, ok := st.unique[k]; ok && id != r.ID {
			return id, k.property
		}
	}
	return "", ""
}

// put replaces the record of the ID; nil removes it. The former one is
// returned.
func (st *state) put(kind, id string, r *Record) *Record {
	old := st.objects[kind][id]
	for _, k := range st.uniqueKeys(old) {
		delete(st.unique, k)
	}
	if r == nil {
		delete(st.objects[kind], id)
		return old
	}
	st.objects[kind][id] = r
	for _, k := range st.uniqueKeys(r) {
		st.unique[k] = id
	}
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		st.lastID = max(st.lastID, n)
	}
	return old
}

func (st *state) list(kind string) []Record {
	var out []Record
	for _, r := range st.objects[kind] {
		if !r.Archived {
			out = append(out, r.clone())
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if len(out[i].ID) != len(out[j].ID) {
			return len(out[i].ID) < len(out[j].ID)
		}
		return out[i].ID < out[j].ID
	})
	return out
}
