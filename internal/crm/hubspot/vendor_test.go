package hubspot_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/hubspottest"
)

// token is the access token that the servers of these tests accept.
const token = "hubspot-test-token"

// running is HubSpot's fake on a loopback port until the test ends. It is the
// suite's vendor.
type running struct {
	*hubspottest.Server
	web *httptest.Server
}

func start(t testing.TB, opts hubspottest.Options) *running {
	t.Helper()
	if opts.Token == "" {
		opts.Token = token
	}
	s := hubspottest.New(opts)
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return &running{s, web}
}

func (r *running) URL() string { return r.web.URL }

func (r *running) Stop() {
	r.web.CloseClientConnections()
	r.web.Close()
}

// properties are a record's fields in HubSpot's names.
func properties(values map[string]string) map[string]string {
	out := map[string]string{}
	for field, v := range values {
		switch field {
		case crmtest.Name:
			out["firstname"], out["lastname"], _ = strings.Cut(v, " ")
		case crmtest.Body:
			out["hs_note_body"] = v
		case crmtest.Title:
			out["hs_task_subject"] = v
		case crmtest.Done:
			out["hs_task_status"] = map[string]string{"yes": "COMPLETED", "": "NOT_STARTED"}[v]
		default:
			out[field] = v
		}
	}
	return out
}

func valuesOf(p map[string]string) map[string]string {
	out := map[string]string{}
	for field, v := range map[string]string{
		crmtest.Email: p["email"], crmtest.Company: p["company"], crmtest.Phone: p["phone"],
		crmtest.Name: strings.TrimSpace(p["firstname"] + " " + p["lastname"]),
		crmtest.Body: p["hs_note_body"], crmtest.Title: p["hs_task_subject"],
		crmtest.Done: map[string]string{"COMPLETED": "yes"}[p["hs_task_status"]],
	} {
		if v != "" {
			out[field] = v
		}
	}
	return out
}

func (r *running) Put(t testing.TB, values map[string]string) string {
	t.Helper()
	id, err := r.Seed("contacts", properties(values))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func (r *running) Edit(t testing.TB, kind crmtest.Kind, id string, values map[string]string) {
	t.Helper()
	if err := r.Server.Edit(string(kind), id, properties(values)); err != nil {
		t.Fatal(err)
	}
}

func (r *running) Archive(t testing.TB, id string) {
	t.Helper()
	if err := r.Server.Archive("contacts", id); err != nil {
		t.Fatal(err)
	}
}

func (r *running) Records(kind crmtest.Kind) []crmtest.Record {
	var out []crmtest.Record
	for _, rec := range map[crmtest.Kind]func() []hubspottest.Record{
		crmtest.Contacts: r.Contacts, crmtest.Notes: r.Notes, crmtest.Tasks: r.Tasks,
	}[kind]() {
		one := crmtest.Record{ID: rec.ID, Values: valuesOf(rec.Properties), Content: rec.Properties}
		for _, a := range rec.Associations {
			one.Contacts = append(one.Contacts, strings.TrimPrefix(a, "contacts/"))
		}
		out = append(out, one)
	}
	return out
}

func (r *running) Calls() []crmtest.Call {
	var out []crmtest.Call
	for _, c := range r.Server.Calls() {
		out = append(out, crmtest.Call{Reads: c.Method == http.MethodGet, Answered: c.Status != 0})
	}
	return out
}

func faults() map[crmtest.Fault]hubspottest.Kind {
	return map[crmtest.Fault]hubspottest.Kind{
		{Name: "500 before writing"}:       hubspottest.FailNotPersist,
		{Name: "500 after writing"}:        hubspottest.FailButPersist,
		{Name: "cut before writing"}:       hubspottest.CutBefore,
		{Name: "cut after writing"}:        hubspottest.CutAfter,
		{Name: "throttled", Refusal: true}: hubspottest.Throttle,
		{Name: "locked", Refusal: true}:    hubspottest.Locked,
	}
}

func (r *running) Faults() []crmtest.Fault {
	var out []crmtest.Fault
	for f := range faults() {
		out = append(out, f)
	}
	return out
}

func (r *running) Meet(f crmtest.Fault, skip int) {
	r.Script(hubspottest.Fault{Kind: faults()[f], Skip: skip})
}

// Pass: the adapter never searches.
func (r *running) Pass(time.Duration) {}

// Throttle: the fake's Retry-After is 7 s.
func (r *running) Throttle() int {
	r.Script(hubspottest.Fault{Kind: hubspottest.Throttle})
	return 7
}

func (r *running) Hold(until <-chan struct{}, entered func()) {
	r.Script(hubspottest.Fault{Op: hubspottest.AnyWrite, Kind: hubspottest.HoldBefore, Until: until, Entered: entered})
}

func (r *running) RefuseToken() { r.SetToken("another") }
