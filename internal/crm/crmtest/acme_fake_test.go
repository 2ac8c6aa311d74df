package crmtest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/crm/crmtest"
)

// fakeAcme enforces what Acme documents: keys are unique for each kind,
// addresses among people; a PUT by key makes a record or changes nothing; a note
// or task needs a person who is there.
type fakeAcme struct {
	web   *httptest.Server
	under sync.WaitGroup

	mu      sync.Mutex
	token   string
	next    int
	records map[crmtest.Kind][]*record
	calls   []crmtest.Call
	fault   string // what a request meets after skip others
	skip    int
	hold    func()
}

const acmeToken = "acme-test-token"

func startAcme(t *testing.T) *fakeAcme {
	t.Helper()
	f := &fakeAcme{token: acmeToken, records: map[crmtest.Kind][]*record{}}
	f.web = httptest.NewServer(f)
	t.Cleanup(f.web.Close)
	return f
}

func (f *fakeAcme) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.under.Add(1)
	defer f.under.Done()
	var in record
	_ = json.NewDecoder(r.Body).Decode(&in)
	fault, hold := f.meets(r)
	if hold != nil {
		hold()
	}
	if fault == "cut before writing" {
		panic(http.ErrAbortHandler)
	}
	status, out := http.StatusInternalServerError, record{}
	switch {
	case fault == "throttled":
		w.Header().Set("Retry-After", "7")
		status = http.StatusTooManyRequests
	case fault != "500 before writing":
		status, out = f.act(r, in)
	}
	if fault == "cut after writing" {
		panic(http.ErrAbortHandler)
	}
	if fault == "500 after writing" {
		status = http.StatusInternalServerError
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out)
}

// meets notes the request and tells what befalls it.
func (f *fakeAcme) meets(r *http.Request) (fault string, hold func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	reads := r.Method == http.MethodGet
	if f.hold != nil && !reads {
		hold, f.hold = f.hold, nil
	}
	if f.fault != "" {
		if f.skip == 0 {
			fault, f.fault = f.fault, ""
		}
		f.skip--
	}
	f.calls = append(f.calls, crmtest.Call{Reads: reads, Answered: !strings.HasPrefix(fault, "cut")})
	return fault, hold
}

// act is the API: /people, /notes, /tasks, and one record by its ID below.
func (f *fakeAcme) act(r *http.Request, in record) (int, record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+f.token {
		return http.StatusUnauthorized, record{}
	}
	path, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	kind := map[string]crmtest.Kind{"people": crmtest.Contacts, "notes": crmtest.Notes, "tasks": crmtest.Tasks}[path]
	key, email := r.URL.Query().Get("key"), r.URL.Query().Get("email")
	has := f.find(kind, func(o *record) bool {
		return id != "" && o.ID == id || key != "" && o.Key == key || email != "" && strings.EqualFold(o.Fields["email"], email)
	})
	switch {
	case r.Method == http.MethodPut && has == nil:
		if in.Person != "" && f.find(crmtest.Contacts, func(o *record) bool { return o.ID == in.Person }) == nil {
			return http.StatusNotFound, record{}
		}
		made := record{Key: key, Person: in.Person, Fields: in.Fields}
		if f.taken(kind, nil, made) {
			return http.StatusConflict, record{}
		}
		return http.StatusCreated, f.put(kind, made).copy()
	case has == nil:
		return http.StatusNotFound, record{}
	case r.Method == http.MethodPatch:
		if f.taken(kind, has, in) {
			return http.StatusConflict, record{}
		}
		maps.Copy(has.Fields, in.Fields)
		if in.Key != "" {
			has.Key = in.Key
		}
	}
	return http.StatusOK, has.copy()
}

// copy is a record that nobody changes while it is sent.
func (r *record) copy() record {
	out := *r
	out.Fields = maps.Clone(r.Fields)
	return out
}

func (f *fakeAcme) find(kind crmtest.Kind, is func(*record) bool) *record {
	if n := slices.IndexFunc(f.records[kind], is); n >= 0 {
		return f.records[kind][n]
	}
	return nil
}

// taken tells whether another record has the key or the address.
func (f *fakeAcme) taken(kind crmtest.Kind, self *record, in record) bool {
	return f.find(kind, func(o *record) bool {
		email := in.Fields["email"]
		return o != self && (in.Key != "" && o.Key == in.Key || email != "" && strings.EqualFold(o.Fields["email"], email))
	}) != nil
}

func (f *fakeAcme) put(kind crmtest.Kind, r record) *record {
	f.next++
	r.ID = fmt.Sprint(100 + f.next)
	if r.Fields == nil {
		r.Fields = map[string]string{}
	}
	f.records[kind] = append(f.records[kind], &r)
	return &r
}

// The rest is what the suite asks of a vendor.

func (f *fakeAcme) URL() string { return f.web.URL }

func (f *fakeAcme) Put(_ testing.TB, values map[string]string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.put(crmtest.Contacts, record{Fields: maps.Clone(values)}).ID
}

func (f *fakeAcme) Edit(t testing.TB, kind crmtest.Kind, id string, values map[string]string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.find(kind, func(o *record) bool { return o.ID == id })
	if r == nil {
		t.Fatalf("no record %s", id)
	}
	maps.Copy(r.Fields, values)
}

func (f *fakeAcme) Archive(_ testing.TB, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records[crmtest.Contacts] = slices.DeleteFunc(f.records[crmtest.Contacts], func(o *record) bool { return o.ID == id })
}

func (f *fakeAcme) Records(kind crmtest.Kind) []crmtest.Record {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []crmtest.Record
	for _, r := range f.records[kind] {
		one := crmtest.Record{ID: r.ID, Values: maps.Clone(r.Fields), Content: []any{r.Key, maps.Clone(r.Fields)}}
		if r.Person != "" {
			one.Contacts = []string{r.Person}
		}
		out = append(out, one)
	}
	return out
}

func (f *fakeAcme) Calls() []crmtest.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

func (*fakeAcme) Faults() []crmtest.Fault {
	return []crmtest.Fault{
		{Name: "500 before writing"}, {Name: "500 after writing"}, {Name: "cut before writing"}, {Name: "cut after writing"},
		{Name: "throttled", Refusal: true},
	}
}

func (f *fakeAcme) Meet(fault crmtest.Fault, skip int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.skip = fault.Name, skip
}

func (f *fakeAcme) Throttle() int { f.Meet(crmtest.Fault{Name: "throttled"}, 0); return 7 }

func (f *fakeAcme) Hold(until <-chan struct{}, entered func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold = func() { entered(); <-until }
}

func (f *fakeAcme) Idle() { f.under.Wait() }

// Pass: Acme is never searched.
func (f *fakeAcme) Pass(time.Duration) {}

func (f *fakeAcme) RefuseToken() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.token = "another"
}

func (f *fakeAcme) Stop() {
	f.web.CloseClientConnections()
	f.web.Close()
}
