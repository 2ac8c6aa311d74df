package pipedrivetest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// answer is what a request is answered with.
type answer struct {
	status int
	body   map[string]any
	page   string // of HTML, instead
}

func data(v any) answer {
	return answer{status: http.StatusOK, body: map[string]any{"success": true, "data": v}}
}

func refusal(status int) answer {
	return answer{status: status, body: map[string]any{"success": false, "error": http.StatusText(status), "data": nil}}
}

// request is one request at its time.
type request struct {
	query url.Values
	most  int // entries of a page; 0 is as many as are asked for
	body  []byte
	id    int64 // in the path
	at    time.Time
}

// into decodes the body. API v2 takes no member that it does not know, and no text
// for a number.
func (r request) into(v any, strict bool) bool {
	d := json.NewDecoder(bytes.NewReader(r.body))
	if strict {
		d.DisallowUnknownFields()
	}
	return d.Decode(v) == nil
}

// knows tells whether the query has these parameters alone.
func (r request) knows(names ...string) bool {
	left := len(r.query)
	for _, name := range names {
		if r.query.Has(name) {
			left--
		}
	}
	return left == 0
}

// window is the part of a list that is asked for: limit is 100 if not given, and
// 500 at most; from is the offset, which this account's cursors are too.
func (r request) window(all int, from string) (start, end int, ok bool) {
	limit := 100
	if s := r.query.Get("limit"); s != "" {
		limit, _ = strconv.Atoi(s)
	}
	ok = limit >= 1 && limit <= 500
	if r.most > 0 {
		limit = min(limit, r.most)
	}
	if s := r.query.Get(from); s != "" {
		start, _ = strconv.Atoi(s)
	}
	return min(start, all), min(start+limit, all), ok
}

// page is a page of a v2 list.
func page[T any](r request, all []T) answer {
	start, end, ok := r.window(len(all), "cursor")
	if !ok {
		return refusal(http.StatusBadRequest)
	}
	out := data(append([]T{}, all[start:end]...))
	next := any(nil)
	if end < len(all) {
		next = strconv.Itoa(end)
	}
	out.body["additional_data"] = map[string]any{"next_cursor": next}
	return out
}

// handler does a request, under the lock.
type handler struct {
	cost int // in tokens
	do   func(request) answer
}

// routes are the endpoints with their cost, as x-token-cost of the OpenAPI
// documents has it. That of the two for fields is not in them.
func (a *Account) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, h := range map[string]handler{
		"GET /api/v2/personFields":   {10, a.listFields},
		"POST /api/v2/personFields":  {5, a.addField},
		"GET /api/v2/persons/search": {20, a.search},
		"GET /api/v2/persons/{id}":   {1, a.getPerson},
		"GET /api/v2/persons":        {10, a.listPersons},
		"POST /api/v2/persons":       {5, a.addPerson},
		"PATCH /api/v2/persons/{id}": {5, a.changePerson},
		"GET /v1/notes":              {20, a.listNotes},
		"POST /v1/notes":             {10, a.addNote},
		"GET /api/v2/activities":     {10, a.listActivities},
		"POST /api/v2/activities":    {5, a.addActivity},
	} {
		mux.Handle(pattern, h)
	}
	return mux
}

// ServeHTTP is for the pattern alone; act calls do.
func (handler) ServeHTTP(http.ResponseWriter, *http.Request) {}

// act does a request at a time. The lock is held.
func (a *Account) act(r *http.Request, body []byte, at time.Time) answer {
	if r.Header.Get("X-Api-Token") != a.token {
		return refusal(http.StatusUnauthorized)
	}
	found, pattern := a.mux.Handler(r)
	h, known := found.(handler)
	if pattern == "" || !known {
		return refusal(http.StatusNotFound)
	}
	if day := at.UTC().Truncate(24 * time.Hour); !day.Equal(a.day) {
		a.day, a.used = day, 0
	}
	if a.opts.Budget > 0 && a.used+h.cost > a.opts.Budget {
		return refusal(http.StatusTooManyRequests)
	}
	a.used += h.cost
	in := request{query: r.URL.Query(), most: a.opts.PageMost, body: body, at: at}
	if base, last := cutLast(r.URL.Path); base == "/api/v2/persons" && last != "search" {
		id, err := strconv.ParseInt(last, 10, 64)
		if err != nil || id < 1 {
			return refusal(http.StatusBadRequest)
		}
		in.id = id
	}
	return h.do(in)
}

func cutLast(path string) (base, last string) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[:i], path[i+1:]
		}
	}
	return "", path
}
