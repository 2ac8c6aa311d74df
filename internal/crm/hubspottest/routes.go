package hubspottest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// request is what a handler gets: the path's parts, the query and the body.
type request struct {
	*http.Request
	kind string
	body []byte
}

func (r request) decode(into any) *apiError {
	if err := json.Unmarshal(r.body, into); err != nil {
		return invalid("Invalid input JSON", "")
	}
	return nil
}

type handler func(*Server, *tx, request) (status int, answer any, failed *apiError)

// routes are the endpoints served. The word is the operation's name in Call.Op
// and Fault.Op, after the object type: "contacts.upsert".
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, e := range []struct {
		pattern, word string
		do            handler
	}{
		{"POST /crm/objects/{version}/{kind}", "create", createObject},
		{"GET /crm/objects/{version}/{kind}", "list", listObjects},
		{"GET /crm/objects/{version}/{kind}/{id}", "read", readObject},
		{"PATCH /crm/objects/{version}/{kind}/{id}", "update", updateObject},
		{"DELETE /crm/objects/{version}/{kind}/{id}", "archive", archiveObject},
		{"POST /crm/objects/{version}/{kind}/batch/upsert", "upsert", upsertBatch},
		{"POST /crm/objects/{version}/{kind}/search", "search", searchObjects},
		{"PUT /crm/objects/{version}/{kind}/{id}/associations/default/{toKind}/{toID}", "associate", associate},
		{"GET /crm/objects/{version}/{kind}/{id}/associations/{toKind}", "associations", listAssociations},
		{"GET /crm/properties/{version}/{kind}/{name}", "property_read", readProperty},
		{"POST /crm/properties/{version}/{kind}", "property_create", createProperty},
		{"GET /crm/properties/{version}/{kind}/groups/{name}", "group_read", readGroup},
		{"POST /crm/properties/{version}/{kind}/groups", "group_create", createGroup},
	} {
		mux.HandleFunc(e.pattern, s.api(e.word, e.do))
	}
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /records.json", s.recordsJSON)
	return mux
}

// writes tells whether an operation of this name can change a record.
func writes(op string) bool {
	_, word, _ := strings.Cut(op, ".")
	switch word {
	case "create", "update", "upsert", "associate", "archive":
		return true
	}
	return false
}

const bodyLimit = 8 << 20

func (s *Server) api(word string, do handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.busy.Add(1)
		defer s.busy.Done()
		body, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit))
		if err != nil {
			return // the caller is gone; it has sent no whole request
		}
		req := request{Request: r, kind: r.PathValue("kind"), body: body}
		op := req.kind + "." + word
		n, fault, failed := s.admit(op, r)
		if failed == nil {
			failed = fault.before()
		}
		if fault.cutsBefore() {
			cut(w)
			return
		}
		var status int
		var answer any
		if failed == nil {
			status, answer, failed = s.perform(do, req)
		}
		if f := fault.after(); f != nil {
			failed = f
		}
		if fault.cutsAfter() {
			cut(w)
			return
		}
		if failed != nil {
			status, answer = failed.Code, failed
		}
		s.answered(n, status)
		reply(w, status, failed, answer)
	}
}

// perform runs one request's change under the lock, durable before it is
// answered.
func (s *Server) perform(do handler, req request) (int, any, *apiError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.objects[req.kind] == nil {
		return 0, nil, invalid("Unable to infer object type", "")
	}
	t := s.begin()
	status, answer, failed := do(s, t, req)
	if failed != nil {
		t.rollback()
		return 0, nil, failed
	}
	if err := s.commit(t); err != nil {
		return 0, nil, internal()
	}
	return status, answer, nil
}

func reply(w http.ResponseWriter, status int, failed *apiError, answer any) {
	if failed != nil && failed.retryAfter != "" {
		w.Header().Set("Retry-After", failed.retryAfter)
	}
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.WriteHeader(status)
	if answer != nil {
		_ = json.NewEncoder(w).Encode(answer)
	}
}
