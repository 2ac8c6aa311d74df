package pipedrive_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// account is Pipedrive's side, as its OpenAPI documents tell it (see the package
// comment): nothing is unique, the search is late and takes capitals for small
// letters, custom fields have codes of 40 characters, a list of addresses is
// written whole, deleted persons are still read. Its paths, methods and members
// are those of the documents; whatever else is asked for is refused.
type account struct {
	token string
	lag   time.Duration

	mu      sync.Mutex
	now     time.Duration
	next    int64
	fields  []map[string]any
	persons []map[string]any
	notes   []map[string]any
	tasks   []map[string]any
	indexed map[int64]string               // the JSON of persons, as the search knows them
	pending []func(now time.Duration) bool // writes that the search does not know yet
}

type problem int

func newAccount(token string) *account {
	return &account{token: token, lag: 5 * time.Minute, next: 100, indexed: map[int64]string{}}
}

func (a *account) pass(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now += d
	a.pending = slices.DeleteFunc(a.pending, func(do func(time.Duration) bool) bool { return do(a.now) })
}

// written puts a person before the search, late.
func (a *account) written(p map[string]any) {
	b, _ := json.Marshal(p)
	id, due := p["id"].(int64), a.now+a.lag
	a.pending = append(a.pending, func(now time.Duration) bool {
		if now >= due {
			a.indexed[id] = string(b)
		}
		return now >= due
	})
}

func (a *account) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer := map[string]any{"success": true}
	status := http.StatusOK
	func() {
		defer func() {
			if p, is := recover().(problem); is {
				status, answer = int(p), map[string]any{"success": false, "error": "refused"}
			}
		}()
		if r.Header.Get("X-Api-Token") != a.token {
			panic(problem(http.StatusUnauthorized))
		}
		var in map[string]any
		if r.Method == http.MethodPost || r.Method == http.MethodPatch {
			if json.NewDecoder(r.Body).Decode(&in) != nil {
				panic(problem(http.StatusBadRequest))
			}
		}
		data, more := a.act(r.Method+" "+r.URL.Path, r.URL.Query(), in)
		if answer["data"] = data; more != nil {
			answer["additional_data"] = more
		}
		if r.Method == http.MethodPost {
			status = http.StatusCreated
		}
	}()
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

func (a *account) act(call string, q url.Values, in map[string]any) (data, more any) {
	known := func(names ...string) {
		for name := range q {
			if !slices.Contains(names, name) {
				panic(problem(http.StatusBadRequest))
			}
		}
	}
	switch call {
	case "GET /api/v2/personFields":
		known("limit", "cursor")
		// Of this account the first page has one field.
		if q.Get("cursor") == "" && len(a.fields) > 1 {
			return a.fields[:1], map[string]any{"next_cursor": "rest"}
		}
		if q.Get("cursor") == "rest" {
			return a.fields[1:], map[string]any{"next_cursor": nil}
		}
		return a.fields, map[string]any{"next_cursor": nil}
	case "POST /api/v2/personFields":
		a.next++
		f := map[string]any{"field_name": text(in, "field_name"), "field_type": text(in, "field_type"), "is_custom_field": true, "field_code": fmt.Sprintf("%040x", a.next)}
		a.fields = append(a.fields, f)
		return f, nil
	case "GET /api/v2/persons/search":
		known("term", "fields", "exact_match", "limit")
		return map[string]any{"items": a.search(q)}, nil
	case "GET /api/v2/persons":
		known("limit")
		return []any{}, nil
	case "POST /api/v2/persons":
		if text(in, "name") == "" {
			panic(problem(http.StatusBadRequest))
		}
		return a.writePerson(map[string]any{"id": a.id(), "custom_fields": map[string]any{}, "is_deleted": false}, in, &a.persons), nil
	case "GET /v1/notes":
		known("person_id", "limit", "sort")
		return a.of(a.notes, q, "person_id"), map[string]any{"pagination": map[string]any{"more_items_in_collection": false}}
	case "POST /v1/notes":
		a.needs(in["person_id"])
		n := map[string]any{"id": a.id(), "content": text(in, "content"), "person_id": number(in["person_id"]), "active_flag": true}
		a.notes = append(a.notes, n)
		return n, nil
	case "GET /api/v2/activities":
		known("person_id", "limit", "sort_by", "sort_direction", "cursor")
		return a.of(a.tasks, q, "person_id"), map[string]any{"next_cursor": nil}
	case "POST /api/v2/activities":
		who := in["participants"].([]any)[0].(map[string]any)["person_id"]
		a.needs(who)
		t := map[string]any{
			"id": a.id(), "subject": text(in, "subject"), "note": text(in, "note"), "person_id": number(who), "done": in["done"] == true, "is_deleted": false,
			"type": text(in, "type"), "due_date": text(in, "due_date"), "due_time": text(in, "due_time"),
		}
		a.tasks = append(a.tasks, t)
		return t, nil
	}
	method, id, ok := strings.Cut(call, " /api/v2/persons/")
	if !ok {
		panic(problem(http.StatusNotFound))
	}
	n, _ := strconv.ParseInt(id, 10, 64)
	p := a.person(n)
	if p == nil {
		panic(problem(http.StatusNotFound))
	}
	if method == "PATCH" {
		if p["is_deleted"] == true {
			panic(problem(http.StatusNotFound))
		}
		return a.writePerson(p, in, nil), nil
	}
	return p, nil
}

func (a *account) id() int64 { a.next++; return a.next }

func (a *account) person(id int64) map[string]any {
	for _, p := range a.persons {
		if p["id"] == id {
			return p
		}
	}
	return nil
}

// needs a person who is there.
func (a *account) needs(id any) {
	if p := a.person(number(id)); p == nil || p["is_deleted"] == true {
		panic(problem(http.StatusBadRequest))
	}
}

func (a *account) writePerson(p, in map[string]any, into *[]map[string]any) map[string]any {
	for name, value := range in {
		switch name {
		case "name", "emails", "phones":
			p[name] = value
		case "custom_fields":
			for code, v := range value.(map[string]any) {
				if !slices.ContainsFunc(a.fields, func(f map[string]any) bool { return f["field_code"] == code }) || len(v.(string)) > 255 {
					panic(problem(http.StatusBadRequest))
				}
				p["custom_fields"].(map[string]any)[code] = v
			}
		default:
			panic(problem(http.StatusBadRequest))
		}
	}
	if into != nil {
		*into = append(*into, p)
	}
	a.written(p)
	return p
}

// search: exact_match finds whole values without regard to case, in the index.
func (a *account) search(q url.Values) (items []any) {
	if q.Get("exact_match") != "true" || q.Get("term") == "" {
		panic(problem(http.StatusBadRequest))
	}
	for _, p := range a.persons {
		var known map[string]any
		if json.Unmarshal([]byte(a.indexed[p["id"].(int64)]), &known) != nil {
			continue
		}
		var values []string
		switch q.Get("fields") {
		case "email":
			values = listed(known["emails"])
		case "custom_fields":
			for _, v := range known["custom_fields"].(map[string]any) {
				values = append(values, v.(string))
			}
		default:
			panic(problem(http.StatusBadRequest))
		}
		if slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, q.Get("term")) }) {
			items = append(items, map[string]any{"result_score": 1, "item": map[string]any{"id": p["id"]}})
		}
	}
	return items
}

func (a *account) of(all []map[string]any, q url.Values, by string) []map[string]any {
	out := []map[string]any{}
	for _, r := range slices.Backward(all) {
		if fmt.Sprint(r[by]) == q.Get(by) {
			out = append(out, r)
		}
	}
	return out
}

func text(m map[string]any, name string) string { s, _ := m[name].(string); return s }

func number(v any) int64 {
	if f, is := v.(float64); is {
		return int64(f)
	}
	n, _ := v.(int64)
	return n
}

func listed(v any) (out []string) {
	list, _ := v.([]any)
	for _, e := range list {
		out = append(out, text(e.(map[string]any), "value"))
	}
	return out
}
