package hubspottest

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf16"
)

// wireObject is a record as the API gives it; a property that is not set is
// null.
type wireObject struct {
	ID         string             `json:"id"`
	Properties map[string]*string `json:"properties"`
	CreatedAt  time.Time          `json:"createdAt"`
	UpdatedAt  time.Time          `json:"updatedAt"`
	Archived   bool               `json:"archived"`
	New        *bool              `json:"new,omitempty"`
	TraceID    string             `json:"objectWriteTraceId,omitempty"`
}

// wire gives the named properties, or all that are set.
func wire(r *Record, names []string) wireObject {
	o := wireObject{
		ID: r.ID, Properties: map[string]*string{"hs_object_id": &r.ID},
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, Archived: r.Archived,
	}
	for name, value := range r.Properties {
		if names == nil {
			o.Properties[name] = &value
		}
	}
	for _, name := range names {
		o.Properties[name] = nil
		if value, ok := r.Properties[name]; ok {
			o.Properties[name] = &value
		}
	}
	return o
}

// target is the record that a path's ID and idProperty name.
func (t *tx) target(r request) (*Record, *apiError) {
	id, property := r.PathValue("id"), r.URL.Query().Get("idProperty")
	var found *Record
	switch {
	case property == "":
		found = t.live(r.kind, id)
	case !t.defs[r.kind][property].Unique:
		return nil, notUnique(r.kind, property)
	default:
		found = t.find(r.kind, property, id)
		// A read by e-mail answers for the primary address only; whether
		// HubSpot's does for secondary ones is not documented.
		if found != nil && property == "email" && foldValue("email", found.Properties["email"]) != foldValue("email", id) {
			found = nil
		}
	}
	if found == nil {
		return nil, notFound()
	}
	return found, nil
}

func notUnique(kind, property string) *apiError {
	return invalid("Unable to perform update/upsert by non-unique "+kind+" property "+property, "")
}

func readObject(_ *Server, t *tx, r request) (int, any, *apiError) {
	found, failed := t.target(r)
	if failed != nil {
		return 0, nil, failed
	}
	var names []string
	if list := r.URL.Query().Get("properties"); list != "" {
		names = strings.Split(list, ",")
	}
	return http.StatusOK, wire(found, names), nil
}

type objectInput struct {
	Properties map[string]string `json:"properties"`
}

// writable refuses properties that the API may not set.
func writable(props map[string]string) *apiError {
	if _, set := props[readOnly]; set {
		return invalid(readOnly+" is a read only property; its value cannot be set", "READ_ONLY_VALUE")
	}
	return nil
}

func createObject(s *Server, t *tx, r request) (int, any, *apiError) {
	var in objectInput
	if failed := r.decode(&in); failed != nil {
		return 0, nil, failed
	}
	if failed := writable(in.Properties); failed != nil {
		return 0, nil, failed
	}
	made, failed := s.create(t, r.kind, in.Properties)
	if failed != nil {
		return 0, nil, failed
	}
	return http.StatusCreated, wire(made, nil), nil
}

func updateObject(s *Server, t *tx, r request) (int, any, *apiError) {
	found, failed := t.target(r)
	if failed != nil {
		return 0, nil, failed
	}
	var in objectInput
	if failed := r.decode(&in); failed != nil {
		return 0, nil, failed
	}
	if failed := writable(in.Properties); failed != nil {
		return 0, nil, failed
	}
	changed, failed := s.update(t, found, in.Properties)
	if failed != nil {
		return 0, nil, failed
	}
	return http.StatusOK, wire(changed, nil), nil
}

// archiveObject moves a record to the bin, which frees its unique values.
func archiveObject(_ *Server, t *tx, r request) (int, any, *apiError) {
	found, failed := t.target(r)
	if failed != nil {
		return 0, nil, failed
	}
	gone := found.clone()
	gone.Archived = true
	t.save(gone)
	return http.StatusNoContent, nil, nil
}

func (s *Server) create(t *tx, kind string, props map[string]string) (*Record, *apiError) {
	if kind != "contacts" && props["hs_timestamp"] == "" {
		return nil, invalid("Some required properties were not set: hs_timestamp", "REQUIRED_FIELD")
	}
	fresh := &Record{Type: kind, ID: t.newID(), Properties: map[string]string{}, CreatedAt: t.now}
	return s.update(t, fresh, props)
}

// update checks and writes properties to a copy of r; "" clears one.
func (s *Server) update(t *tx, r *Record, props map[string]string) (*Record, *apiError) {
	next := r.clone()
	for name, value := range props {
		if failed := t.acceptable(r.Type, name, value); failed != nil {
			return nil, failed
		}
		if name == "email" {
			value = foldValue("email", value) // HubSpot stores it so
		}
		if value == "" {
			delete(next.Properties, name)
		} else {
			next.Properties[name] = value
		}
	}
	if id, property := t.holder(&next); id != "" {
		return nil, s.collides(r.Type, property, id)
	}
	return t.save(next), nil
}

// valueLimit is in characters, counted as UTF-16 code units.
const valueLimit = 65536

func (t *tx) acceptable(kind, name, value string) *apiError {
	if _, ok := t.defs[kind][name]; !ok {
		return invalid("Property \""+name+"\" does not exist", "PROPERTY_DOESNT_EXIST")
	}
	if len(utf16.Encode([]rune(value))) > valueLimit {
		return invalid("Property "+name+" is too long", "INVALID_STRING_LENGTH")
	}
	switch name {
	case "email":
		local, domain, ok := strings.Cut(value, "@")
		if value != "" && (!ok || local == "" || domain == "" || strings.ContainsAny(value, " ,;") || strings.Contains(domain, "@")) {
			return invalid("Email address is invalid", "INVALID_EMAIL")
		}
	case "hs_timestamp":
		if _, err := time.Parse(time.RFC3339, value); err != nil {
			return invalid(name+" is not a date-time", "INVALID_DATE")
		}
	case "hs_task_status":
		switch value {
		case "NOT_STARTED", "IN_PROGRESS", "WAITING", "DEFERRED", "COMPLETED":
		default:
			return invalid(name+" is not one of the options", "INVALID_OPTION")
		}
	}
	return nil
}
