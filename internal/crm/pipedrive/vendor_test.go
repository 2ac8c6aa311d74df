package pipedrive_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/pipedrive"
)

const token = "pipedrive-test-token"

func TestConformance(t *testing.T) {
	t.Parallel()
	crmtest.Suite(t, func(t *testing.T) (crmtest.Vendor, crm.CRM) {
		v := start(t)
		return v, v.ready(t)
	})
}

// vendor is the account with what befalls it and its network.
type vendor struct {
	*account
	web   *httptest.Server
	under sync.WaitGroup

	mu    sync.Mutex
	calls []crmtest.Call
	fault string
	skip  int
	hold  func()
}

func start(t *testing.T) *vendor {
	t.Helper()
	v := &vendor{account: newAccount(token)}
	v.web = httptest.NewServer(http.HandlerFunc(v.serve))
	t.Cleanup(v.web.Close)
	return v
}

func (v *vendor) client(t *testing.T) *pipedrive.Client {
	t.Helper()
	c, err := pipedrive.New(pipedrive.Config{
		BaseURL: v.web.URL, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, // as the worker has it
		Token: func(context.Context) (string, error) { return token, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (v *vendor) ready(t *testing.T) *pipedrive.Client {
	t.Helper()
	c := v.client(t)
	if err := c.SetUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func (v *vendor) serve(w http.ResponseWriter, r *http.Request) {
	v.under.Add(1)
	defer v.under.Done()
	fault, hold := v.meets(r)
	if hold != nil {
		hold()
	}
	switch fault {
	case "cut before writing":
		panic(http.ErrAbortHandler)
	case "throttled":
		w.Header().Set("X-Ratelimit-Reset", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case "500 before writing":
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	answered := httptest.NewRecorder()
	v.ServeHTTP(answered, r)
	switch fault {
	case "cut after writing":
		panic(http.ErrAbortHandler)
	case "503 after writing":
		answered = httptest.NewRecorder()
		answered.WriteHeader(http.StatusServiceUnavailable)
	}
	w.WriteHeader(answered.Code)
	_, _ = w.Write(answered.Body.Bytes())
}

func (v *vendor) meets(r *http.Request) (fault string, hold func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	reads := r.Method == http.MethodGet
	if !reads {
		hold, v.hold = v.hold, nil
	}
	if v.fault != "" {
		if v.skip == 0 {
			fault, v.fault = v.fault, ""
		}
		v.skip--
	}
	v.calls = append(v.calls, crmtest.Call{Reads: reads, Answered: !strings.HasPrefix(fault, "cut")})
	return fault, hold
}

func (v *vendor) URL() string { return v.web.URL }

func (v *vendor) Pass(d time.Duration) { v.pass(d) }

func (v *vendor) code(name string) string {
	for _, f := range v.fields {
		if f["field_name"] == name {
			return f["field_code"].(string)
		}
	}
	return ""
}

// as puts values of the port into a person.
func (v *vendor) as(p map[string]any, values map[string]string) {
	in := map[string]any{"custom_fields": map[string]any{}}
	for name, value := range values {
		switch name {
		case crmtest.Name:
			in["name"] = value
		case crmtest.Company:
			in["custom_fields"] = map[string]any{v.code(pipedrive.FieldCompany): value}
		default:
			list := []any{}
			if value != "" {
				list = []any{map[string]any{"value": value, "primary": true}}
			}
			in[name+"s"] = list
		}
	}
	v.writePerson(p, in, nil)
}

func (v *vendor) Put(_ testing.TB, values map[string]string) string {
	v.account.mu.Lock()
	defer v.account.mu.Unlock()
	p := map[string]any{"id": v.id(), "name": "Unknown (Onefold)", "custom_fields": map[string]any{}, "is_deleted": false}
	v.persons = append(v.persons, p)
	v.as(p, values)
	return fmt.Sprint(p["id"])
}

func (v *vendor) Edit(t testing.TB, kind crmtest.Kind, id string, values map[string]string) {
	t.Helper()
	v.account.mu.Lock()
	defer v.account.mu.Unlock()
	n, _ := strconv.ParseInt(id, 10, 64)
	is := func(r map[string]any) bool { return r["id"] == n }
	switch kind {
	case crmtest.Contacts:
		v.as(v.person(n), values)
	case crmtest.Notes: // above the last line
		r := v.notes[slices.IndexFunc(v.notes, is)]
		r["content"] = "<p>" + values[crmtest.Body] + "</p>" + lastLine.FindString(r["content"].(string))
	case crmtest.Tasks:
		v.tasks[slices.IndexFunc(v.tasks, is)]["done"] = values[crmtest.Done] == "yes"
	}
}

func (v *vendor) Archive(_ testing.TB, id string) {
	v.account.mu.Lock()
	defer v.account.mu.Unlock()
	n, _ := strconv.ParseInt(id, 10, 64)
	p := v.person(n)
	p["is_deleted"] = true
	v.written(p)
}

var (
	lastLine = regexp.MustCompile(`<p>\[onefold:[^\]]*\]</p>$`)
	tags     = regexp.MustCompile(`<[^>]*>`)
)

func plain(s string) string {
	return html.UnescapeString(tags.ReplaceAllString(lastLine.ReplaceAllString(s, ""), ""))
}

func (v *vendor) Records(kind crmtest.Kind) []crmtest.Record {
	v.account.mu.Lock()
	defer v.account.mu.Unlock()
	var out []crmtest.Record
	add := func(r map[string]any, values map[string]string, content any) {
		one := crmtest.Record{ID: fmt.Sprint(r["id"]), Values: values, Content: content}
		if id, is := r["person_id"]; is {
			one.Contacts = []string{fmt.Sprint(id)}
		}
		for name, value := range values {
			if value == "" {
				delete(values, name)
			}
		}
		out = append(out, one)
	}
	switch kind {
	case crmtest.Contacts:
		for _, p := range v.persons {
			if p["is_deleted"] == true {
				continue
			}
			first := func(name string) string { return append(listed(p[name]), "")[0] }
			values := map[string]string{
				crmtest.Email: first("emails"), crmtest.Phone: first("phones"), crmtest.Name: text(p, "name"),
				crmtest.Company: text(p["custom_fields"].(map[string]any), v.code(pipedrive.FieldCompany)),
			}
			add(p, values, []any{fmt.Sprint(p["name"], p["emails"], p["phones"], p["custom_fields"])})
		}
	case crmtest.Notes:
		for _, n := range v.notes {
			add(n, map[string]string{crmtest.Body: plain(text(n, "content"))}, text(n, "content"))
		}
	case crmtest.Tasks:
		for _, n := range v.tasks {
			done := map[bool]string{true: "yes"}[n["done"] == true]
			add(n, map[string]string{crmtest.Title: text(n, "subject"), crmtest.Body: plain(text(n, "note")), crmtest.Done: done}, fmt.Sprint(text(n, "note"), n["due_date"], n["due_time"]))
		}
	}
	return out
}

func (v *vendor) Calls() []crmtest.Call {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.calls)
}

func (*vendor) Faults() []crmtest.Fault {
	return []crmtest.Fault{
		{Name: "500 before writing"}, {Name: "503 after writing"}, {Name: "cut before writing"}, {Name: "cut after writing"},
		{Name: "throttled", Refusal: true},
	}
}

func (v *vendor) Meet(f crmtest.Fault, skip int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fault, v.skip = f.Name, skip
}

func (v *vendor) Throttle() int { v.Meet(crmtest.Fault{Name: "throttled"}, 0); return 7 }

func (v *vendor) Hold(until <-chan struct{}, entered func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.hold = func() { entered(); <-until }
}

func (v *vendor) Idle() { v.under.Wait() }

func (v *vendor) RefuseToken() {
	v.account.mu.Lock()
	defer v.account.mu.Unlock()
	v.token = "another"
}

func (v *vendor) Stop() {
	v.web.CloseClientConnections()
	v.web.Close()
}
