package pipedrive_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/crm/crmtest"
	"onefold/internal/crm/pipedrive"
	"onefold/internal/crm/pipedrivetest"
)

const token = "pipedrive-test-token"

func TestConformance(t *testing.T) {
	t.Parallel()
	crmtest.Suite(t, func(t *testing.T) (crmtest.Vendor, crm.CRM) {
		v := start(t)
		return v, v.ready(t)
	})
}

// vendor is Pipedrive's fake on a loopback port until the test ends. It is the
// suite's vendor.
type vendor struct {
	*pipedrivetest.Account
	web *httptest.Server
}

func start(t *testing.T) *vendor { return startWith(t, pipedrivetest.Options{}) }

func startWith(t *testing.T, opts pipedrivetest.Options) *vendor {
	t.Helper()
	opts.Token, opts.SearchLag, opts.PageMost = token, 5*time.Minute, 100
	v := &vendor{Account: pipedrivetest.New(opts)}
	v.web = httptest.NewServer(v.Account)
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

func (v *vendor) URL() string { return v.web.URL }

// set writes values of the port to a person.
func set(p *pipedrivetest.Person, companyCode string, values map[string]string) {
	primary := func(value string) []pipedrivetest.Entry {
		if value == "" {
			return nil
		}
		return []pipedrivetest.Entry{{Value: value, Primary: true, Label: "work"}}
	}
	for name, value := range values {
		switch name {
		case crmtest.Name:
			p.Name = value
		case crmtest.Email:
			p.Emails = primary(value)
		case crmtest.Phone:
			p.Phones = primary(value)
		case crmtest.Company:
			if p.Custom[companyCode] = value; value == "" {
				delete(p.Custom, companyCode)
			}
		}
	}
}

func (v *vendor) Put(_ testing.TB, values map[string]string) string {
	p := pipedrivetest.Person{Custom: map[string]string{}}
	set(&p, v.Code(pipedrive.FieldCompany), values)
	if p.Name == "" { // which the application asks for
		p.Name = values[crmtest.Email] + values[crmtest.Phone]
	}
	return strconv.FormatInt(v.Add(p), 10)
}

func number(t testing.TB, id string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (v *vendor) Edit(t testing.TB, kind crmtest.Kind, id string, values map[string]string) {
	t.Helper()
	n, code := number(t, id), v.Code(pipedrive.FieldCompany)
	switch kind {
	case crmtest.Contacts:
		if !v.Account.Edit(n, func(p *pipedrivetest.Person) { set(p, code, values) }) {
			t.Fatalf("no person %s", id)
		}
	case crmtest.Notes: // above the last line
		v.EditNote(n, func(r *pipedrivetest.Note) {
			r.Content = "<p>" + values[crmtest.Body] + "</p>" + lastLine.FindString(r.Content)
		})
	case crmtest.Tasks:
		v.EditActivity(n, func(r *pipedrivetest.Activity) { r.Done = values[crmtest.Done] == "yes" })
	}
}

func (v *vendor) Archive(t testing.TB, id string) { t.Helper(); v.Delete(number(t, id)) }

var (
	lastLine = regexp.MustCompile(`<p>\[onefold:[^\]]*\]</p>$`)
	tags     = regexp.MustCompile(`<[^>]*>`)
)

func plain(s string) string {
	return html.UnescapeString(tags.ReplaceAllString(lastLine.ReplaceAllString(s, ""), ""))
}

func first(list []pipedrivetest.Entry) string {
	for _, e := range list {
		if e.Primary {
			return e.Value
		}
	}
	return ""
}

func (v *vendor) Records(kind crmtest.Kind) []crmtest.Record {
	var out []crmtest.Record
	add := func(id, person int64, values map[string]string, content any) {
		one := crmtest.Record{ID: strconv.FormatInt(id, 10), Values: values, Content: content}
		if person != 0 {
			one.Contacts = []string{strconv.FormatInt(person, 10)}
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
		for _, p := range v.Persons() {
			add(p.ID, 0, map[string]string{
				crmtest.Email: first(p.Emails), crmtest.Phone: first(p.Phones), crmtest.Name: p.Name,
				crmtest.Company: p.Custom[v.Code(pipedrive.FieldCompany)],
			}, fmt.Sprint(p.Name, p.Emails, p.Phones, p.Custom))
		}
	case crmtest.Notes:
		for _, n := range v.Notes() {
			add(n.ID, n.Person, map[string]string{crmtest.Body: plain(n.Content)}, n.Content+n.Added)
		}
	case crmtest.Tasks:
		for _, n := range v.Activities() {
			done := map[bool]string{true: "yes"}[n.Done]
			add(n.ID, n.Person, map[string]string{crmtest.Title: n.Subject, crmtest.Body: plain(n.Note), crmtest.Done: done}, n.Subject+n.Note+n.DueDate+n.DueTime)
		}
	}
	return out
}

func (v *vendor) Calls() []crmtest.Call {
	var out []crmtest.Call
	for _, c := range v.Account.Calls() {
		out = append(out, crmtest.Call{Reads: c.Method == http.MethodGet, Answered: c.Status != 0})
	}
	return out
}

var faults = map[crmtest.Fault]pipedrivetest.Kind{
	{Name: "500 before writing"}:       pipedrivetest.FailBefore,
	{Name: "503 after writing"}:        pipedrivetest.FailAfter,
	{Name: "cut before writing"}:       pipedrivetest.CutBefore,
	{Name: "cut after writing"}:        pipedrivetest.CutAfter,
	{Name: "cut, written later"}:       pipedrivetest.LandLater,
	{Name: "throttled", Refusal: true}: pipedrivetest.Throttle,
	{Name: "kept away", Refusal: true}: pipedrivetest.TurnedAway,
}

func (*vendor) Faults() []crmtest.Fault {
	var out []crmtest.Fault
	for f := range faults {
		out = append(out, f)
	}
	return out
}

func (v *vendor) Meet(f crmtest.Fault, skip int) {
	v.Script(pipedrivetest.Fault{Kind: faults[f], Skip: skip})
}

func (v *vendor) Throttle() int {
	v.Script(pipedrivetest.Fault{Kind: pipedrivetest.Throttle})
	return 10
}

func (v *vendor) Hold(until <-chan struct{}, entered func()) {
	v.Script(pipedrivetest.Fault{Kind: pipedrivetest.Hold, Writes: true, Until: until, Entered: entered})
}

func (v *vendor) RefuseToken() { v.SetToken("another") }

func (v *vendor) Stop() {
	v.web.CloseClientConnections()
	v.web.Close()
}
